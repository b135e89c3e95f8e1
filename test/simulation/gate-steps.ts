import { PlaceOrder } from '../../src/orders/terms.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { gateOfBefore, handOver, ledgerGate, readOrderTerms } from '../support/gate.ts';
import { drawKey, drawOrder } from './client-steps.ts';
import type { Draw } from '../support/draw.ts';
import { noteEffect, predictAgain, predictFresh, refuseKey } from './execute.ts';
import type { Post } from './model.ts';
import { withoutReference } from './movement.ts';
import { must } from './must.ts';
import type { World } from './world.ts';

/** A second gate of the ledger, as after a restart, takes orders in turn with the first. */
export async function stepGates(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  if (account.frozen || refuseKey(key, 'trade')) return;
  const ledger = ledgerNumberOf(account.id);
  const gates = [ledgerGate(ledger), gateOfBefore(ledger)];
  for (let turns = 2 + draw.below(4); turns > 0; turns -= 1) {
    const request: Post = { operation: 'placeOrder', body: drawOrder(world, draw, account), idempotencyKey: null };
    const fresh = await predictFresh(world, account, request);
    const sent_ms = world.now_ms;
    const order = PlaceOrder.parse(request.body);
    const terms = readOrderTerms(order);
    if (!terms.ok) {
      // The lane refuses it before any gate.
      const isForeseen = fresh.answers.some((one) => one.code === terms.code);
      must(isForeseen, 'a lane would refuse with', terms, 'instead of', fresh.answers);
      continue;
    }
    const call = handOver(key.trader, order);
    const reply = await draw.pick(gates).placeOrder(call);
    const answers = predictAgain(world, account, request, fresh.answers, sent_ms);
    const moved = (await world.observe()).map(withoutReference);
    if (reply.kind === 'committed') {
      must(noteEffect(world, answers, moved), 'a gate moved', moved, 'instead of', answers, world.market.describe());
      world.model.orders.set(call.orderId, account.id);
      world.count('faults', 'two_gates');
    } else {
      must(reply.kind === 'refused' && moved.length === 0, 'a gate answered', reply, moved);
      const { code } = reply.refusal;
      const isForeseen = answers.some((one) => one.code === code);
      must(isForeseen, 'a gate refused with', reply.refusal, 'instead of', answers);
    }
    world.moveClock(draw.below(1_500));
  }
}
