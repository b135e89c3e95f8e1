import { digestAddress, inviteHolder } from '../accounts/invite-holder.ts';
import { openAccountOnce } from '../accounts/open-account-once.ts';
import { type Outcome, accept } from '../http/answer.ts';
import type { Actor } from '../db/audit.ts';
import { ledgerOf } from '../db/database.ts';
import type { Bindings } from '../platform/bindings.ts';

/** What an account is labelled that somebody opened by themselves. */
const LABEL = 'opened by its holder';

/**
 * Opens an account for whoever reads the mails to an address, and invites them: one for each address, however often it
 * is called and whatever is cut off. The operator's settings and limits hold for it as for every account. Its ledger is
 * drawn by the weights of the settings; `random` is from 0 to below 1. Refuses as `openAccountOnce` and `inviteHolder`
 * do. Throws when D1 cannot be read.
 */
export async function openOwnAccount(
  bindings: Bindings,
  email: string,
  now_ms: number,
  random: number,
  leastPooled: number,
): Promise<Outcome<{ readonly accountId: string }>> {
  const actor: Actor = { role: 'holder', now_ms };
  const request = { caller: 'holder', idempotencyKey: await digestAddress(email), fingerprint: 'open' };
  const opened = await openAccountOnce(bindings, { label: LABEL }, request, actor, random, leastPooled);
  if (!opened.ok) return opened;
  const accountId = opened.value.id;
  const invited = await inviteHolder(ledgerOf(bindings, accountId), accountId, email, actor);
  return invited.ok ? accept({ accountId }) : invited;
}
