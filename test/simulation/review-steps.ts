import { queryAll } from '../support/db/open-in-ledger.ts';
import type { Draw } from '../support/draw.ts';
import type { ModelWithdrawal } from './model.ts';
import { must } from './must.ts';
import { isAcross } from './between-ledgers.ts';
import { operate } from './operate.ts';
import type { World } from './world.ts';

export async function stepReview(world: World, draw: Draw): Promise<void> {
  const [pending, stuck] = [world.withdrawalsIn('PENDING'), world.withdrawalsIn('PROCESSING')];
  if (pending.length > 0 && draw.happens(0.7)) {
    const withdrawal = draw.pick(pending.slice(0, 5));
    const verb = draw.pick(['approve', 'approve', 'reject']);
    const refused = verb === 'approve' ? await refuseApproval(world, withdrawal) : null;
    if (refused) {
      const path = `/accounts/${withdrawal.accountId}/withdrawals/${withdrawal.id}/approve`;
      const { answer } = await operate(world, 'POST', path, { reason: 'simulated' });
      world.count('faults', `approval_${refused}`);
      must(answer.body['code'] === refused, 'an approval was answered', answer, 'instead of', refused);
      must((await world.observe()).length === 0, 'a refused approval moved money', withdrawal);
      return;
    }
    if (verb === 'approve' && (withdrawal.recipient === null || isAcross(withdrawal))) {
      withdrawal.status = 'PROCESSING';
      world.model.tell(withdrawal.accountId, 'withdrawal.processing', withdrawal.id);
    } else world.decided.add(withdrawal.id);
    await end(world, withdrawal, verb, { reason: 'simulated' });
    return;
  }
  if (stuck.length === 0) return;
  const withdrawal = draw.pick(stuck.slice(0, 5));
  if (isAcross(withdrawal)) {
    const path = `/accounts/${withdrawal.accountId}/withdrawals/${withdrawal.id}/settle`;
    const { answer, moved } = await operate(world, 'POST', path, { outcome: 'failed', reason: 'simulated' });
    must(answer.body['code'] === 'invalid_state' && moved.length === 0, 'settled by hand', answer, moved);
    return;
  }
  // The operator first asks the custodian, and tells it not to pay an unpaid one any more.
  const found = world.custodian.find(withdrawal.id);
  if (found?.status === 'sent') {
    await end(world, withdrawal, 'settle', { outcome: 'paid', txHash: found.txHash, reason: 'simulated' });
  } else {
    world.custodian.decide(withdrawal.id, 'refuse');
    await end(world, withdrawal, 'settle', { outcome: 'failed', reason: 'simulated' });
  }
}

/** The refusal of an approval, if any; the row names the key that requested it. */
async function refuseApproval(world: World, { id, accountId, network, address }: ModelWithdrawal) {
  const { model, now_ms } = world;
  const account = model.account(accountId);
  const [row] = await queryAll<{ key_id: string }>('SELECT key_id FROM withdrawals WHERE id = ?', id);
  const key = account?.keys.find(({ trader }) => trader.keyId === row?.key_id);
  must(account !== undefined && key !== undefined, 'a withdrawal of no key', id, row);
  if (account.frozen) return 'account_frozen';
  if (model.settings.withdrawalsHalted || model.settings.pausedNetworks.includes(network))
    return 'withdrawals_suspended';
  if (key.revoked) return 'invalid_state';
  const from_ms = account.approved.get(`${network} ${address}`) ?? Infinity;
  return model.settings.allowlistMode === 'strict' && from_ms > now_ms ? 'address_not_allowlisted' : null;
}

async function end(world: World, { id, accountId }: { id: string; accountId: string }, verb: string, body: object) {
  const { answer } = await operate(world, 'POST', `/accounts/${accountId}/withdrawals/${id}/${verb}`, body);
  const status = world.model.withdrawals.get(id)?.status;
  must(answer.status === 200, 'answered', answer);
  must((answer.body['withdrawal'] as { status: string }).status === status, 'answered', answer, status);
  world.decided.clear();
}
