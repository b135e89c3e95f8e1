import { GateConditions, LedgerGate } from '../../src/orders/gate.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { findCoin } from '../../src/money/assets.ts';
import { gateOfBefore, ledgerGate, termsOf } from '../support/gate.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';

/** How long to wait for orders in progress: a gate that was reset never ends its own. */
const MAX_WAIT_MS = 250;

const underWay = new Set<object>();

/**
 * Makes each gate answer only after its background fetches have ended, so that a step ends with nothing under way and
 * the same seed repeats the same run.
 */
export function settleGates(moveClock: (by_ms: number) => void): void {
  // The clock stands still within a step, but for a gate of several that waits for the window of a round of prices.
  GateConditions.prototype.pause = async function pass(duration_ms) {
    await Promise.resolve();
    moveClock(duration_ms);
  };
  const { placeOrder } = LedgerGate.prototype;
  const { keepFresh } = GateConditions.prototype;
  const begun: Promise<void>[] = [];
  GateConditions.prototype.keepFresh = function follow(this: GateConditions) {
    const refresh = keepFresh.call(this);
    begun.push(refresh);
    return refresh;
  };
  LedgerGate.prototype.placeOrder = async function settle(this: LedgerGate, call) {
    underWay.add(call);
    try {
      begun.length = 0;
      const filling = placeOrder.call(this, call);
      // This call started the fetch before it awaited anything, so the fetch belongs to this gate.
      const [refresh] = begun;
      const reply = await filling;
      await refresh;
      return reply;
    } finally {
      underWay.delete(call);
    }
  };
}

/**
 * Has the gates of an account's ledger wait for the window of a round of prices now, if they would wait for one with the
 * next order: so the time of an order is known before its answer is predicted. The only gate of an exchange never waits.
 */
export async function primeGates(accountId: string, body: Readonly<Record<string, string>>): Promise<void> {
  const coin = findCoin(body['coin'] ?? '');
  if (!coin || ledgersUnderTest.length === 1) return;
  const ledger = ledgerNumberOf(accountId);
  const order = { coin, side: 'BUY', mode: 'USDT_AMOUNT', value: '1' } as const;
  for (const gate of [ledgerGate(ledger), gateOfBefore(ledger)]) await gate.preview(ledger, termsOf(order));
}

/**
 * Waits for the orders that gates still commit. A lane that was reset while it called a gate has answered its client,
 * but the gate goes on, and its effect belongs to the same step.
 */
export async function awaitGates(): Promise<void> {
  for (let waited_ms = 0; underWay.size > 0 && waited_ms < MAX_WAIT_MS; waited_ms += 1) await scheduler.wait(1);
  underWay.clear();
}
