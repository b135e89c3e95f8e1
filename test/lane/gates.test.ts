// @runtime three-ledgers
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { LedgerGate } from '../../src/orders/gate.ts';
import { handOver, ledgerGate } from '../support/gate.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { sqlIn } from '../support/db/sql.ts';

const BUY = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5' } as const;

async function readRound(ledger: number, orderId: string): Promise<number> {
  const row = await sqlIn(ledger, 'SELECT price_round FROM orders WHERE id = ?', orderId).first<{
    price_round: number;
  }>();
  return row?.price_round ?? 0;
}

describe('the gates of two ledgers', () => {
  it('fill at no older round than another gate has answered with, over four rounds of trading', async () => {
    const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    const filled: { ledger: number; id: string }[] = [];
    const seen = new Set<number>();
    // One holder trades on both in turn, and sends each order when the one before was answered.
    for (let turn = 0; seen.size < 4; turn += 1) {
      const ledger = 1 + (turn % 2);
      const { id } = await traders[ledger - 1]!.trade(BUY);
      filled.push({ ledger, id });
      seen.add(await readRound(ledger, id));
      await scheduler.wait(40);
    }
    const rounds = await Promise.all(filled.map(({ ledger, id }) => readRound(ledger, id)));
    expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
  });

  it('take orders of their own ledger alone', async () => {
    const [own, other] = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    const gate = ledgerGate(1);
    expect((await gate.placeOrder(handOver(own, BUY))).kind).toBe('committed');
    await runInDurableObject(gate, (instance) => {
      expect(() => instance.placeOrder(handOver(other, BUY))).toThrow('the gate of ledger 1 got one of 2');
    });
  });

  it('are two objects: an order waits for no batch of another ledger', async () => {
    const placed = vi.spyOn(LedgerGate.prototype, 'placeOrder');
    const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    await Promise.all(traders.map((trader) => trader.trade(BUY)));
    expect(new Set(placed.mock.contexts).size).toBe(2);
  });
});
