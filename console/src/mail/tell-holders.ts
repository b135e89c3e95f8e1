import { parseAmount } from '../../../src/money/amounts.ts';
import { QUOTE_ASSET, scaleOf } from '../../../src/money/assets.ts';
import { describeError, logFault } from '../../../src/platform/log.ts';
import { type ConsoleBindings, config } from '../env.ts';
import { sendDueMails } from './mail-queue.ts';
import type { Notice } from './notice.ts';

/** More ledgers than an exchange has. */
const MAX_LEDGERS = 4_096;

/** How many times a run asks one ledger for one feed, which bounds a run. */
const MAX_TURNS = 20;

/** Deposits wait so long for others, so that a holder gets one mail an hour about them. */
const DIGEST_MS = 3_600_000;

interface QueuedMail {
  readonly accountId: string;
  readonly kind: Notice['kind'];
  readonly detail: unknown;
  readonly dueAt_ms: number;
}

/** What happened in a ledger since a number, as mails, and the number up to which that is all; `null` for no ledger. */
type ReadFeed = (
  env: ConsoleBindings,
  ledger: number,
  after: number | null,
  now_ms: number,
) => Promise<{ readonly mails: readonly QueuedMail[]; readonly last: number } | null>;

const feeds = { changes: readChanges, payments: readPayments } as const satisfies Record<string, ReadFeed>;

/**
 * Mails holders what has happened to their accounts at the exchange since the last run, which the platform starts every
 * minute, and what they could not be mailed before.
 */
export async function tellHolders(env: ConsoleBindings): Promise<void> {
  const now_ms = Date.now();
  await Promise.all((Object.keys(feeds) as (keyof typeof feeds)[]).map((feed) => queueFeed(env, feed, now_ms)));
  await sendDueMails(env, now_ms);
}

async function queueFeed(env: ConsoleBindings, feed: keyof typeof feeds, now_ms: number): Promise<void> {
  for (let ledger = 0; ledger < MAX_LEDGERS; ledger += 1) {
    try {
      if (!(await queueLedger(env, feed, ledger, now_ms))) return;
    } catch (error) {
      logFault('holders_not_told', { feed, ledger, error: describeError(error) });
    }
  }
}

/** Queues the mails of a feed of a ledger. Returns whether there is such a ledger. Throws when D1 fails. */
async function queueLedger(
  env: ConsoleBindings,
  feed: keyof typeof feeds,
  ledger: number,
  now_ms: number,
): Promise<boolean> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const after = await env.IDENTITY.prepare('SELECT last FROM told WHERE ledger = ? AND feed = ?')
      .bind(ledger, feed)
      .first<number>('last');
    const read = await feeds[feed](env, ledger, after, now_ms);
    if (read === null) return false;
    const { mails, last } = read;
    if (last === after) return true;
    // Both or neither, and once: of two runs at the same time one finds that the other has queued them.
    await env.IDENTITY.batch([
      env.IDENTITY.prepare(
        `INSERT INTO mails (user_id, kind, detail, made_at, due_at)
         SELECT users.id, mail.value ->> 'kind', mail.value ->> 'detail', ?4, mail.value ->> 'dueAt_ms'
         FROM json_each(?5) AS mail JOIN users ON users.account_id = mail.value ->> 'accountId'
         WHERE (SELECT last FROM told WHERE ledger = ?1 AND feed = ?2) IS ?3
         ORDER BY mail.key`,
      ).bind(ledger, feed, after, now_ms, JSON.stringify(mails)),
      env.IDENTITY.prepare(
        `INSERT INTO told (ledger, feed, last) VALUES (?1, ?2, ?4)
         ON CONFLICT DO UPDATE SET last = excluded.last WHERE told.last IS ?3`,
      ).bind(ledger, feed, after, last),
    ]);
  }
  return true;
}

async function readChanges(env: ConsoleBindings, ledger: number, after: number | null, now_ms: number) {
  const read = await env.HOLDERS.listNotices(ledger, after);
  if (!read.ok) throw new Error(read.code);
  if (read.value === null) return null;
  const { notices, last } = read.value;
  const mails = notices.map(({ accountId, action, ts_ms }): QueuedMail => {
    const detail = { action, time: new Date(ts_ms).toISOString() };
    return { accountId, kind: 'changed', detail, dueAt_ms: now_ms };
  });
  return { mails, last };
}

const usdt = (text: string) => parseAmount(text, scaleOf(QUOTE_ASSET)) ?? 0n;

async function readPayments(env: ConsoleBindings, ledger: number, after: number | null, now_ms: number) {
  const read = await env.HOLDERS.listPayments(ledger, after);
  if (!read.ok) throw new Error(read.code);
  if (read.value === null) return null;
  const { payments, last } = read.value;
  const minimum = usdt(config.DEPOSIT_MAIL_MINIMUM);
  const mails = payments
    .filter(({ kind, usdValue }) => kind !== 'deposit' || usdt(usdValue) >= minimum)
    .map(({ kind, accountId, ts_ms, asset, amount, address, network, note }): QueuedMail => {
      const detail = { time: new Date(ts_ms).toISOString(), asset, amount };
      return kind === 'deposit'
        ? { accountId, kind: 'deposits', detail, dueAt_ms: now_ms + DIGEST_MS }
        : { accountId, kind, detail: { ...detail, address, network, note }, dueAt_ms: now_ms };
    });
  return { mails, last };
}
