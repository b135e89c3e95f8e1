import { config } from '../../../src/env.ts';
import { writeCursor } from '../../../src/http/cursor.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { chooseCustody } from '../../../src/providers.ts';
import { sweepWithdrawals } from '../../../src/withdrawals/pay-out.ts';
import { ORDER, type Trader, asOperator, createKey } from '../exchange.ts';
import { followRefreshes } from '../gate.ts';
import { type DatabaseCost, measureDatabase } from '../runtime/meter.ts';
import { drawHash } from '../deposits.ts';
import { agreeQuick, settle } from '../operator/settlements.ts';
import { env } from '../runtime/test-env.ts';

import type { RecordTable } from './compose-history.ts';
import { sql } from '../db/sql.ts';

const MINUTE_MS = 60_000;

/** An operation to measure. It prepares what must not be measured, and returns the function to measure. */
type Operation = (trader: Trader) => Promise<() => Promise<unknown>>;

function read(path: string): Operation {
  return (trader) => Promise.resolve(() => succeed(trader.get(path)));
}

/** A page that starts in the middle of the trader's records. */
function readDeep(path: string, table: RecordTable): Operation {
  return async (trader) => {
    const { accountId } = trader;
    const scope = { route: path, accountId };
    const cursor = await writeCursor(await findMiddle(table, accountId), scope, config.CURSOR_SECRET);
    return () => succeed(trader.get(`${path}?cursor=${encodeURIComponent(cursor)}`));
  };
}

function readOne(path: string, table: RecordTable): Operation {
  return async (trader) => {
    const id = await findMiddle(table, trader.accountId);
    return () => succeed(trader.get(`${path}/${id}`));
  };
}

/** The operator's operations. */
function operate(method: string, path: (trader: Trader) => string, body?: unknown): Operation {
  return (trader) => Promise.resolve(() => succeed(asOperator(method, path(trader), body)));
}

const ORDERS = '/api/v1/orders';
const FEED = '/api/v1/wallet/transactions';
const WITHDRAWALS = '/api/v1/wallet/withdrawals';

/** All operations whose cost must not grow with the exchange. */
export const operations: Readonly<Record<string, Operation>> = {
  'the balances': read('/api/v1/wallet/balances'),
  'the addresses': async (trader) => {
    await trader.get('/api/v1/wallet/addresses');
    return () => succeed(trader.get('/api/v1/wallet/addresses'));
  },
  'the first page of orders': read(ORDERS),
  'the largest page of orders': read(`${ORDERS}?limit=200`),
  'a page deep in the orders': readDeep(ORDERS, 'orders'),
  'one order': readOne(ORDERS, 'orders'),
  'the first page of the feed': read(FEED),
  'a page deep in the feed': readDeep(FEED, 'orders'),
  'the first page of withdrawals': read(WITHDRAWALS),
  'a page deep in the withdrawals': readDeep(WITHDRAWALS, 'withdrawals'),
  'one withdrawal': readOne(WITHDRAWALS, 'withdrawals'),
  'the first page of deposits': read('/api/v1/wallet/deposits'),
  'one deposit': readOne('/api/v1/wallet/deposits', 'deposits'),
  'a page of the orders of a month': read(`${ORDERS}?from=2020-01-01T00:00:00Z`),
  'an order': async (trader) => {
    // The first order that fills at a round of prices reads three rows more. The one after that fetches nothing, because
    // the clock stands still.
    const beside = followRefreshes();
    await trader.trade(ORDER);
    await beside.settle();
    beside.restore();
    await trader.trade(ORDER);
    return () => succeed(trader.order(ORDER, crypto.randomUUID()));
  },
  'a withdrawal': (trader) => Promise.resolve(() => succeed(trader.withdraw())),
  'a settled trade': (trader) => Promise.resolve(() => succeed(settle(agreeQuick(trader, 'BUY')))),
  'a deposit that custody reports': async (trader) => {
    const address = await trader.addressOn('ETH');
    const report = { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations: 99 };
    return () => succeed(asOperator('POST', '/deposits', report));
  },
  'a credit by hand': operate('POST', ({ accountId }) => `/accounts/${accountId}/credits`, {
    asset: 'USDT',
    amount: '1',
    reference: 'grown',
  }),
  'an account that is opened': operate('POST', () => '/accounts', { label: 'new' }),
  'a key that is made': operate('POST', ({ accountId }) => `/accounts/${accountId}/api-keys`, {
    label: 'new',
    scopes: ['read'],
  }),
  'the first request of a key': async ({ accountId }) => {
    const fresh = await createKey(accountId);
    return () => succeed(fresh.get('/api/v1/wallet/balances'));
  },
  'the list of what waits for the custodian': operate('GET', () => '/withdrawals?status=PROCESSING'),
  'the position of the house': operate('GET', () => '/house'),
  'the metrics': operate('GET', () => '/metrics'),
  'the settings': operate('GET', () => '/settings'),
  'the reconciliation': operate('GET', () => '/reconciliation'),
  'the sums of dust': operate('GET', () => '/deposits/dust'),
  'an account that is found by its key': operate('GET', ({ keyId }) => `/accounts?query=${keyId}`),
  'an account whole': operate('GET', ({ accountId }) => `/accounts/${accountId}`),
  'the orders of an account': operate('GET', ({ accountId }) => `/accounts/${accountId}/orders`),
  'the feed of an account': operate('GET', ({ accountId }) => `/accounts/${accountId}/transactions`),
  'the deposits of an account': operate('GET', ({ accountId }) => `/accounts/${accountId}/deposits`),
  'the withdrawals of an account': operate('GET', ({ accountId }) => `/accounts/${accountId}/withdrawals`),
  'the audit of an account': operate('GET', ({ accountId }) => `/audit?target=${accountId}`),
  'a key of any account': operate('GET', ({ keyId }) => `/keys/${keyId}`),
  'the sweep of every minute': () =>
    Promise.resolve(() =>
      sweepWithdrawals({
        database: openDatabase(env.DB),
        ledgers: env,
        custody: chooseCustody(config),
        now: () => Date.now() + MINUTE_MS,
      }),
    ),
};

/** The most rows that a page looks at when it has filters, with those that find where a time begins. */
const LOOKED_AT = 2_100;

/** Of each of twenty accounts of a page: itself, nine balances, its keys, and the newest orders that are added up. */
const OF_ACCOUNTS = 20 * 520;

/**
 * Reads that find less in a small exchange, or nothing, and look at a bounded number of rows in a large one: each with
 * the most that it may read.
 */
export const boundedReads: Readonly<Record<string, readonly [operation: Operation, mostRows: number]>> = {
  'the newest accounts': [operate('GET', () => '/accounts'), OF_ACCOUNTS],
  'the accounts of a label': [operate('GET', () => '/accounts?query=crowd'), OF_ACCOUNTS],
  'frozen accounts, of which there is none': [operate('GET', () => '/accounts?status=frozen'), LOOKED_AT],
  'accounts of an old day, of which there is none': [
    operate('GET', () => '/accounts?openedFrom=2000-01-01T00:00:00Z&openedTo=2000-01-02T00:00:00Z'),
    60,
  ],
  'the newest of the audit': [operate('GET', () => '/audit'), 60],
  'the audit of somebody who did nothing': [operate('GET', () => '/audit?actor=nobody@bureau.test'), LOOKED_AT],
  'the audit of an old day': [
    operate('GET', () => '/audit?from=2024-01-01T00:00:00Z&to=2024-01-02T00:00:00Z'),
    LOOKED_AT,
  ],
  'the deposits that wait for the operator': [operate('GET', () => '/deposits?status=QUARANTINED'), 60],
  'the deposits that wait for confirmations': [operate('GET', () => '/deposits?status=PENDING'), 60],
  'the deposits that were kept': [operate('GET', () => '/deposits?status=QUARANTINED&decision=KEPT'), 60],
  'the withdrawals that wait for a review': [operate('GET', () => '/withdrawals?status=PENDING'), 60],
  'the claims of payouts': [operate('GET', () => '/payout-claims'), 60],
  'the proposals': [operate('GET', () => '/proposals'), 60],
  'the staff': [operate('GET', () => '/staff'), 60],
  'the search for an order': [
    async ({ accountId }) => {
      const id = await findMiddle('orders', accountId);
      return () => succeed(asOperator('GET', `/search?q=${id}`));
    },
    2_400,
  ],
  'the search for a transaction': [operate('GET', () => `/search?q=0x${'ab'.repeat(32)}`), 1_900],
  'orders of an account by a coin that it never traded': [
    operate('GET', ({ accountId }) => `/accounts/${accountId}/orders?coin=DOGE`),
    LOOKED_AT,
  ],
  'the feed by a type that it does not have': [read(`${FEED}?type=P2P_BUY`), LOOKED_AT],
  'orders by a state that none has': [read(`${ORDERS}?status=FAILED`), LOOKED_AT],
  'withdrawals by a state that none has': [read(`${WITHDRAWALS}?status=PENDING`), LOOKED_AT],
};

export async function measureOperations(trader: Trader): Promise<Record<string, DatabaseCost>> {
  const costs: Record<string, DatabaseCost> = {};
  // Loads the key's record, so that it is not part of the first cost.
  await trader.balances();
  const bounded = Object.entries(boundedReads).map(([name, [prepare]]) => [name, prepare] as const);
  for (const [name, prepare] of [...Object.entries(operations), ...bounded]) {
    const work = await prepare(trader);
    costs[name] = await measureDatabase(work);
  }
  return costs;
}

async function succeed(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function findMiddle(table: RecordTable, accountId: string): Promise<string> {
  const query = `SELECT id FROM ${table} WHERE account_id = ?1 ORDER BY id
    LIMIT 1 OFFSET (SELECT count(*) / 2 FROM ${table} WHERE account_id = ?1)`;
  return (await sql(query, accountId).first<string>('id')) ?? '';
}
