import { eq, isNull, sql } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type Actor, insertAudit } from './audit.ts';
import { commit } from './commit.ts';
import { type Database, firstLedger, listLedgers, openLedger } from './database.ts';
import { FIRST_LEDGER } from './record-id.ts';
import { columnsOf, settings, violations } from './schema.ts';
import { lowerFloors, settleShares, shareWithNew } from './shares/keep-shares.ts';

/**
 * The settings of ledger 0 are the exchange's. Each other ledger has a copy, which its gate and its triggers read; with
 * it goes whether two people are admins, since only ledger 0 has the staff. These functions make the copies: after a
 * change by the operator, and every minute by the keepers, which finish what failed.
 */

/**
 * Gives new ledgers their shares of the limits, writes the settings of ledger 0 to all other ledgers whose copy
 * differs, and then brings all floors to the shares. Returns whether they are. Throws unless each write is confirmed.
 */
export async function copySettingsToAll(bindings: LedgerBindings, now_ms: number): Promise<boolean> {
  const ledgers = listLedgers(bindings);
  const others = ledgers.filter((ledger) => ledger !== FIRST_LEDGER);
  if (others.length === 0) return true;
  await shareWithNew(bindings, now_ms);
  const original = await readRow(firstLedger(bindings));
  await Promise.all(others.map((ledger) => copyTo(openLedger(bindings, ledger), ledger, original, now_ms)));
  return settleShares(bindings, ledgers, now_ms);
}

/**
 * What a ledger's keeper does about settings. If a violation of its own ledger is not cleared, it halts the whole
 * exchange; then, or as the keeper of ledger 0, it brings all copies up to date, else its own. Throws unless each write
 * is confirmed.
 */
export async function keepSettings(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  if (listLedgers(bindings).length === 1) return;
  if (ledger === FIRST_LEDGER) {
    await copySettingsToAll(bindings, now_ms);
    return;
  }
  const database = openLedger(bindings, ledger);
  if (await haltForViolation(bindings, database, ledger, now_ms)) await copySettingsToAll(bindings, now_ms);
  else await copyTo(database, ledger, await readRow(firstLedger(bindings)), now_ms);
  await settleShares(bindings, [ledger], now_ms);
}

/** The numbers of the ledgers that have a violation which is not cleared. Throws when D1 fails. */
export async function listBrokenLedgers(bindings: LedgerBindings): Promise<number[]> {
  const ledgers = listLedgers(bindings);
  const standing = await Promise.all(ledgers.map((ledger) => findViolation(openLedger(bindings, ledger))));
  return ledgers.filter((_, position) => standing[position] !== undefined);
}

/** Whether two people are admins: by the staff in ledger 0, and by the copy in every other ledger. */
const hasTwoAdmins = sql<boolean>`EXISTS (SELECT 1 FROM two_admins)`.mapWith(Boolean);

const readRow = async (database: Database) => {
  const [row] = await database.select({ ...columnsOf(settings), hasTwoAdmins }).from(settings);
  if (!row) throw new Error('the settings row is missing');
  return row;
};

type SettingsRow = Awaited<ReturnType<typeof readRow>>;

/** Whether a copy lacks something of the original. A halt that only the copy has is no difference of itself. */
function isBehind(copy: SettingsRow, original: SettingsRow): boolean {
  const { tradingHalted, withdrawalsHalted, reviewThreshold, ledger: _ledger, ...texts } = original;
  return (
    (tradingHalted && !copy.tradingHalted) ||
    (withdrawalsHalted && !copy.withdrawalsHalted) ||
    copy.reviewThreshold !== reviewThreshold ||
    Object.entries(texts).some(([name, value]) => copy[name as keyof typeof texts] !== value)
  );
}

/**
 * Brings a ledger's copy up to date. A halt is copied whenever the original has it. It is lifted only by a later change
 * than the copy knows, and never while the ledger has a violation that is not cleared. A new database takes its number
 * first.
 */
async function copyTo(database: Database, number: number, original: SettingsRow, now_ms: number): Promise<void> {
  const copy = await readRow(database);
  if (copy.ledger !== number) await numberLedger(database, number, now_ms);
  if (!isBehind(copy, original) || copy.revision > original.revision) return;
  const { tradingHalted, withdrawalsHalted, revision, ledger: _ledger, ...others } = original;
  const isKept = sql`(${settings.revision} = ${revision}
    OR EXISTS (SELECT 1 FROM ${violations} WHERE ${isNull(violations.clearedAt)}))`;
  const actor: Actor = { role: 'reconciliation', now_ms };
  const outcome = await commit(database, [
    insertAudit(database, actor, 'copy_settings', 'settings', { revision, tradingHalted, withdrawalsHalted }),
    database
      .update(settings)
      .set({
        ...others,
        revision,
        tradingHalted: tradingHalted || sql`CASE WHEN ${isKept} THEN ${settings.tradingHalted} ELSE 0 END`,
        withdrawalsHalted: withdrawalsHalted || sql`CASE WHEN ${isKept} THEN ${settings.withdrawalsHalted} ELSE 0 END`,
      })
      .where(eq(settings.id, 1)),
    lowerFloors(database),
  ]);
  // A later change was copied meanwhile.
  if (outcome.kind === 'guarded' && outcome.guard === 'settings_overtaken') return;
  if (outcome.kind !== 'committed') throw new Error(`settings were not copied: ${outcome.kind}`);
}

/** Halts ledger 0, and so the exchange, while another ledger has a violation. Returns whether it did so just now. */
async function haltForViolation(
  bindings: LedgerBindings,
  database: Database,
  ledger: number,
  now_ms: number,
): Promise<boolean> {
  const violation = await findViolation(database);
  if (!violation) return false;
  const first = firstLedger(bindings);
  const { tradingHalted, withdrawalsHalted } = await readRow(first);
  if (tradingHalted && withdrawalsHalted) return false;
  const actor: Actor = { role: 'reconciliation', now_ms };
  const outcome = await commit(first, [
    insertAudit(first, actor, 'halt', violation.id, { invariant: violation.invariant, ledger }),
    first.update(settings).set({ tradingHalted: true, withdrawalsHalted: true }).where(eq(settings.id, 1)),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`the exchange was not halted: ${outcome.kind}`);
  return true;
}

/**
 * Halts something in the whole exchange: in ledger 0, with a row of the audit that says why, and then in the copies. What is
 * halted already stays as it is. Throws unless the write is confirmed; copies that fail are made by the keepers.
 */
export async function haltExchange(
  bindings: LedgerBindings,
  halts: { readonly tradingHalted: true } | { readonly hedgingHalted: true },
  target: string,
  detail: Readonly<Record<string, unknown>>,
  now_ms: number,
): Promise<void> {
  const first = firstLedger(bindings);
  const original = await readRow(first);
  if (Object.keys(halts).every((name) => original[name as 'tradingHalted' | 'hedgingHalted'])) return;
  const halted = { ...halts, revision: sql`${settings.revision} + 1` };
  const outcome = await commit(first, [
    insertAudit(first, { role: 'exchange', now_ms }, 'halt', target, detail),
    first.update(settings).set(halted).where(eq(settings.id, 1)),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`the exchange was not halted: ${outcome.kind}`);
  await copySettingsToAll(bindings, now_ms);
}

async function findViolation(database: Database) {
  const [violation] = await database
    .select({ id: violations.id, invariant: violations.invariant })
    .from(violations)
    .where(isNull(violations.clearedAt))
    .orderBy(violations.id)
    .limit(1);
  return violation;
}

/**
 * Tells a new database which ledger it is. Its shares of the supply caps and exposures, which the migrations gave it as
 * if it were ledger 0, are then nothing. The same number again changes nothing more. Throws unless the write is
 * confirmed, and when the database has another number or an account already.
 */
export async function numberLedger(database: Database, ledger: number, now_ms: number): Promise<void> {
  const outcome = await commit(database, [
    insertAudit(database, { role: 'reconciliation', now_ms }, 'number_ledger', 'settings', { ledger }),
    database.update(settings).set({ ledger }).where(eq(settings.id, 1)),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`ledger ${ledger} has not taken its number: ${outcome.kind}`);
}
