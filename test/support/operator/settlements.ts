import { expect } from 'vitest';
import type { Settlement } from '../../../src/settlements/settlement.ts';
import { type Trader, asOperator, json, openTrader } from '../exchange.ts';

export function drawReference(): string {
  return `otc-${crypto.randomUUID()}`;
}

/** 0.5 ETH for 100 USDT between two accounts. */
export function agreeP2p(buyer: Trader, seller: Trader, change: Record<string, unknown> = {}) {
  return {
    kind: 'P2P',
    reference: drawReference(),
    buyerAccountId: buyer.accountId,
    sellerAccountId: seller.accountId,
    coin: 'ETH',
    coinAmount: '0.5',
    usdtAmount: '100',
    ...change,
  };
}

/** The same between one account and the house. */
export function agreeQuick(trader: Trader, side: 'BUY' | 'SELL', change: Record<string, unknown> = {}) {
  return {
    kind: 'QUICK',
    reference: drawReference(),
    accountId: trader.accountId,
    side,
    coin: 'ETH',
    coinAmount: '0.5',
    usdtAmount: '100',
    ...change,
  };
}

/** A buyer with 1,000 USDT and a seller with 10 ETH. */
export async function openParties(): Promise<[Trader, Trader]> {
  return [await openTrader({ USDT: '1000' }), await openTrader({ ETH: '10' })];
}

export function settle(body: unknown): Promise<Response> {
  return asOperator('POST', '/settlements', body);
}

export async function readSettled(response: Response, status = 201): Promise<Settlement> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
  return (await json<{ settlement: Settlement }>(response)).settlement;
}

/** Checks that the account holds these amounts of USDT and ETH. */
export async function expectHoldings(trader: Trader, usdt: string, eth: string): Promise<void> {
  const { USDT, ETH } = await trader.balances();
  expect([USDT, ETH]).toEqual([usdt, eth]);
}
