import { eq } from 'drizzle-orm';
import { digestAddress, inviteHolder } from '../../../src/accounts/invite-holder.ts';
import { type Actor, insertAudit } from '../../../src/db/audit.ts';
import { ledgerOf } from '../../../src/db/database.ts';
import { ledgerNumberOf } from '../../../src/db/record-id.ts';
import { accounts } from '../../../src/db/schema.ts';
import { propose } from '../../../src/operator/proposals.ts';
import { env } from '../runtime/test-env.ts';

export function addressOf(accountId: string): string {
  return `${accountId}@customers.test`;
}

/** Has two people invite the holder of an account, as the approval of a proposal does. */
export async function inviteByTwo(accountId: string): Promise<void> {
  const email = addressOf(accountId);
  const database = ledgerOf(env, accountId);
  const now_ms = Date.now();
  const request = {
    method: 'POST',
    path: `/operator/v1/accounts/${accountId}/invitation`,
    body: JSON.stringify({ email }),
  };
  const proposed = await propose(database, ledgerNumberOf(accountId), request, 'open_accounts', {
    role: 'operator',
    now_ms,
  });
  if (!proposed.ok) throw new Error(proposed.detail);
  const { id, digest } = proposed.value;
  const actor: Actor = { role: 'admin', email: 'second@bureau.test', now_ms, proposal: { id, digest } };
  const invited = await inviteHolder(database, accountId, email, actor);
  if (!invited.ok) throw new Error(invited.detail);
}

/** Gives an account a holder, who is nowhere signed in. */
export async function giveHolder(accountId: string): Promise<void> {
  await inviteByTwo(accountId);
  const database = ledgerOf(env, accountId);
  const actor: Actor = { role: 'holder', now_ms: Date.now() };
  const address = await digestAddress(addressOf(accountId));
  await database.batch([
    insertAudit(database, actor, 'become_holder', accountId, { address }),
    database
      .update(accounts)
      .set({ holder: `holder of ${accountId}` })
      .where(eq(accounts.id, accountId)),
  ]);
}

export async function hasHolder(accountId: string): Promise<boolean> {
  const database = ledgerOf(env, accountId);
  const [row] = await database.select({ holder: accounts.holder }).from(accounts).where(eq(accounts.id, accountId));
  return row?.holder != null;
}
