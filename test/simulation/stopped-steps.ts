import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { drawCode, drawKey } from './client-steps.ts';
import type { Draw } from '../support/draw.ts';
import { execute } from './execute.ts';
import { areApart } from './house-of.ts';
import { failDatabase } from './inject-faults.ts';
import type { ModelAccount } from './model.ts';
import { succeed } from './operate.ts';
import { stepSchedule } from './upkeep-steps.ts';
import { isAcross } from './between-ledgers.ts';
import type { World } from './world.ts';

const peerIsDown = failDatabase('deposit', true).filter(({ name }) => name === 'd1_down_before_deposit');

/**
 * A withdrawal to another ledger that does not answer, and then a freeze of the account: the keepers must not pay it.
 * World notices when one is paid while it is stopped.
 */
export async function stepStopped(world: World, draw: Draw): Promise<void> {
  if (ledgersUnderTest.length === 1) return;
  const { account, key } = drawKey(world, draw);
  const other = draw.pick(world.model.accounts.filter((one) => areApart(one.id, account.id)));
  const address = other.addresses['TRC20'] ?? '';
  const body = { asset: 'USDT', network: 'TRC20', amount: '12', address, ...(await drawCode(world, draw, account)) };
  const request = { operation: 'createWithdrawal', body, idempotencyKey: null } as const;
  await execute(world, account, key, request, draw.pick(peerIsDown));
  const isOpen = world
    .withdrawalsIn('PROCESSING')
    .some((one) => one.accountId === account.id && isAcross(one) && one.isDelivered !== true);
  if (!isOpen || account.frozen) return;
  await setFrozen(world, account, true);
  await stepSchedule(world, draw);
  await setFrozen(world, account, false);
  world.count('faults', 'frozen_before_delivery');
}

async function setFrozen(world: World, account: ModelAccount, frozen: boolean): Promise<void> {
  account.frozen = frozen;
  world.model.tellStatus(account, frozen);
  await succeed(world, 'PATCH', `/accounts/${account.id}`, { status: frozen ? 'frozen' : 'active' });
}
