import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';

const PaymentKind = z.enum(['withdrawal', 'return', 'deposit']);
type PaymentKind = z.output<typeof PaymentKind>;

/** How many transfers one call looks at. */
const SPAN = 10_000;

/** A withdrawal that was taken or returned, or a deposit that was credited, of an account that has a holder. Amounts are decimals. */
export interface Payment {
  readonly kind: PaymentKind;
  readonly accountId: string;
  readonly ts_ms: number;
  readonly asset: string;
  readonly amount: string;
  /** In USDT, at the price of that time. */
  readonly usdValue: string;
  /** Where a withdrawal goes or was to go, and over which network; `null` for a deposit. */
  readonly address: string | null;
  readonly network: string | null;
  /** What the exchange told the holder about a rejected withdrawal; else `null`. */
  readonly note: string | null;
}

/** Some payments, and up to which transfer they are all. */
export interface Payments {
  readonly payments: readonly Payment[];
  readonly last: number;
}

const Row = z.object({
  kind: PaymentKind,
  accountId: z.string(),
  ts: z.number(),
  asset: z.enum(assetSymbols),
  amount: z.string(),
  usdValue: z.string(),
  address: z.string().nullable(),
  network: z.string().nullable(),
  note: z.string().nullable(),
});

/**
 * The payments of a ledger that came after a transfer, oldest first; without a transfer none, only where the transfers
 * end now. They are read by their transfers, which are numbered in the order of commits, so none is missed and orders
 * write nothing for it. Throws when D1 fails.
 */
export async function readPayments(database: Database, after: number | null): Promise<Payments> {
  const newest = (await database.get<{ last: number | null }>(sql`SELECT max(id) AS last FROM transfers`))?.last ?? 0;
  if (after === null) return { payments: [], last: newest };
  const last = Math.min(newest, after + SPAN);
  const rows = await database.all(sql`
    SELECT t.id AS transfer, iif(t.id = w.taken_transfer, 'withdrawal', 'return') AS kind, w.account_id AS accountId, t.ts, w.asset,
      CAST(w.amount AS TEXT) AS amount, CAST(w.usd_value AS TEXT) AS usdValue, w.address, w.network, w.note
    FROM transfers t
    JOIN accounts a ON a.id IN (t.debit, t.credit) AND a.holder IS NOT NULL
    JOIN withdrawals w ON w.account_id = a.id AND w.id = t.reference AND t.id IN (w.taken_transfer, w.returned_transfer)
    WHERE t.id > ${after} AND t.id <= ${last} AND t.kind = 'withdrawal'
    UNION ALL
    SELECT t.id, 'deposit', d.account_id, t.ts, d.asset, CAST(d.amount AS TEXT), CAST(d.usd_value AS TEXT), NULL, NULL, NULL
    FROM transfers t
    JOIN accounts a ON a.id = t.credit AND a.holder IS NOT NULL
    -- The receipt of a withdrawal that another account of this ledger has paid names the same transfer.
    JOIN deposits d ON d.account_id = t.credit AND d.transfer = t.id
      AND d.id = coalesce((SELECT receipt_id FROM withdrawals WHERE id = t.reference AND t.kind = 'withdrawal'), t.reference)
    WHERE t.id > ${after} AND t.id <= ${last} AND t.kind IN ('deposit', 'withdrawal', 'movement')
    ORDER BY 1`);
  return { payments: rows.map((row) => showPayment(Row.parse(row))), last };
}

const decimalOf = (atoms: string, asset: Asset) => formatAmount(BigInt(atoms), scaleOf(asset));

function showPayment({ ts, ...row }: z.output<typeof Row>): Payment {
  const { asset, amount, usdValue } = row;
  return { ...row, ts_ms: ts, amount: decimalOf(amount, asset), usdValue: decimalOf(usdValue, QUOTE_ASSET) };
}
