import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../ledger/audit.ts';
import type { Database } from '../ledger/database.ts';
import { takeAddressIndex } from '../ledger/directory.ts';
import { directoryOf, openLedger } from '../ledger/ledgers.ts';
import { newRecordId } from '../ledger/record-id.ts';
import { nextRecordNumber } from '../ledger/record-number.ts';
import { accounts, exactly } from '../ledger/schema.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { AMOUNT_SYNTAX, type Atoms, MAX_ATOMS, formatAmount, parseAmount } from '../money/amounts.ts';

/** An account as the operator sees it. */
export const Account = z
  .object({
    id: Id,
    label: z.string().openapi({ example: 'demo' }),
    status: z.enum(['active', 'frozen']),
    dailyWithdrawalLimit: Decimal.openapi({ description: 'USDT-equivalent in any 24 hours', example: '5000' }),
    createdAt: Timestamp,
  })
  .openapi('Account');

export type Account = z.output<typeof Account>;

interface AccountRow {
  readonly id: string;
  readonly label: string;
  readonly status: 'active' | 'frozen';
  readonly dailyWithdrawalLimit: Atoms;
  readonly createdAt: number;
}

function showAccount(row: AccountRow): Account {
  return {
    id: row.id,
    label: row.label,
    status: row.status,
    dailyWithdrawalLimit: formatAmount(row.dailyWithdrawalLimit, scaleOf(QUOTE_ASSET)),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/**
 * Opens an account in a ledger: its record, under an address index that the directory gives. The database gives it a
 * balance of every asset, at zero, so that no order pays for a first one. Throws when D1 fails; the index is then used up.
 */
export async function openAccount(
  bindings: LedgerBindings,
  ledger: number,
  label: string,
  actor: Actor,
): Promise<Account> {
  const database = openLedger(bindings, ledger);
  const id = newRecordId(actor.now_ms, ledger);
  const addressIndex = await takeAddressIndex(directoryOf(bindings), id);
  await database.batch([
    database.insert(accounts).values({ id, addressIndex, label, createdAt: actor.now_ms }),
    insertAudit(database, actor, 'open_account', id, { label }),
  ]);
  const opened = await readAccount(database, id);
  if (!opened) throw new Error('an account that was just opened is not there');
  return opened;
}

export const accountNotFound = refuse('not_found', 'There is no account of that id.');

/** One account, or `undefined`. Throws when D1 fails. */
export async function readAccount(database: Database, id: string): Promise<Account | undefined> {
  const [row] = await database
    .select({
      id: accounts.id,
      label: accounts.label,
      status: accounts.status,
      dailyWithdrawalLimit: exactly(accounts.dailyWithdrawalLimit),
      createdAt: accounts.createdAt,
    })
    .from(accounts)
    .where(eq(accounts.id, id));
  return row && showAccount(row);
}

/** The changes that the operator can make to an account. */
export const ChangeAccount = z
  .strictObject({
    status: z.enum(['active', 'frozen']).optional().openapi({ example: 'active' }),
    dailyWithdrawalLimit: z
      .string()
      .regex(AMOUNT_SYNTAX, 'is not a plain decimal string')
      .optional()
      .openapi({ description: 'In USDT', example: '20000' }),
  })
  .openapi('ChangeAccount');

export type ChangeAccount = z.output<typeof ChangeAccount>;

/**
 * Changes an account. Refuses with `not_found`, `precision_exceeded` and `amount_above_maximum`. The caller must tell
 * the lanes of its keys about a new status. Throws when D1 fails.
 */
export async function changeAccount(
  database: Database,
  id: string,
  change: ChangeAccount,
  actor: Actor,
): Promise<Outcome<Account>> {
  const values: Partial<typeof accounts.$inferInsert> = {};
  if (change.status !== undefined) values.status = change.status;
  if (change.dailyWithdrawalLimit !== undefined) {
    const limit = parseAmount(change.dailyWithdrawalLimit, scaleOf(QUOTE_ASSET));
    if (limit === undefined) return refuse('precision_exceeded', 'A limit has at most 6 decimals.');
    if (limit > MAX_ATOMS) return refuse('amount_above_maximum', 'The limit is beyond what the ledger can count.');
    values.dailyWithdrawalLimit = limit;
  }
  if (Object.keys(values).length > 0) {
    await database.batch([
      database
        .update(accounts)
        .set({ ...values, ...(values.status && { recordNumber: nextRecordNumber(actor.now_ms) }) })
        .where(eq(accounts.id, id)),
      insertAudit(database, actor, 'change_account', id, change),
    ]);
  }
  const account = await readAccount(database, id);
  return account ? accept(account) : accountNotFound;
}
