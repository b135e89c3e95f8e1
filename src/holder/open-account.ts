import { accountNotFound, prepareAccount, readAccount } from '../accounts/account.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import type { Actor } from '../ledger/audit.ts';
import { commit } from '../ledger/commit.ts';
import { ledgerOf } from '../ledger/ledgers.ts';
import { chooseLedger } from '../ledger/opening-weights.ts';
import { newRecordId } from '../ledger/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';

/** What an account is labelled that somebody opened by themselves. */
const LABEL = 'opened by its holder';

const unconfirmed = refuse('service_unavailable', 'It is not known whether the account was opened. Try again.', {
  retryAfterSeconds: 1,
});

/**
 * Opens an account for somebody whom the console is about to sign in for the first time; the operator's settings and limits
 * hold for it as for every account. Its ledger is drawn by the weights of the settings; `random` is from 0 to below 1. Refuses with `service_unavailable` when the outcome is unknown: an account that was
 * opened all the same stays empty and without a holder. Throws when D1 cannot be read.
 */
export async function openOwnAccount(
  bindings: Bindings,
  now_ms: number,
  random: number,
): Promise<Outcome<{ readonly accountId: string }>> {
  const actor: Actor = { role: 'holder', now_ms };
  const accountId = newRecordId(now_ms, await chooseLedger(bindings, random));
  const prepared = await prepareAccount(bindings, accountId, { label: LABEL }, actor);
  if (!prepared.ok) return prepared;
  const database = ledgerOf(bindings, accountId);
  const outcome = await commit(database, prepared.value);
  if (outcome.kind !== 'committed') return unconfirmed;
  return (await readAccount(database, accountId)) ? accept({ accountId }) : accountNotFound;
}
