import type { Draw } from './draw.ts';
import { must } from './model.ts';
import { operate } from './operate.ts';
import type { World } from './world.ts';

/** The operator's word on a withdrawal that waits for it, or is stuck. */
export async function stepReview(world: World, draw: Draw): Promise<void> {
  const [pending, stuck] = [world.withdrawalsIn('PENDING'), world.withdrawalsIn('PROCESSING')];
  if (pending.length > 0 && draw.chance(0.7)) {
    const withdrawal = draw.pick(pending.slice(0, 5));
    const verb = draw.pick(['approve', 'approve', 'reject']);
    if (verb === 'approve' && withdrawal.recipient === null) withdrawal.status = 'PROCESSING';
    else world.decided.add(withdrawal.id);
    await end(world, withdrawal, verb, { reason: 'simulated' });
    return;
  }
  if (stuck.length === 0) return;
  const withdrawal = draw.pick(stuck.slice(0, 5));
  // The operator asks the custodian first, and tells it not to pay what it has not.
  const found = world.custodian.find(withdrawal.id);
  if (found?.status === 'sent') {
    await end(world, withdrawal, 'settle', { outcome: 'paid', txHash: found.txHash, reason: 'simulated' });
  } else {
    world.custodian.decide(withdrawal.id, 'refuse');
    await end(world, withdrawal, 'settle', { outcome: 'failed', reason: 'simulated' });
  }
}

async function end(world: World, { id, accountId }: { id: string; accountId: string }, verb: string, body: object) {
  const { answer } = await operate(world, 'POST', `/accounts/${accountId}/withdrawals/${id}/${verb}`, body);
  const status = world.model.withdrawals.get(id)?.status;
  must(answer.status === 200, 'answered', answer);
  must((answer.body['withdrawal'] as { status: string }).status === status, 'answered', answer, status);
  world.decided.clear();
}
