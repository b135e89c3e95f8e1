import { eq } from 'drizzle-orm';
import { laneUnreachable } from '../access/admit.ts';
import { tokenSettings } from '../access/authenticate.ts';
import { accountNotFound } from '../accounts/account.ts';
import { digestAddress } from '../accounts/invite-holder.ts';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { MAX_SESSIONS, listLiveSessionIds, prepareSession } from '../keys/session-key.ts';
import { letOrdersEnd } from '../orders/place-order.ts';
import { revokeInLane } from '../lane/tell-lanes.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { type Database, findLedger } from '../db/database.ts';
import { ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import { accounts } from '../db/schema.ts';
import type { Bindings } from '../platform/bindings.ts';
import { type SessionLevel, scopesOf } from './session.ts';

/** Two sign-ins at once may both find room for one session. */
const MAX_ATTEMPTS = 3;

/** Who signs in, and for which account. */
export interface OpenSessionCall {
  readonly accountId: string;
  /** The id by which the console knows the person. The first one to sign in for an account is its holder for good. */
  readonly holder: string;
  /** The address, in lower case, whose mails they have shown that they read. The first one must be invited by it. */
  readonly email: string;
  readonly level: SessionLevel;
  /** The browser, as it names itself, when the holder has not signed in with it before; else `null`. */
  readonly newBrowser: string | null;
  /** Where the sign-in came from, in words; `null` where it is not known. */
  readonly place: string | null;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** The session's token; only a hash of it is stored. */
  readonly token: string;
  readonly expiresAt_ms: number;
  /** The oldest sessions, which ended to make room. */
  readonly ended: readonly string[];
}

const anothersAccount = refuse('invalid_state', 'The account has a holder, who is somebody else.');

const notInvited = refuse('invalid_state', 'The account has no holder yet, and nobody is invited by this address.');

const unconfirmed = refuseUnconfirmed('The sign-in was not confirmed. Try again.');

/**
 * Opens a session for an account's holder, and makes the first one to sign in its holder, who must be invited. At most
 * five are live: the oldest ends for a sixth. Refuses with `not_found`, with `invalid_state` when somebody else is the
 * holder or was invited, and with `service_unavailable` when it is not known whether the session was opened. Throws
 * when D1 cannot be read.
 */
export async function openSession(
  bindings: Bindings,
  call: OpenSessionCall,
  now_ms: number,
): Promise<Outcome<OpenedSession>> {
  const { accountId, holder } = call;
  const database = findLedger(bindings, accountId);
  if (!database) return accountNotFound;
  const [account] = await database.select({ holder: accounts.holder }).from(accounts).where(eq(accounts.id, accountId));
  if (!account) return accountNotFound;
  if (account.holder !== null && account.holder !== holder) return anothersAccount;
  // One that is opened may end an older one, and with it the key of an order that waits for its price.
  await letOrdersEnd(bindings, accountId);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { outcome, opened } = await tryToOpen(database, call, account.holder === null, now_ms);
    if (outcome.kind === 'committed') {
      const told = await Promise.all(opened.ended.map((id) => revokeInLane(bindings, accountId, id, now_ms)));
      return told.every(Boolean) ? accept(opened) : laneUnreachable;
    }
    if (outcome.kind !== 'guarded') return unconfirmed;
    if (outcome.guard === 'account_has_holder') return anothersAccount;
    if (outcome.guard === 'holder_not_invited') return notInvited;
  }
  return unconfirmed;
}

async function tryToOpen(
  database: Database,
  { accountId, holder, email, level, newBrowser, place }: OpenSessionCall,
  isFirst: boolean,
  now_ms: number,
): Promise<{ readonly outcome: CommitOutcome; readonly opened: OpenedSession }> {
  const actor: Actor = { role: 'holder', now_ms };
  const live = await listLiveSessionIds(database, accountId, now_ms);
  const ended = live.slice(0, Math.max(0, live.length - MAX_SESSIONS + 1));
  const sessionId = newRecordId(now_ms, ledgerNumberOf(accountId));
  const wanted = { id: sessionId, accountId, scopes: scopesOf[level], newBrowser, place };
  const { token, expiresAt_ms, statements } = await prepareSession(database, wanted, ended, tokenSettings, actor);
  const taking = [
    insertAudit(database, actor, 'become_holder', accountId, { address: await digestAddress(email) }),
    database.update(accounts).set({ holder }).where(eq(accounts.id, accountId)),
  ] as const;
  const outcome = await commit(database, isFirst ? [...taking, ...statements] : statements);
  return { outcome, opened: { sessionId, token, expiresAt_ms, ended } };
}
