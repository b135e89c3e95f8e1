import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import { Amount, Decimal, Id, Reason, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type Database, directoryOf, ledgerOf } from '../db/database.ts';
import { claimNames, takeAddressIndex } from '../db/directory.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { nextRecordNumber } from '../db/record-number.ts';
import { accountWords, accounts, exactly } from '../db/schema.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { logFault } from '../platform/log.ts';
import { listBeginnings } from './name-words.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { MAX_ATOMS, formatAmount, parseAmount } from '../money/amounts.ts';

export const Account = z
  .object({
    id: Id,
    label: z.string().openapi({ example: 'demo' }),
    externalId: z.string().nullable().openapi({
      description: 'The operator’s own id of it, which no other account has; null where it has none',
      example: 'customer-4711',
    }),
    status: z.enum(['active', 'frozen']),
    dailyWithdrawalLimit: Decimal.openapi({ description: 'USDT-equivalent in any 24 hours', example: '5000' }),
    createdAt: Timestamp,
  })
  .openapi('Account');

export type Account = z.output<typeof Account>;

export function showAccount(row: AccountRow): Account {
  return {
    id: row.id,
    label: row.label,
    externalId: row.externalId,
    status: row.status,
    dailyWithdrawalLimit: formatAmount(row.dailyWithdrawalLimit, scaleOf(QUOTE_ASSET)),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

export const accountColumns = {
  id: accounts.id,
  label: accounts.label,
  externalId: accounts.externalId,
  status: accounts.status,
  dailyWithdrawalLimit: exactly(accounts.dailyWithdrawalLimit),
  createdAt: accounts.createdAt,
};

/** A row of `accounts`, as far as it is shown. */
export type AccountRow = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns>;

const MAX_LABEL_LENGTH = 100;
const MAX_EXTERNAL_ID_LENGTH = 100;

export const OpenAccount = z
  .strictObject({
    label: z.string().min(1).max(MAX_LABEL_LENGTH).openapi({ example: 'demo' }),
    externalId: z.string().min(1).max(MAX_EXTERNAL_ID_LENGTH).optional().openapi({
      description: 'Your own id of it. A second account with the same one is refused',
      example: 'customer-4711',
    }),
  })
  .openapi('OpenAccount');

export type OpenAccount = z.output<typeof OpenAccount>;

const poolExhausted = refuse(
  'service_unavailable',
  'No account can be opened at the moment: too few Solana (SOL) addresses are left, and the custodian has to add some. Try again later.',
  { retryAfterSeconds: 60 },
);

const externalIdTaken = refuse('invalid_state', 'Another account has this externalId.');

/** The statements that open an account, in one batch. */
export type Opening = ReturnType<typeof insertAccount>;

/**
 * Prepares an account under an id, in the ledger that the id names: claims its `externalId` for that ledger, and takes
 * the next address index; both in the directory. Returns the statements that open it: its record, to which the database
 * adds a balance of every asset, at zero, so that no order pays for a first one, and the audit. Refuses with
 * `invalid_state` an `externalId` that another account has, and with `service_unavailable` when the pool has fewer Solana
 * addresses left than `leastPooled` (see `takeAddressIndex`). Throws when D1 fails; an index that was taken is then used up.
 */
export async function prepareAccount(
  bindings: LedgerBindings,
  id: string,
  wanted: OpenAccount,
  actor: Actor,
  leastPooled: number,
): Promise<Outcome<Opening>> {
  const [directory, database] = [directoryOf(bindings), ledgerOf(bindings, id)];
  if (wanted.externalId !== undefined) {
    // As for a settlement, the ledger has the claim, and its own unique index decides between its accounts.
    const claim = { kind: 'external_id', name: wanted.externalId, holder: String(ledgerNumberOf(id)) } as const;
    const [holder] = await claimNames(directory, [claim]);
    if (holder !== claim.holder || (await hasExternalId(database, wanted.externalId))) return externalIdTaken;
  }
  const index = await takeAddressIndex(directory, id, leastPooled);
  if (index === undefined) {
    logFault('solana_pool_exhausted', { leastPooled: String(leastPooled) });
    return poolExhausted;
  }
  return accept(insertAccount(database, id, index, wanted, actor));
}

async function hasExternalId(database: Database, externalId: string): Promise<boolean> {
  const found = await database.select({ id: accounts.id }).from(accounts).where(eq(accounts.externalId, externalId));
  return found.length > 0;
}

function insertAccount(database: Database, id: string, addressIndex: number, wanted: OpenAccount, actor: Actor) {
  const { label, externalId = null } = wanted;
  const words = listBeginnings(label).map((text) => ({ accountId: id, words: text }));
  return [
    database.insert(accounts).values({ id, addressIndex, label, createdAt: actor.now_ms, externalId }),
    ...(words.length > 0 ? [database.insert(accountWords).values(words)] : []),
    insertAudit(database, actor, 'open_account', id, wanted),
  ] as const;
}

/** Says why an account was refused that exists already, when two were opened at once. */
export function explainExistingAccount(wanted: OpenAccount): Refusal {
  if (wanted.externalId === undefined) throw new Error('an id of an account was drawn twice');
  return externalIdTaken;
}

export const accountNotFound = refuse('not_found', 'There is no account of that id.');

/** One account, or `undefined`. Throws when D1 fails. */
export async function readAccount(database: Database, id: string): Promise<Account | undefined> {
  const [row] = await database.select(accountColumns).from(accounts).where(eq(accounts.id, id));
  return row && showAccount(row);
}

/** The changes that the operator can make to an account. */
export const ChangeAccount = z
  .strictObject({
    status: z.enum(['active', 'frozen']).optional().openapi({ example: 'active' }),
    dailyWithdrawalLimit: Amount.optional().openapi({ description: 'In USDT', example: '20000' }),
    reason: Reason.optional(),
  })
  .openapi('ChangeAccount');

export type ChangeAccount = z.output<typeof ChangeAccount>;

/**
 * Changes an account. Refuses with `not_found`, `precision_exceeded` and `amount_above_maximum`, with `approval_required`
 * for a limit that only two people raise, and with `service_unavailable` when the outcome is unknown. The caller must
 * tell the lanes of its keys about a new status. Throws when D1 cannot be read.
 */
export async function changeAccount(
  database: Database,
  id: string,
  { reason, ...change }: ChangeAccount,
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
    const refused = await commitOrRefuse(database, [
      insertAudit(database, actor, 'change_account', id, {
        ...change,
        ...(reason !== undefined && { because: reason }),
      }),
      database
        .update(accounts)
        .set({ ...values, ...(values.status && { recordNumber: nextRecordNumber(actor.now_ms) }) })
        .where(eq(accounts.id, id)),
    ]);
    if (refused) return refused;
  }
  const account = await readAccount(database, id);
  return account ? accept(account) : accountNotFound;
}
