import { describe, expect, it, vi } from 'vitest';
import { type Trader, asOperator, openTrader, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, aroundBatch, fail } from '../support/runtime/faults.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import {
  agreeP2p,
  agreeQuick,
  expectHoldings,
  readSettled,
  settle,
  openParties,
} from '../support/operator/settlements.ts';
import { setSettings, tally } from '../support/withdrawals/withdrawals.ts';
import { expectWholeLedger } from '../support/db/probes.ts';
import { atOnce } from '../support/at-once.ts';

/** Checks that one settlement of 0.5 ETH for 100 USDT took place, and no other. */
async function expectOnce(buyer: Trader, seller: Trader): Promise<void> {
  await expectHoldings(buyer, '900', '0.5');
  await expectHoldings(seller, '100', '9.5');
  await expectWholeLedger();
}

describe('the same reference', () => {
  it('with the same body is answered 200 with the same settlement, and moves nothing again', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    const first = await readSettled(await settle(wanted));
    for (const same of [wanted, { ...wanted, coin: 'eth', coinAmount: '0.50' }]) {
      expect(await readSettled(await settle(same), 200)).toEqual(first);
    }
    await expectOnce(buyer, seller);
  });

  it('is answered in the same way after the account was frozen or trading was halted', async () => {
    const trader = await openTrader({ USDT: '100' });
    const wanted = agreeQuick(trader, 'BUY');
    const first = await readSettled(await settle(wanted));
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    await setSettings({ tradingHalted: true });
    expect(await readSettled(await settle(wanted), 200)).toEqual(first);
    await expectHoldings(trader, '0', '0.5');
  });

  it('with another body is refused, and moves nothing', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    await readSettled(await settle(wanted));
    const { reference } = wanted;
    for (const other of [
      { ...wanted, coinAmount: '0.50000001' },
      { ...wanted, usdtAmount: '100.000001' },
      { ...wanted, coin: 'BTC' },
      agreeP2p(seller, buyer, { reference }),
      agreeP2p(buyer, await openTrader({ ETH: '10' }), { reference }),
      agreeQuick(buyer, 'BUY', { reference }),
      agreeQuick(seller, 'SELL', { reference }),
    ]) {
      await expectCode(settle(other), '409 invalid_state');
    }
    await expectOnce(buyer, seller);
  });

  it('of a quick trade is refused for the opposite side', async () => {
    const trader = await openTrader({ USDT: '1000', ETH: '10' });
    for (const [side, other] of [
      ['BUY', 'SELL'],
      ['SELL', 'BUY'],
    ] as const) {
      const wanted = agreeQuick(trader, side);
      const first = await readSettled(await settle(wanted));
      await expectCode(settle({ ...wanted, side: other }), '409 invalid_state');
      expect(await readSettled(await settle(wanted), 200)).toEqual(first);
    }
    await expectHoldings(trader, '1000', '10');
  });

  it('sent twenty times in parallel makes one settlement and gets twenty equal answers', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    const responses = await atOnce(20, () => settle(wanted));
    expect(await tally(responses.map((response) => response.clone()))).toEqual({ 200: 19, 201: 1 });
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    await expectOnce(buyer, seller);
  });

  it('for twenty different trades in parallel makes one settlement and gets nineteen refusals', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    const responses = await atOnce(20, (at) => settle({ ...wanted, usdtAmount: String(at + 1) }));
    expect(await tally(responses)).toEqual({ 201: 1, invalid_state: 19 });
    expect((await buyer.balances())['ETH']).toBe('0.5');
    await expectWholeLedger();
  });
});

describe('twenty settlements at once over one balance', () => {
  it('let through exactly as many as the buyer’s USDT covers', async () => {
    const [buyer, seller] = [await openTrader({ USDT: '799.999999' }), await openTrader({ ETH: '10' })];
    const responses = await atOnce(20, () => settle(agreeP2p(buyer, seller)));
    expect(await tally(responses)).toEqual({ 201: 7, insufficient_balance: 13 });
    await expectHoldings(buyer, '99.999999', '3.5');
    await expectHoldings(seller, '700', '6.5');
    await expectWholeLedger();
  });

  it('let through exactly as many as the seller’s coin covers, of both kinds', async () => {
    const [buyer, seller] = [await openTrader({ USDT: '10000' }), await openTrader({ ETH: '5.49999999' })];
    const responses = await atOnce(20, (at) =>
      settle(at % 2 === 0 ? agreeP2p(buyer, seller) : agreeQuick(seller, 'SELL')),
    );
    expect(await tally(responses)).toEqual({ 201: 10, insufficient_balance: 10 });
    await expectHoldings(seller, '1000', '0.49999999');
    await expectWholeLedger();
  });
});

describe('a lost connection to D1', () => {
  it('after the batch: the settlement is looked up, and is answered as new', async () => {
    const [buyer, seller] = await openParties();
    const fault = aroundBatch('settlement', 'after', 1, fail(CONNECTION_LOST));
    const wanted = agreeP2p(buyer, seller);
    const settlement = await readSettled(await settle(wanted));
    expect(fault.state.injected).toBe(1);
    expect(await readSettled(await settle(wanted), 200)).toEqual(settlement);
    await expectOnce(buyer, seller);
  });

  it('before the batch: the outcome is unknown, nothing moved, and the same request settles it once', async () => {
    const [buyer, seller] = await openParties();
    const fault = aroundBatch('settlement', 'before', 1, fail(CONNECTION_LOST));
    const wanted = agreeP2p(buyer, seller);
    const response = await settle(wanted);
    expect(fault.state.injected).toBe(1);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await expectCode(response, '504 outcome_unknown')).toMatchObject({ reference: wanted.reference });
    await expectHoldings(buyer, '1000', '0');
    await readSettled(await settle(wanted));
    await expectOnce(buyer, seller);
  });

  it('that lasts until after the batch is outcome_unknown, and the same request then returns the settlement', async () => {
    const [buyer, seller] = await openParties();
    // The statement after the batch is the look-up.
    const fault = aroundBatch('settlement', 'after', 1, () => {
      vi.spyOn(databaseInternals(), '_send').mockRejectedValueOnce(new Error(CONNECTION_LOST));
      throw new Error(CONNECTION_LOST);
    });
    const wanted = agreeP2p(buyer, seller);
    await expectCode(settle(wanted), '504 outcome_unknown');
    expect(fault.state.injected).toBe(1);
    await expectOnce(buyer, seller);
    await readSettled(await settle(wanted), 200);
    await expectOnce(buyer, seller);
  });

  it('before anything was read is service_unavailable, and the same request may be sent again', async () => {
    const [buyer, seller] = await openParties();
    vi.spyOn(databaseInternals(), '_send').mockRejectedValueOnce(new Error(CONNECTION_LOST));
    const wanted = agreeP2p(buyer, seller);
    await expectCode(settle(wanted), '503 service_unavailable');
    await readSettled(await settle(wanted));
    await expectOnce(buyer, seller);
  });
});

describe('D1 that refuses the batch because it is overloaded', () => {
  it('leads to 503 with Retry-After and no row, and the same request may be sent again', async () => {
    const [buyer, seller] = await openParties();
    const fault = aroundBatch('settlement', 'before', 1, fail(OVERLOADED));
    const wanted = agreeP2p(buyer, seller);
    const response = await settle(wanted);
    expect(fault.state.injected).toBe(1);
    expect(response.headers.get('Retry-After')).toBe('1');
    await expectCode(response, '503 service_unavailable');
    await expectHoldings(buyer, '1000', '0');
    await readSettled(await settle(wanted));
    await expectOnce(buyer, seller);
  });
});

describe('a change between the checks and the batch', () => {
  it('is respected by the batch: a freeze refuses it', async () => {
    const [buyer, seller] = await openParties();
    aroundBatch('settlement', 'before', 1, async () => {
      await asOperator('PATCH', `/accounts/${seller.accountId}`, { status: 'frozen' });
    });
    await expectCode(settle(agreeP2p(buyer, seller)), '403 account_frozen');
    await expectHoldings(buyer, '1000', '0');
    await expectWholeLedger();
  });

  it('is respected by the batch: another trade with the reference refuses it', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    aroundBatch('settlement', 'before', 1, async () => {
      await readSettled(await settle(wanted));
    });
    await expectCode(settle({ ...wanted, usdtAmount: '99' }), '409 invalid_state');
    await expectOnce(buyer, seller);
  });
});
