import { GateSettings, LedgerGate } from '../../src/orders/gate.ts';

/** How long to wait for orders in progress: a gate that was reset never ends its own. */
const MAX_WAIT_MS = 250;

const underWay = new Set<object>();

/**
 * Makes each gate answer only after its background fetches have ended, so that a step ends with nothing under way and
 * the same seed repeats the same run.
 */
export function settleGates(): void {
  const { placeOrder } = LedgerGate.prototype;
  const { keepFresh } = GateSettings.prototype;
  const begun: Promise<void>[] = [];
  GateSettings.prototype.keepFresh = function follow(this: GateSettings) {
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
 * Waits for the orders that gates still commit. A lane that was reset while it called a gate has answered its client,
 * but the gate goes on, and its effect belongs to the same step.
 */
export async function awaitGates(): Promise<void> {
  for (let waited_ms = 0; underWay.size > 0 && waited_ms < MAX_WAIT_MS; waited_ms += 1) await scheduler.wait(1);
  underWay.clear();
}
