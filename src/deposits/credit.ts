import { z } from '@hono/zod-openapi';
import { and, eq } from 'drizzle-orm';
import { type Outcome, accept, refuse, refusePrecision, refuseUnconfirmed } from '../http/answer.ts';
import { Amount, Decimal, Id, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { type Database, ledgerOf } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { ledgerNumberOf, newRecordId, timestampOfRecord } from '../db/record-id.ts';
import { deposits } from '../db/schema.ts';
import { nextTransfer } from '../db/transfers.ts';
import { approvalRefusals, explain } from '../db/explain.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf } from '../money/assets.ts';
import { countByHand } from './count-by-hand.ts';
import { creditFromCustody, findDeposit, refuseSupply } from './deposit.ts';
import { type Atoms, MAX_ATOMS, formatAmount, parseAmount } from '../money/amounts.ts';

const MAX_REFERENCE_LENGTH = 200;

/** A credit that the operator gives by hand. Its reference makes it happen once per account. */
export const CreateCredit = z
  .strictObject({
    asset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
    amount: Amount.openapi({ example: '1000' }),
    reference: z
      .string()
      .min(1)
      .max(MAX_REFERENCE_LENGTH)
      // The database writes such references itself: see migrations/0005_deposits.sql.
      .refine(
        (reference) => !reference.startsWith('quarantine '),
        'begins with "quarantine ", which is how credits of quarantined deposits are named',
      )
      .openapi({
        description: 'Your own unique name for it, so that it happens once. It does not begin with "quarantine ".',
        example: 'wire 2026-11-21/7',
      }),
  })
  .openapi('CreateCredit');

export type CreateCredit = z.output<typeof CreateCredit>;

export const Credit = z
  .object({
    id: Id,
    ts: Timestamp,
    type: z.enum(['INTERNAL_DEPOSIT']),
    asset: z.string().openapi({ example: 'USDT' }),
    amount: Decimal.openapi({ example: '1000' }),
    usdValue: Decimal.openapi({ example: '1000' }),
    reference: z.string().openapi({ example: 'wire 2026-11-21/7' }),
    status: z.enum(['COMPLETED']),
  })
  .openapi('Credit');

export type Credit = z.output<typeof Credit>;

/** A row of `deposits` that the operator made. */
type CreditRow = Pick<typeof deposits.$inferSelect, 'id' | 'asset' | 'amount' | 'usdValue' | 'reference'>;

function showCredit(row: CreditRow): Credit {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    type: 'INTERNAL_DEPOSIT',
    asset: row.asset,
    amount: formatAmount(row.amount, scaleOf(row.asset as Asset)),
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    reference: row.reference ?? '',
    status: 'COMPLETED',
  };
}

/** A credit, and whether its reference had been credited before. */
export interface CreditResult {
  readonly credit: Credit;
  readonly repeated: boolean;
}

/**
 * Credits an account from custody, once per reference. `valueOf` gives the present value in atoms of USDT. Refuses with
 * `precision_exceeded`, `amount_below_minimum`, `supply_cap_exceeded`, `invalid_state` when the reference belongs to
 * another credit, and `service_unavailable` when the outcome in D1 is unknown: it is safe to repeat the call.
 */
export async function creditAccount(
  bindings: LedgerBindings,
  accountId: string,
  wanted: CreateCredit,
  valueOf: (asset: Asset, amount: Atoms) => Promise<Atoms>,
  actor: Actor,
): Promise<Outcome<CreditResult>> {
  const amount = parseAmount(wanted.amount, scaleOf(wanted.asset));
  if (amount === undefined) return refusePrecision(wanted.asset);
  if (amount === 0n) return refuse('amount_below_minimum', 'A credit is more than nothing.');
  if (amount > MAX_ATOMS) return refuseSupply(wanted.asset);
  const database = ledgerOf(bindings, accountId);
  const earlier = await readCredit(database, accountId, wanted.reference);
  if (earlier) return repeat(earlier, wanted.asset, amount);

  const row: CreditRow = {
    id: newRecordId(actor.now_ms, ledgerNumberOf(accountId)),
    asset: wanted.asset,
    amount,
    usdValue: await valueOf(wanted.asset, amount),
    reference: wanted.reference,
  };
  const uncounted = await countByHand(bindings, ledgerNumberOf(accountId), wanted.asset, amount, actor);
  const outcome = uncounted ?? (await recordCredit(database, accountId, row, actor));
  switch (outcome.kind) {
    case 'committed':
      return accept({ credit: showCredit(row), repeated: false });
    case 'floor':
      return refuseSupply(wanted.asset);
    case 'exists':
    case 'unknown': {
      const landed = await readCredit(database, accountId, wanted.reference);
      return landed ? repeat(landed, wanted.asset, amount) : openCredit;
    }
    case 'overloaded':
      return openCredit;
    case 'guarded':
      return explain(outcome, approvalRefusals) ?? openCredit;
  }
}

function recordCredit(database: Database, accountId: string, row: CreditRow, actor: Actor): Promise<CommitOutcome> {
  const record = database
    .insert(deposits)
    .values({ accountId, ...row, type: 'INTERNAL_DEPOSIT', status: 'COMPLETED', transfer: nextTransfer() });
  const audit = insertAudit(database, actor, 'credit_account', accountId, showCredit(row));
  const transfer = creditFromCustody(accountId, row.id, row.asset as Asset, row.amount);
  return commit(database, [audit, record], [transfer]);
}

function repeat(earlier: CreditRow, asset: Asset, amount: Atoms): Outcome<CreditResult> {
  if (earlier.asset === asset && earlier.amount === amount)
    return accept({ credit: showCredit(earlier), repeated: true });
  return refuse('invalid_state', 'This reference was credited with another asset or amount. Use a new one.');
}

const openCredit = refuseUnconfirmed('The credit was not confirmed. Send it again with the same reference.');

function readCredit(database: Database, accountId: string, reference: string) {
  return findDeposit(database, and(eq(deposits.accountId, accountId), eq(deposits.reference, reference)));
}
