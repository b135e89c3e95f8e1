import migrations from '../../dist/schema.json';
import { tokenSettings } from '../access/authenticate.ts';
import { openAccountOnce } from '../accounts/open-account-once.ts';
import { config } from '../env.ts';
import type { Refusal } from '../http/answer.ts';
import { prepareApiKey } from '../keys/api-key.ts';
import type { Actor } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { firstLedger } from '../db/database.ts';
import { valueIn } from '../markets/value-in-usdt.ts';
import { assetSymbols } from '../money/assets.ts';
import type { Bindings } from '../platform/bindings.ts';
import { logEvent } from '../platform/log.ts';
import { creditAccount } from '../deposits/credit.ts';
import { demoFunds, demoKey } from './demo.ts';

/** Whether this isolate knows that the exchange has its database. */
let isOpen = false;

/**
 * Gives an exchange whose database is empty its tables and the demo account, so that `wrangler dev` serves it with
 * nothing done before. `npm start` and a deployment make the database themselves. Throws when D1 fails.
 */
export async function openWhenEmpty(bindings: Bindings): Promise<void> {
  if (isOpen) return;
  if (await makeTables(firstLedger(bindings).$client)) await openDemoAccount(bindings);
  isOpen = true;
}

/** Returns whether the tables were made now, and by this call. */
async function makeTables(database: D1Database): Promise<boolean> {
  if (await hasTables(database)) return false;
  const notes =
    'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, ' +
    'applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';
  try {
    // SQLite takes a text of many statements as one.
    await database.batch([
      database.prepare(notes),
      ...migrations.flatMap(({ name, text }) => [
        database.prepare(text),
        database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ]),
    ]);
    return true;
  } catch (error) {
    // Another request may have come first.
    if (await hasTables(database)) return false;
    throw error;
  }
}

async function hasTables(database: D1Database): Promise<boolean> {
  return (await database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").first()) !== null;
}

async function openDemoAccount(bindings: Bindings): Promise<void> {
  const actor: Actor = { role: 'exchange', now_ms: Date.now() };
  const opened = await openAccountOnce(bindings, { label: 'demo' }, null, actor, 0, 0);
  if (!opened.ok) return report(opened);
  const { id: accountId } = opened.value;
  for (const asset of assetSymbols) {
    const credit = { asset, amount: String(demoFunds[asset]), reference: `demo ${asset}` };
    const credited = await creditAccount(bindings, accountId, credit, valueIn(bindings), actor);
    if (!credited.ok) return report(credited);
  }
  const { id, scopes, secret } = demoKey;
  const database = firstLedger(bindings);
  const signing = { ...tokenSettings, secret };
  const { token, statements } = await prepareApiKey(database, id, accountId, { label: 'demo', scopes }, signing, actor);
  const outcome = await commit(database, statements);
  const isPublic = JSON.stringify(config.API_KEY_SECRETS).includes('sandbox-');
  if (outcome.kind === 'committed') logEvent('demo_account_opened', { accountId, ...(isPublic && { apiKey: token }) });
}

function report({ detail }: Refusal): void {
  throw new Error(`the demo account could not be opened: ${detail}`);
}
