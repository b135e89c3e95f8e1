import { GateConditions } from '../../src/lane/gate-conditions.ts';
import { LedgerGate } from '../../src/lane/ledger-gate.ts';
import { PlaceOrder } from '../../src/trade/place-order.ts';
import { handOver, ledgerGate } from '../support/gate.ts';
import { env } from '../support/runtime/test-env.ts';
import { drawKey, drawOrder } from './client-steps.ts';
import type { Draw } from '../support/draw.ts';
import { noteEffect, predictFresh, refuseKey } from './execute.ts';
import { type Post, must, withoutReference } from './model.ts';
import type { World } from './world.ts';

/**
 * Makes each gate answer only after its background fetches have ended, so that a step ends with nothing under way and
 * the same seed repeats the same run.
 */
export function settleGates(): void {
  const { placeOrder } = LedgerGate.prototype;
  const { keepFresh } = GateConditions.prototype;
  const begun: Promise<void>[] = [];
  GateConditions.prototype.keepFresh = function follow(this: GateConditions) {
    const refresh = keepFresh.call(this);
    begun.push(refresh);
    return refresh;
  };
  LedgerGate.prototype.placeOrder = async function settle(this: LedgerGate, call) {
    begun.length = 0;
    const filling = placeOrder.call(this, call);
    // This call began it before anything was awaited, so it belongs to this gate.
    const [refresh] = begun;
    const reply = await filling;
    await refresh;
    return reply;
  };
}

/** A second gate of the ledger, as after a restart, takes orders in turn with the first. */
export async function stepGates(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  if (account.frozen || refuseKey(key, 'trade')) return;
  const gates = [ledgerGate(), env.LEDGER_GATE.getByName('a gate of before')];
  for (let turns = 2 + draw.below(4); turns > 0; turns -= 1) {
    const request: Post = { operation: 'placeOrder', body: drawOrder(world, draw, account), idempotencyKey: null };
    const { answers } = await predictFresh(world, account, request);
    const call = handOver(key.trader, PlaceOrder.parse(request.body));
    const reply = await draw.pick(gates).placeOrder(call);
    const moved = (await world.observe()).map(withoutReference);
    if (reply.kind === 'committed') {
      must(noteEffect(world, answers, moved), 'a gate moved', moved, 'instead of', answers, world.market.describe());
      world.model.orders.set(call.orderId, account.id);
      world.count('faults', 'two_gates');
    } else {
      must(reply.kind === 'refused' && moved.length === 0, 'a gate answered', reply, moved);
      const { code } = reply.refusal;
      must(
        answers.some((one) => one.code === code),
        'a gate refused with',
        reply.refusal,
        'instead of',
        answers,
      );
    }
    world.moveClock(draw.below(1_500));
  }
}
