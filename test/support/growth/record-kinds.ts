/** One movement of a record, in SQL. */
export interface Leg {
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly amount: number | string;
}

/** The SQL of one record's values, by its number `i`. */
export interface RecordTerms {
  readonly account: string;
  readonly id: string;
  readonly time: string;
  readonly firstTransfer: string;
  /** Whether the account now buys, or sells what it bought. */
  readonly isBuy: string;
}

/**
 * A kind of record as requests leave it: its row, as the columns of a SELECT, and the transfers that its state
 * requires.
 */
export interface RecordKind {
  /** One digit of the ids, so that two kinds never share an id. */
  readonly digit: number;
  readonly transferKind: string;
  row(terms: RecordTerms): Readonly<Record<string, string | number>>;
  legs(terms: RecordTerms): readonly Leg[];
}

const [BTC, USDT] = [10_000, 5_000_000];
const HOUSE = `'house:liquidity'`;
const PAYOUTS = `'house:payouts'`;

const orders: RecordKind = {
  digit: 1,
  transferKind: 'order',
  row: ({ account, id, isBuy, firstTransfer }) => ({
    account_id: account,
    id,
    coin: `'BTC'`,
    side: `iif(${isBuy}, 'BUY', 'SELL')`,
    executed_price: 5_000_000_000_000,
    coin_amount: BTC,
    usdt_amount: USDT,
    status: `'COMPLETED'`,
    price_round: 0,
    key_id: `(SELECT id FROM api_keys WHERE account_id = ${account} LIMIT 1)`,
    first_transfer: firstTransfer,
    middle_price: `iif(${isBuy}, 4995000000000, 5005000000000)`,
    admitted_at: 0,
    price_as_of: 0,
  }),
  legs: ({ account, isBuy }) => [
    {
      debit: account,
      credit: HOUSE,
      asset: `iif(${isBuy}, 'USDT', 'BTC')`,
      amount: `iif(${isBuy}, ${USDT}, ${BTC})`,
    },
    {
      debit: HOUSE,
      credit: account,
      asset: `iif(${isBuy}, 'BTC', 'USDT')`,
      amount: `iif(${isBuy}, ${BTC}, ${USDT})`,
    },
  ],
};

const deposits: RecordKind = {
  digit: 2,
  transferKind: 'deposit',
  row: ({ account, id, firstTransfer }) => ({
    account_id: account,
    id,
    type: `'INTERNAL_DEPOSIT'`,
    asset: `'USDT'`,
    amount: 1_000_000_000,
    usd_value: 1_000_000_000,
    status: `'COMPLETED'`,
    reference: `'wire ' || i`,
    transfer: firstTransfer,
  }),
  legs: ({ account }) => [{ debit: `'house:custody'`, credit: account, asset: `'USDT'`, amount: 1_000_000_000 }],
};

const withdrawals: RecordKind = {
  digit: 3,
  transferKind: 'withdrawal',
  row: ({ account, id, time, firstTransfer }) => ({
    account_id: account,
    id,
    type: `'ONCHAIN_WITHDRAWAL'`,
    asset: `'USDT'`,
    network: `'TRC20'`,
    address: `'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'`,
    amount: 1_000_000,
    fee: 1_000_000,
    usd_value: 1_000_000,
    status: `'COMPLETED'`,
    committed_at: time,
    totp_step: 'i',
    allowlist_required: 1,
    tx_hash: `printf('%064x', i)`,
    daily_limit: 5_000_000_000,
    key_id: `(SELECT id FROM api_keys WHERE account_id = ${account} LIMIT 1)`,
    released_at: time,
    taken_transfer: firstTransfer,
    paid_transfer: `${firstTransfer} + 1`,
  }),
  legs: ({ account }) => [
    { debit: account, credit: PAYOUTS, asset: `'USDT'`, amount: 2_000_000 },
    { debit: PAYOUTS, credit: `'house:custody'`, asset: `'USDT'`, amount: 1_000_000 },
    { debit: PAYOUTS, credit: `'house:fees'`, asset: `'USDT'`, amount: 1_000_000 },
  ],
};

const settlements: RecordKind = {
  digit: 4,
  transferKind: 'settlement',
  row: ({ account, id, firstTransfer }) => ({
    account_id: account,
    id,
    type: `'QUICK_BUY'`,
    counterparty: HOUSE,
    coin: `'BTC'`,
    coin_amount: BTC,
    usdt_amount: USDT,
    reference: `'otc ' || i`,
    first_transfer: firstTransfer,
  }),
  legs: ({ account }) => [
    { debit: account, credit: HOUSE, asset: `'USDT'`, amount: USDT },
    { debit: HOUSE, credit: account, asset: `'BTC'`, amount: BTC },
  ],
};

/** The kinds by their tables. */
export const recordKinds = { orders, deposits, withdrawals, settlements };

export type RecordTable = keyof typeof recordKinds;
