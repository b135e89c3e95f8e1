import { reset } from 'cloudflare:test';
import { keepSettings } from '../../../src/db/copy-settings.ts';
import { FIRST_LEDGER, bindingOf } from '../../../src/db/record-id.ts';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { listLedgers } from '../../../src/db/database.ts';
import { accessCertificates } from '../../../src/operator/access-token.ts';
import { venues } from '../markets/venues.ts';
import { custodian } from '../withdrawals/custodian.ts';
import { allInFirst } from './all-in-first.ts';
import { emptyEdgeCache } from './edge-cache.ts';
import { holdLogs } from './hold-logs.ts';
import { env } from './test-env.ts';
import { sql } from '../db/sql.ts';

const ledgers = listLedgers(env).flatMap((ledger) => env[bindingOf(ledger)] ?? []);

/** The runtime sometimes keeps a database at the first attempt. */
const ATTEMPTS = 5;

async function emptyStorage(): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await reset();
    if ((await Promise.all(ledgers.map(isEmpty))).every(Boolean)) return;
  }
  throw new Error('the databases of the file before could not be emptied');
}

async function isEmpty(ledger: D1Database): Promise<boolean> {
  return (await ledger.prepare('SELECT count(*) AS tables FROM sqlite_schema').first('tables')) === 0;
}

/** SQLite takes a text of many statements as one. */
async function migrate(ledger: D1Database): Promise<void> {
  await ledger.batch(env.DATABASE_TEXTS.map((text) => ledger.prepare(text)));
}

/**
 * Opens accounts in all ledgers in turn, with equal weights, and draws that fall on one after the other. The accounts
 * of some files are all opened in the first one.
 */
async function chooseLedgers(): Promise<void> {
  const inFirst = allInFirst.some((file) => expect.getState().testPath?.endsWith(`/${file}`));
  let draws = 0;
  Math.random = () => ((inFirst ? 0 : draws++ % ledgers.length) + 0.5) / ledgers.length;
  const weights = JSON.stringify(Object.fromEntries(ledgers.map((_, ledger) => [ledger, 1])));
  await sql('UPDATE settings SET opening_weights = ?', weights).run();
}

/** What a test does to the clock and to spies ends with it. A clock that a whole file has stopped stays. */
function restoreAfterEach(): void {
  let isStopped = false;
  beforeEach(() => {
    isStopped = vi.isFakeTimers();
  });
  afterEach(() => {
    // Before the clock: a spy on a stopped one would put that back.
    vi.restoreAllMocks();
    if (!isStopped) vi.useRealTimers();
  });
}

// Another test file may have run in this runtime before. This resets the clock, spies, objects, the databases, the edge
// cache, those who play the outside, and the certificates of Access, of which each file shows its own.
holdLogs();
restoreAfterEach();
vi.restoreAllMocks();
vi.useRealTimers();
accessCertificates.forgetAll();
if (env.VENUE_SERVER !== undefined) await venues.reset();
if (env.CUSTODIAN_SERVER !== undefined) await custodian.reset();
await emptyStorage();
await emptyEdgeCache();
await Promise.all(ledgers.map(migrate));
// Several ledgers begin as an operator has them, each with a part of all limits.
await keepSettings(env, FIRST_LEDGER, Date.now());
if (env.TEST_LEDGERS === '3') await chooseLedgers();
