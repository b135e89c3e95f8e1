import { describeError, logFault } from '../../../src/platform/log.ts';
import type { ConsoleBindings } from '../env.ts';
import { findHolder } from '../identity/user.ts';
import { letters, sendMail } from './mails.ts';

/** More ledgers than an exchange has. */
const MAX_LEDGERS = 4_096;

/** How many times a run asks one ledger, which bounds a run. */
const MAX_TURNS = 20;

/**
 * Mails holders what has happened to their accounts at the exchange since the last run, which the platform starts every
 * minute. A mail that could not be sent is sent by the next run, perhaps with others of that run for a second time.
 */
export async function tellHolders(env: ConsoleBindings): Promise<void> {
  for (let ledger = 0; ledger < MAX_LEDGERS; ledger += 1) {
    try {
      if (!(await tellHoldersOf(env, ledger))) return;
    } catch (error) {
      logFault('holders_not_told', { ledger, error: describeError(error) });
    }
  }
}

/** Returns whether there is such a ledger. Throws when D1 fails. */
async function tellHoldersOf(env: ConsoleBindings, ledger: number): Promise<boolean> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const after = await env.IDENTITY.prepare('SELECT last FROM told WHERE ledger = ?')
      .bind(ledger)
      .first<number>('last');
    const read = await env.HOLDERS.listNotices(ledger, after);
    if (!read.ok) throw new Error(read.code);
    if (read.value === null) return false;
    const { notices, last } = read.value;
    for (const { accountId, action, ts_ms } of notices) {
      const holder = await findHolder(env.IDENTITY, accountId);
      const letter = letters.changed(action, new Date(ts_ms).toISOString());
      if (holder && !(await sendMail(env, holder.email, letter))) return true;
    }
    if (last === after) return true;
    await env.IDENTITY.prepare('INSERT INTO told (ledger, last) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET last = ?2')
      .bind(ledger, last)
      .run();
  }
  return true;
}
