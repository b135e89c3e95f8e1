import { recordKinds } from '../../../src/record-kinds.ts';
import { FIRST_MS, listNumbers } from './compose-crowd.ts';

/** The time over which a history is spread. It ends long before the days that a daily limit counts. */
const SPAN_MS = 730 * 86_400_000;

/**
 * Whose history it is: the account's, or that of several accounts in turns, as the SQL of the id by a record's number
 * `i`.
 */
export interface Owners {
  readonly account: string;
  readonly count: number;
}

/**
 * Records of one kind, numbered from `first` up to, but not including, `end`. One part of them is written at a time.
 */
export interface History {
  readonly table: RecordTable;
  readonly owners: Owners;
  readonly first: number;
  readonly end: number;
  /** Over how long it is spread; two years unless told. */
  readonly span_ms?: number;
}

const [BTC, USDT] = [10_000, 5_000_000];
const OWN_KEY = '(SELECT id FROM api_keys WHERE account_id = own.account LIMIT 1)';

/**
 * A record of each kind as requests leave it, as the columns of a SELECT from `own`: its number, account and time, its
 * first transfer, and whether the account now buys, or sells what it bought. With it, how many transfers it has.
 */
const records = {
  orders: {
    transfers: 2,
    row: {
      coin: `'BTC'`,
      side: `iif(isBuy, 'BUY', 'SELL')`,
      executed_price: 5_000_000_000_000,
      coin_amount: BTC,
      usdt_amount: USDT,
      status: `'COMPLETED'`,
      price_round: 0,
      key_id: OWN_KEY,
      first_transfer: 'first',
      middle_price: `iif(isBuy, 4995000000000, 5005000000000)`,
      admitted_at: 0,
      price_as_of: 0,
    },
  },
  deposits: {
    transfers: 1,
    row: {
      type: `'INTERNAL_DEPOSIT'`,
      asset: `'USDT'`,
      amount: 1_000_000_000,
      usd_value: 1_000_000_000,
      status: `'COMPLETED'`,
      reference: `'wire ' || i`,
      withdrawal_id: 'NULL',
      transfer: 'first',
    },
  },
  withdrawals: {
    transfers: 3,
    row: {
      type: `'ONCHAIN_WITHDRAWAL'`,
      asset: `'USDT'`,
      network: `'TRC20'`,
      address: `'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'`,
      amount: 1_000_000,
      fee: 1_000_000,
      usd_value: 1_000_000,
      status: `'COMPLETED'`,
      committed_at: 'time',
      totp_step: 'i',
      allowlist_required: 1,
      tx_hash: `printf('%064x', i)`,
      daily_limit: 5_000_000_000,
      key_id: OWN_KEY,
      released_at: 'time',
      recipient: 'NULL',
      taken_transfer: 'first',
      paid_transfer: 'first + 1',
      returned_transfer: 'NULL',
    },
  },
  settlements: {
    transfers: 2,
    row: {
      type: `'QUICK_BUY'`,
      counterparty: `'house:liquidity'`,
      coin: `'BTC'`,
      coin_amount: BTC,
      usdt_amount: USDT,
      reference: `'otc ' || i`,
      first_transfer: 'first',
    },
  },
} as const;

export type RecordTable = keyof typeof records;

export const recordTables = Object.keys(records) as RecordTable[];

export const historyTables: readonly string[] = ['balances', 'transfers', ...recordTables];

/** How many rows a record is, with its transfers. */
export function rowsOf(table: RecordTable): number {
  return 1 + records[table].transfers;
}

/**
 * The SQL that writes the records from number `from` up to `to` of a history, their transfers after transfer number
 * `head`, and the resulting balances: the same rows that requests would have left. The transfers are those of the legs of
 * its kind, which test/reconciliation/legs.test.ts compares with the triggers. Pure.
 */
export function composeHistory(
  { table, owners, first, end, span_ms = SPAN_MS }: History,
  from: number,
  to: number,
  head: number,
): string[] {
  const { transfers, row } = records[table];
  const kind = recordKinds.find(({ name }) => name === table);
  const columns = ['account_id', 'id', ...Object.keys(row)].join(', ');
  const values = Object.entries(row).map(([name, value]) => `${value} AS ${name}`);
  const rows = `${listNumbers(from, to)},
    own AS (
      SELECT i, ${owners.account} AS account, ${FIRST_MS} + (i - ${first}) * ${Math.floor(span_ms / (end - first))} AS time,
        ${head + 1} + ${transfers} * (i - ${from}) AS first, (i / ${owners.count}) % 2 = 0 AS isBuy
      FROM n),
    r AS (
      SELECT account AS account_id, printf('%08x-%04x-7000-8000-%012x', time / 65536, time % 65536, i) AS id,
        ${values.join(', ')}, time
      FROM own)`;
  const legs = (kind?.legs ?? []).map(
    ({ number, debit, credit, asset, amount }) =>
      `SELECT ${number}, ${debit}, ${credit}, ${asset}, ${amount}, '${kind?.kind}', r.id, time
       FROM r WHERE ${number} IS NOT NULL`,
  );
  return [
    `INSERT INTO ${table} (${columns}) ${rows} SELECT ${columns} FROM r`,
    `INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference, ts) ${rows} ${legs.join(' UNION ALL ')}
     ORDER BY 1`,
    moveBalances(head),
  ];
}

/** The SQL that applies the transfers after number `head` to the balances. */
function moveBalances(head: number): string {
  return `
    UPDATE balances SET amount = amount + moved.net, last_transfer = moved.newest
    FROM (
      SELECT account, asset, sum(net) AS net, max(id) AS newest FROM (
        SELECT id, debit AS account, asset, -amount AS net FROM transfers WHERE id > ${head}
        UNION ALL
        SELECT id, credit AS account, asset, amount AS net FROM transfers WHERE id > ${head})
      GROUP BY account, asset) AS moved
    WHERE balances.account = moved.account AND balances.asset = moved.asset`;
}
