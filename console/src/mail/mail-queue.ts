import { describeError, logFault } from '../../../src/platform/log.ts';
import type { ConsoleBindings } from '../env.ts';
import { makeFreezeLink } from '../identity/freeze-link.ts';
import type { User } from '../identity/user.ts';
import { sendMail } from './mails.ts';
import { type Notice, type Payment, addFreezeLink, writeNotice } from './notice.ts';

/**
 * The mails that tell holders of something. Each mailbox has a progress of its own: one that refuses mails, or hangs,
 * holds up no other. A mail is sent again until the platform takes it, after longer and longer pauses, for a day; a crash
 * between sending and noting that sends it twice.
 */

/** To how many mailboxes one run sends, how many mails to each, and to how many at once. */
const MAILBOXES = 200;
const MAILS_OF_MAILBOX = 10;
const AT_ONCE = 10;

/** The most deposits that one mail is about. */
const DEPOSITS_OF_DIGEST = 1_000;

/** For how long a mailbox belongs to the run that sends to it. */
const LEASE_MS = 300_000;

/** The pause after a failure; it doubles with each in a row. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 4 * 3_600_000;

/** A mail that cannot be sent for so long is given up. */
const GIVE_UP_MS = 86_400_000;

/** The pause after so many failures in a row. */
function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/** Tells a holder of something: at once, or as soon as their mailbox takes it. Throws when D1 fails. */
export async function tellUser(env: ConsoleBindings, user: User, notice: Notice): Promise<void> {
  const now_ms = Date.now();
  await env.IDENTITY.prepare('INSERT INTO mails (user_id, kind, detail, made_at, due_at) VALUES (?1, ?2, ?3, ?4, ?4)')
    .bind(user.id, notice.kind, JSON.stringify(notice.detail), now_ms)
    .run();
  await sendDueMails(env, now_ms, user);
}

interface MailboxRow {
  readonly user_id: string;
  readonly failures: number;
  readonly email: string;
  readonly account_id: string;
}

interface MailRow {
  readonly id: number;
  readonly kind: Notice['kind'];
  /** The detail of the notice as JSON; of a deposit, the deposit. */
  readonly detail: string;
}

/** Sends the mails that are due, of one holder or of all whose mailbox does not wait. Throws when D1 cannot be read. */
export async function sendDueMails(env: ConsoleBindings, now_ms: number, user?: User): Promise<void> {
  const { results: claimed } = await env.IDENTITY.prepare(
    `INSERT INTO mailboxes (user_id, failures, wait_until)
     SELECT user_id, 0, ?1 FROM mails
     WHERE due_at <= ?2 AND (?3 IS NULL OR user_id = ?3)
       AND NOT EXISTS (SELECT 1 FROM mailboxes WHERE mailboxes.user_id = mails.user_id AND wait_until > ?2)
     GROUP BY user_id ORDER BY min(due_at) LIMIT ?4
     ON CONFLICT DO UPDATE SET wait_until = excluded.wait_until
     RETURNING user_id, failures,
       (SELECT email FROM users WHERE id = user_id) AS email, (SELECT account_id FROM users WHERE id = user_id) AS account_id`,
  )
    .bind(now_ms + LEASE_MS, now_ms, user?.id ?? null, MAILBOXES)
    .all<MailboxRow>();
  for (let at = 0; at < claimed.length; at += AT_ONCE) {
    const turn = claimed.slice(at, at + AT_ONCE).map((mailbox) =>
      sendTo(env, mailbox, now_ms).catch((error: unknown) => {
        logFault('mails_not_sent', { userId: mailbox.user_id, error: describeError(error) });
      }),
    );
    await Promise.all(turn);
  }
}

/** Sends what is due to one mailbox, oldest first, up to the first that it does not take. Throws when D1 fails. */
async function sendTo(env: ConsoleBindings, mailbox: MailboxRow, now_ms: number): Promise<void> {
  const { user_id: userId, email } = mailbox;
  const { results: due } = await env.IDENTITY.prepare(
    'SELECT id, kind, detail FROM mails WHERE user_id = ? AND due_at <= ? ORDER BY id LIMIT ?',
  )
    .bind(userId, now_ms, MAILS_OF_MAILBOX)
    .all<MailRow>();
  const isDigest = due.some(({ kind }) => kind === 'deposits');
  for (const { id, kind, detail } of due.filter((mail) => mail.kind !== 'deposits')) {
    const notice = { kind, detail: JSON.parse(detail) } as Notice;
    if (!(await send(env, userId, email, notice, now_ms))) return fail(env, mailbox, now_ms);
    await forget(env, [id]);
  }
  if (isDigest && !(await sendDigest(env, userId, email, now_ms))) return fail(env, mailbox, now_ms);
  await env.IDENTITY.prepare('DELETE FROM mailboxes WHERE user_id = ?').bind(userId).run();
}

/** Sends one mail about all deposits that wait, also those that are not due yet. Returns whether it was taken. */
async function sendDigest(env: ConsoleBindings, userId: string, email: string, now_ms: number): Promise<boolean> {
  const { results } = await env.IDENTITY.prepare(
    "SELECT id, detail FROM mails WHERE user_id = ? AND kind = 'deposits' ORDER BY id LIMIT ?",
  )
    .bind(userId, DEPOSITS_OF_DIGEST)
    .all<Pick<MailRow, 'id' | 'detail'>>();
  const deposits = results.map(({ detail }) => JSON.parse(detail) as Payment);
  const isSent = await send(env, userId, email, { kind: 'deposits', detail: { deposits } }, now_ms);
  if (isSent)
    await forget(
      env,
      results.map(({ id }) => id),
    );
  return isSent;
}

async function send(
  env: ConsoleBindings,
  userId: string,
  email: string,
  notice: Notice,
  now_ms: number,
): Promise<boolean> {
  const letter = writeNotice(notice);
  const secret = await makeFreezeLink(env.IDENTITY, userId, letter.subject, now_ms);
  return sendMail(env, email, addFreezeLink(letter, secret));
}

/** Deletes mails that were sent. */
async function forget(env: ConsoleBindings, ids: readonly number[]): Promise<void> {
  await env.IDENTITY.prepare('DELETE FROM mails WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .run();
}

/** Has a mailbox that failed wait, and gives up what it has not taken for a day: the operator is told. */
async function fail(
  env: ConsoleBindings,
  { user_id, account_id, failures }: MailboxRow,
  now_ms: number,
): Promise<void> {
  const wait = env.IDENTITY.prepare('UPDATE mailboxes SET failures = ?, wait_until = ? WHERE user_id = ?').bind(
    failures + 1,
    now_ms + pauseAfter(failures + 1),
    user_id,
  );
  await wait.run();
  const old_ms = now_ms - GIVE_UP_MS;
  const count = await env.IDENTITY.prepare('SELECT count(*) AS n FROM mails WHERE user_id = ? AND made_at <= ?')
    .bind(user_id, old_ms)
    .first<number>('n');
  if (!count) return;
  const noted = await env.HOLDERS.noteUndelivered(account_id, count);
  if (!noted.ok) throw new Error(noted.code);
  await env.IDENTITY.prepare('DELETE FROM mails WHERE user_id = ? AND made_at <= ?').bind(user_id, old_ms).run();
}
