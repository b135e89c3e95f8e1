import { z } from '@hono/zod-openapi';
import { sql } from 'drizzle-orm';
import { Account, type AccountRow, showAccount } from '../accounts/account.ts';
import { openLedger } from '../db/database.ts';
import { ledgerNumberOf, lowestRecordId, timestampOfRecord } from '../db/record-id.ts';
import { Decimal, Timestamp } from '../http/wire-types.ts';
import type { Valuation } from '../markets/value-in-usdt.ts';
import { type Asset, showUsdt } from '../money/assets.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

const VOLUME_SPAN_MS = 30 * 86_400_000;

/** So many orders of each account are added up, so that a page of the list reads a bounded number of rows. */
const MOST_ORDERS = 500;

/** An account as the operator's list shows it. */
export const ListedAccount = Account.extend({
  usdValue: Decimal.openapi({ description: 'Of all balances, at present', example: '1130' }),
  volume: Decimal.openapi({
    description: `USDT bought and sold for in the last 30 days, of the newest ${MOST_ORDERS} orders`,
    example: '2500',
  }),
  isVolumeWhole: z
    .boolean()
    .openapi({ description: 'Whether these are all orders of the 30 days; else the volume is at least that' }),
  lastSignInAt: Timestamp.nullable().openapi({
    description: 'When somebody last signed in to the console for it; null for never',
    example: null,
  }),
}).openapi('ListedAccount');

type ListedAccount = z.output<typeof ListedAccount>;

interface Facts {
  readonly id: string;
  readonly session: string | null;
  readonly orders: number;
  readonly volume: string;
  readonly balances: string;
}

/** Accounts of any ledgers with what they have and did. One statement for each ledger. Throws when D1 fails. */
export async function describeAccounts(
  bindings: LedgerBindings,
  rows: readonly AccountRow[],
  valueOf: Valuation,
  now_ms: number,
): Promise<ListedAccount[]> {
  const byLedger = Map.groupBy(rows, ({ id }) => ledgerNumberOf(id));
  const read = await Promise.all(
    [...byLedger].map(([ledger, own]) => {
      const ids = JSON.stringify(own.map(({ id }) => id));
      return openLedger(bindings, ledger).all<Facts>(sql`
        SELECT a.value AS id,
          (SELECT max(id) FROM api_keys WHERE account_id = a.value AND kind = 'session') AS session,
          (SELECT json_group_object(asset, CAST(amount AS TEXT)) FROM balances WHERE account = a.value) AS balances,
          newest ->> 0 AS orders, newest ->> 1 AS volume
        FROM (
          SELECT value, (
            SELECT json_array(count(*), CAST(coalesce(sum(usdt_amount), 0) AS TEXT)) FROM (
              SELECT iif(status = 'COMPLETED', usdt_amount, 0) AS usdt_amount FROM orders
              WHERE account_id = listed.value AND id > ${lowestRecordId(now_ms - VOLUME_SPAN_MS)}
              ORDER BY id DESC LIMIT ${MOST_ORDERS})) AS newest
          FROM json_each(${ids}) AS listed) AS a`);
    }),
  );
  const facts = new Map(read.flat().map((row) => [row.id, row]));
  return rows.map((row) => {
    const { session = null, orders = 0, volume = '0', balances = '{}' } = facts.get(row.id) ?? {};
    const held = Object.entries(JSON.parse(balances) as Partial<Record<Asset, string>>);
    const value = held.reduce((sum, [asset, amount]) => sum + valueOf(asset as Asset, BigInt(amount)), 0n);
    return {
      ...showAccount(row),
      usdValue: showUsdt(value),
      volume: showUsdt(BigInt(volume)),
      isVolumeWhole: orders < MOST_ORDERS,
      lastSignInAt: session === null ? null : timestampOfRecord(session),
    };
  });
}
