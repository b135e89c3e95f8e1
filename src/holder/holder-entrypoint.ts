import { WorkerEntrypoint } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import { laneUnreachable } from '../access/admit.ts';
import { accountNotFound, changeAccount } from '../accounts/account.ts';
import { type AllowlistEntry, MAX_APPROVED, listAllowlist, removeApproval, showEntry } from '../accounts/allowlist.ts';
import { TotpCode, confirmTotp, drawTotp } from '../accounts/totp.ts';
import { config } from '../env.ts';
import { chooseLeastPooled } from '../addresses/fill-solana-pool.ts';
import { type Matter, listMatters } from '../exchange/matters.ts';
import { wakeAfterChange } from '../events/webhooks/reach-sender.ts';
import { describeFieldErrors } from '../http/field-errors.ts';
import { type Outcome, accept, refuse, refuseFields } from '../http/answer.ts';
import { type ApiKey, CreateOwnKey } from '../keys/api-key.ts';
import { letOrdersEnd } from '../orders/place-order.ts';
import { tellLanes } from '../lane/tell-lanes.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type Database, findLedger, findNumberedLedger, firstLedger } from '../db/database.ts';
import { noticeAt, readSettings } from '../db/settings.ts';
import { isDatabaseFault } from '../db/commit.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { accounts } from '../db/schema.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { ApproveAddress, approveWanted } from '../addresses/approve-wanted.ts';
import { type OwnAccount, describeOwnAccount } from './describe-account.ts';
import { endOwnSessions } from './end-session.ts';
import { openOwnAccount } from './open-account.ts';
import { type OpenSessionCall, type OpenedSession, openSession } from './open-session.ts';
import { type OwnKeyPage, listOwnKeys, makeOwnKey, revokeOwnKey } from './own-keys.ts';
import { type Notices, readNotices } from './notices.ts';
import { type Payments, readPayments } from './payments.ts';
import { type Proof, recoverAccount } from './recover.ts';
import { noteRecoveryCodes, removeOwnTotp } from './second-factor.ts';
import { type NotedEvent, type SecurityEntry, notedEvents, readSecurityLog } from './security-log.ts';
import { type Session, type SessionLevel, refuseFrozen, takeSession } from './session.ts';

const leastPooled = chooseLeastPooled(config.SOLANA_ADDRESSES).holder;

/** An account, and the id by which the console knows its holder. */
interface HeldAccount {
  readonly accountId: string;
  readonly holder: string;
}

/**
 * What only a signed-in holder may do. The console's Worker reaches it by a service binding, and nobody on the internet
 * can. Each call takes the token of a session, never an account's id, except those that open a session, freeze and tell
 * of mails: so a fault of the console cannot mix up two accounts. Bodies are checked here, as they came. Refusals are
 * values, as everywhere; every call may refuse with what `takeSession` refuses with, and with `service_unavailable`
 * when D1 fails.
 */
export class HolderEntrypoint extends WorkerEntrypoint<Bindings> {
  /** Opens an account for somebody whose address the console has checked. See `openOwnAccount`. */
  openAccount(email: string): Promise<Outcome<{ readonly accountId: string }>> {
    return answer(() => openOwnAccount(this.env, email, Date.now(), Math.random(), leastPooled));
  }

  /** Opens a session, after the console has checked who signs in. See `openSession`. */
  openSession(call: OpenSessionCall): Promise<Outcome<OpenedSession>> {
    return answer(() => openSession(this.env, call, Date.now()));
  }

  /** Ends sessions of the same account by their ids; without ids the session itself. See `endOwnSessions`. */
  endSessions(token: string, sessionIds: readonly string[] | null): Promise<Outcome<null>> {
    return this.#change(token, 'look', (session) =>
      endOwnSessions(this.env, session, sessionIds ?? [session.record.id]),
    );
  }

  /** The account beside its balances. */
  describe(token: string): Promise<Outcome<OwnAccount>> {
    const { ALLOWLIST_MODE: mode, ALLOWLIST_COOLING_HOURS: cooling_hours } = config;
    return this.#read(token, (session) => describeOwnAccount(session, { mode, cooling_hours }));
  }

  /** A page of the account's API keys, those that are not revoked first, each with its last use. See `listOwnKeys`. */
  listKeys(token: string, before: string | null): Promise<Outcome<OwnKeyPage>> {
    return this.#read(token, (session) => listOwnKeys(this.env, session, before));
  }

  /** Makes an API key with a body of `CreateOwnKey`; its token is shown once. See `makeOwnKey`. */
  makeKey(token: string, body: unknown): Promise<Outcome<{ readonly apiKey: ApiKey; readonly token: string }>> {
    return this.#withBody(token, CreateOwnKey, body, (session, wanted) => makeOwnKey(session, wanted));
  }

  /** Revokes an API key for good. See `revokeOwnKey`. */
  revokeKey(token: string, keyId: string): Promise<Outcome<ApiKey>> {
    return this.#change(token, 'act', (session) => revokeOwnKey(this.env, session, keyId));
  }

  /** Makes a secret for the second factor, which a first code confirms. Refuses with `invalid_state` where it is on. */
  drawTotp(token: string): Promise<Outcome<{ readonly secret: string; readonly otpauthUri: string }>> {
    return this.#change(token, 'act', async (session) => {
      const { account } = await describeOwnAccount(session, { mode: 'off', cooling_hours: 0 });
      const { database, accountId, actor } = session;
      return drawTotp(database, accountId, account.label, config.TOTP_SECRETS, actor);
    });
  }

  /** Switches the second factor on with a first code. Refuses as `confirmTotp` does. */
  confirmTotp(token: string, code: unknown): Promise<Outcome<null>> {
    return this.#withBody(token, TotpCode, code, ({ database, accountId, actor }, totpCode) =>
      confirmTotp(database, accountId, totpCode, config.TOTP_SECRETS, actor),
    );
  }

  /** Switches the second factor off. See `removeOwnTotp`. */
  removeTotp(token: string, code: unknown): Promise<Outcome<null>> {
    return this.#withBody(token, TotpCode.optional(), code, (session, totpCode) =>
      removeOwnTotp(session, totpCode, config.TOTP_SECRETS),
    );
  }

  /** Notes that the holder draws recovery codes, before the console does. See `noteRecoveryCodes`. */
  drawRecoveryCodes(token: string, code: unknown): Promise<Outcome<null>> {
    return this.#withBody(token, TotpCode.optional(), code, (session, totpCode) =>
      noteRecoveryCodes(session, totpCode, config.TOTP_SECRETS),
    );
  }

  /** All approved addresses, newest first. */
  listAddresses(token: string): Promise<Outcome<readonly AllowlistEntry[]>> {
    return this.#read(token, async ({ database, accountId }) =>
      (await listAllowlist(database, accountId, null, MAX_APPROVED)).map(showEntry),
    );
  }

  /**
   * Approves an address with a body of `ApproveAddress`. Refuses as `approveWanted` does, and with `account_frozen`.
   */
  approveAddress(token: string, body: unknown): Promise<Outcome<AllowlistEntry>> {
    return this.#withBody(token, ApproveAddress, body, async (session, wanted) => {
      const { database, accountId, actor } = session;
      return refuseFrozen(session) ?? approveWanted(database, accountId, wanted, config.ALLOWLIST_COOLING_HOURS, actor);
    });
  }

  /** Removes an approval at once. Refuses with `not_found`. */
  removeAddress(token: string, entryId: string): Promise<Outcome<AllowlistEntry>> {
    return this.#change(token, 'act', async ({ database, accountId, actor }) => {
      const entry = await removeApproval(database, accountId, entryId, actor);
      return entry ? accept(entry) : refuse('not_found', 'The account has no such entry.');
    });
  }

  /**
   * Freezes the holder's own account, so that orders and withdrawals of all keys are refused from the next request on.
   * Only the exchange unfreezes it. Any session may, because it only takes rights away.
   */
  freeze(token: string): Promise<Outcome<null>> {
    return this.#change(token, 'look', ({ database, accountId, actor }) => this.#freeze(database, accountId, actor));
  }

  /**
   * Freezes the account of somebody whom the console knows by a link in a mail to them, without a session. Refuses with
   * `not_found` an account that somebody else holds.
   */
  freezeFor({ accountId, holder }: HeldAccount): Promise<Outcome<null>> {
    return answer(async () => {
      const database = findLedger(this.env, accountId);
      if (!database) return accountNotFound;
      const [account] = await database
        .select({ holder: accounts.holder })
        .from(accounts)
        .where(eq(accounts.id, accountId));
      if (account?.holder !== holder) return accountNotFound;
      await letOrdersEnd(this.env, accountId);
      const frozen = await this.#freeze(database, accountId, { role: 'holder', now_ms: Date.now() });
      if (frozen.ok) this.ctx.waitUntil(wakeAfterChange(this.env, ledgerNumberOf(accountId)));
      return frozen;
    });
  }

  async #freeze(database: Database, accountId: string, actor: Actor): Promise<Outcome<null>> {
    const changed = await changeAccount(database, accountId, { status: 'frozen' }, actor);
    if (!changed.ok) return changed;
    return (await tellLanes(this.env, accountId, actor.now_ms)) ? accept(null) : laneUnreachable;
  }

  /** Holds the account for 24 hours after a recovery. See `recoverAccount`. */
  recover(
    token: string,
    proof: Proof,
  ): Promise<Outcome<{ readonly heldUntil_ms: number; readonly ended: readonly string[] }>> {
    return this.#change(token, 'look', (session) => recoverAccount(this.env, session, proof, config.TOTP_SECRETS));
  }

  /** Notes in the account's log what happened at the console alone. */
  note(token: string, event: NotedEvent, detail: Readonly<Record<string, string>>): Promise<Outcome<null>> {
    return this.#change(token, 'look', async ({ database, accountId, actor }) => {
      if (!notedEvents.includes(event)) return refuse('invalid_request', 'There is no such event.');
      await insertAudit(database, actor, event, accountId, detail);
      return accept(null);
    });
  }

  /** A page of the account's security log, newest first, from below the entry `before` on. See `readSecurityLog`. */
  listSecurityLog(token: string, before: number | null): Promise<Outcome<readonly SecurityEntry[]>> {
    return this.#read(token, ({ database, accountId }) => readSecurityLog(database, accountId, before));
  }

  /** What the exchange tells all holders now; `null` for nothing. */
  readNotice(token: string): Promise<Outcome<string | null>> {
    return this.#read(token, async () => noticeAt((await readSettings(firstLedger(this.env))).notice, Date.now()));
  }

  /**
   * What holders are to be told of by mail, for the ledger of a number, after a row of its audit. `null` when there is
   * no such ledger. It takes no session, and tells no more than accounts, actions and times. See `readNotices`.
   */
  listNotices(ledger: number, after: number | null): Promise<Outcome<Notices | null>> {
    return this.#readLedger(ledger, (database) => readNotices(database, after));
  }

  /** The same for withdrawals and deposits, after a transfer of the ledger. See `readPayments`. */
  listPayments(ledger: number, after: number | null): Promise<Outcome<Payments | null>> {
    return this.#readLedger(ledger, (database) => readPayments(database, after));
  }

  /** What stands and needs somebody of the staff, and who that is. It takes no session, and changes nothing. */
  listMatters(): Promise<Outcome<readonly Matter[]>> {
    return answer(async () => accept(await listMatters(this.env, Date.now())));
  }

  /**
   * Notes that the holder of an account could not be mailed for a day, so that the operator's events tell it. It takes no
   * session, and changes nothing else. Refuses with `not_found`.
   */
  noteUndelivered(accountId: string, mails: number): Promise<Outcome<null>> {
    return answer(async () => {
      const database = findLedger(this.env, accountId);
      if (!database) return accountNotFound;
      await insertAudit(database, { role: 'exchange', now_ms: Date.now() }, 'give_up_mails', accountId, { mails });
      this.ctx.waitUntil(wakeAfterChange(this.env, ledgerNumberOf(accountId)));
      return accept(null);
    });
  }

  #readLedger<T>(ledger: number, read: (database: Database) => Promise<T>): Promise<Outcome<T | null>> {
    return answer(async () => {
      const database = findNumberedLedger(this.env, ledger);
      return accept(database ? await read(database) : null);
    });
  }

  #read<T>(token: string, read: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    return this.#withSession(token, 'look', async (session) => accept(await read(session)));
  }

  /**
   * A call that changes something, such as by revoking a key: the account's orders end before it. Who is told of it is
   * woken, beside the answer.
   */
  #change<T>(token: string, level: SessionLevel, act: (session: Session) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.#withSession(token, level, async (session) => {
      await letOrdersEnd(this.env, session.accountId);
      const changed = await act(session);
      if (changed.ok) this.ctx.waitUntil(wakeAfterChange(this.env, session.ledger));
      return changed;
    });
  }

  #withSession<T>(
    token: string,
    level: SessionLevel,
    act: (session: Session) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    return answer(async () => {
      const session = await takeSession(this.env, token, level, Date.now());
      return session.ok ? act(session.value) : session;
    });
  }

  /** A change with a body, which needs a passkey's session. Refuses with `invalid_request`. */
  #withBody<Body extends z.ZodType, T>(
    token: string,
    schema: Body,
    body: unknown,
    act: (session: Session, body: z.output<Body>) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    return this.#change(token, 'act', async (session) => {
      const parsed = schema.safeParse(body);
      if (parsed.success) return act(session, parsed.data);
      return refuseFields(describeFieldErrors(parsed.error, { target: 'json', data: body }));
    });
  }
}

/** What a call answers; a fault becomes the refusal that the API would give, since an exception would lose it. */
async function answer<T>(act: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await act();
  } catch (error) {
    logFault('holder_call_failed', { error: describeError(error) });
    if (isDatabaseFault(error)) return laneUnreachable;
    return refuse('internal_error', 'Something went wrong here. It was recorded.');
  }
}

/** The calls of the entrypoint, as a Worker with a service binding to it makes them. */
export type HolderCalls = Omit<HolderEntrypoint, keyof WorkerEntrypoint>;
