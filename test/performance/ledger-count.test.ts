// @runtime many-ledgers
import { beforeAll, describe, expect, it } from 'vitest';
import { bindingOf } from '../../src/db/record-id.ts';
import { listLedgers } from '../../src/db/database.ts';
import { ORDER, type Trader, asOperator } from '../support/exchange.ts';
import { followRefreshes, ledgerGate } from '../support/gate.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { drawHash } from '../support/deposits.ts';
import { abort } from '../support/runtime/faults.ts';
import { type Cost, countTripsByDatabase, holdWakingsThroughout, measure } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

/** 8 ledgers, and 64 in `npm run test:long`. */
const MANY = listLedgers(env).length;

/** How many ledgers the exchange has, and in which of them the account is that sends the requests. */
interface Exchange {
  readonly ledgers: number;
  readonly ledger: number;
}

const alone: Exchange = { ledgers: 1, ledger: 0 };

const exchanges: readonly Exchange[] = [
  alone,
  { ledgers: 2, ledger: 1 },
  { ledgers: MANY, ledger: 0 },
  { ledgers: MANY, ledger: MANY - 1 },
];

/** What a request cost, and how many round trips it made to each database. */
interface Measured {
  readonly cost: Cost;
  readonly trips: ReadonlyMap<number, number>;
}

async function expectStatus(status: number, answer: Promise<Response>): Promise<void> {
  const response = await answer;
  expect([response.status, response.ok || (await response.text())]).toEqual([status, expect.anything()]);
}

const credit = (trader: Trader) =>
  asOperator('POST', `/accounts/${trader.accountId}/credits`, { asset: 'USDT', amount: '1', reference: 'measured' });

async function report(trader: Trader): Promise<Response> {
  const address = await trader.addressOn('ETH');
  const deposit = { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations: 99 };
  return asOperator('POST', '/deposits', deposit);
}

/** Requests that belong to one account. Each is sent after those before it. */
const ofAccount = {
  'an order': (trader: Trader) => expectStatus(201, trader.order(ORDER, 'measured')),
  'the same order again': (trader: Trader) => expectStatus(201, trader.order(ORDER, 'measured')),
  'a preview of an order': (trader: Trader) => expectStatus(200, trader.post('/api/v1/orders/preview', ORDER)),
  'a page of orders': (trader: Trader) => expectStatus(200, trader.get('/api/v1/orders')),
  'a page of all activity': (trader: Trader) => expectStatus(200, trader.get('/api/v1/wallet/transactions')),
  balances: (trader: Trader) => expectStatus(200, trader.get('/api/v1/wallet/balances')),
  'a credit by the operator': (trader: Trader) => expectStatus(201, credit(trader)),
};

/** Requests that also ask who has an address, an output or an index. */
const ofDirectory = {
  'the first look at the addresses': (trader: Trader) => expectStatus(200, trader.get('/api/v1/wallet/addresses')),
  'a deposit': (trader: Trader) => expectStatus(201, report(trader)),
  'a withdrawal': (trader: Trader) => expectStatus(201, trader.withdraw({}, 'first')),
  'a second withdrawal of the day': (trader: Trader) => expectStatus(201, trader.withdraw({}, 'second')),
  'a withdrawal above the daily limit': (trader: Trader) =>
    expectStatus(422, trader.withdraw({ amount: '100' }, 'third')),
};

/**
 * The round trips of these to the account's database and to the directory, and to both where they are one: a withdrawal
 * then reads the directory within a batch of its own.
 */
const directoryTrips: Readonly<Record<keyof typeof ofDirectory, { own: number; directory: number; together: number }>> =
  {
    'the first look at the addresses': { own: 2, directory: 2, together: 4 },
    'a deposit': { own: 3, directory: 2, together: 5 },
    'a withdrawal': { own: 3, directory: 1, together: 3 },
    'a second withdrawal of the day': { own: 3, directory: 1, together: 3 },
    'a withdrawal above the daily limit': { own: 1, directory: 1, together: 1 },
  };

/** A withdrawal that is sent again is answered without any database. */
const replays = {
  'the second withdrawal again': (trader: Trader) => expectStatus(201, trader.withdraw({}, 'second')),
};

const requests = { ...ofAccount, ...ofDirectory, ...replays };

type RequestName = keyof typeof requests;

holdWakingsThroughout();

const measured = new Map<Exchange, Map<RequestName, Measured>>();

/** Leaves so many ledgers bound, as if the others had never been added. What is bound again was there before. */
async function bindFirst(ledgers: number, all: Readonly<Record<string, D1Database>>): Promise<void> {
  const bindings = env as unknown as Record<string, D1Database>;
  for (const [at, [name, database]] of Object.entries(all).entries()) {
    if (at < ledgers) bindings[name] = database;
    else delete bindings[name];
  }
  expect(listLedgers(env)).toHaveLength(ledgers);
  // A gate learns as it starts whether it is the only one.
  for (const { ledger } of exchanges) await abort(ledgerGate(ledger));
}

/** Leaves an earlier account with one record of each kind, because a search also reads the row behind what it finds. */
async function leaveNeighbour(ledger: number): Promise<void> {
  const trader = await openTraderIn(ledger);
  await trader.trade(ORDER);
  const made = [await credit(trader), await report(trader), await trader.withdraw({}, 'neighbour')];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
}

async function measureAll(trader: Trader): Promise<Map<RequestName, Measured>> {
  const beside = followRefreshes();
  // The first order has the gate fetch prices, which is not part of the next one.
  await trader.trade(ORDER);
  await beside.settle();
  const costs = new Map<RequestName, Measured>();
  for (const [name, send] of Object.entries(requests) as [RequestName, (one: Trader) => Promise<void>][]) {
    // An id of its own millisecond, because ids of one have no order.
    moveClock(1);
    let trips: ReadonlyMap<number, number> = new Map();
    const cost = await measure(trader.lane, async () => {
      trips = await countTripsByDatabase(() => send(trader));
    });
    await beside.settle();
    costs.set(name, { cost, trips });
  }
  beside.restore();
  return costs;
}

beforeAll(async () => {
  stopClock();
  const all = Object.fromEntries(listLedgers(env).map((ledger) => [bindingOf(ledger), env[bindingOf(ledger)]!]));
  expect(MANY).toBe(env.TEST_LENGTH === 'long' ? 64 : 8);
  for (const exchange of exchanges) {
    await bindFirst(exchange.ledgers, all);
    // The clock stands still, so that all gates fill at the round of prices that is taken next.
    moveClock(86_400_000);
    await leaveNeighbour(exchange.ledger);
    moveClock(1);
    const trader = await openTraderIn(exchange.ledger);
    const limited = await asOperator('PATCH', `/accounts/${trader.accountId}`, { dailyWithdrawalLimit: '150' });
    expect(limited.status).toBe(200);
    measured.set(exchange, await measureAll(trader));
  }
});

function read(exchange: Exchange, name: RequestName): Measured {
  const found = measured.get(exchange)?.get(name);
  if (!found) throw new Error(`${name} was not measured`);
  return found;
}

/** What one person enters by hand is counted in ledger 0 too: one round trip, which reads three rows. */
const byHand: readonly RequestName[] = ['a credit by the operator', 'a deposit'];
const tripsToFirst = (name: RequestName, { ledger }: Exchange) => (ledger !== 0 && byHand.includes(name) ? 1 : 0);

const names = <Named extends object>(group: Named) => Object.keys(group) as (keyof Named & RequestName)[];

describe(`with 1, 2 and ${MANY} ledgers, in whichever the account is,`, () => {
  it.each(names({ ...ofAccount, ...replays }))('%s costs the same', (name) => {
    for (const exchange of exchanges) {
      const { databaseTrips, databaseRowsRead, ...others } = read(alone, name).cost;
      const more = tripsToFirst(name, exchange);
      expect(read(exchange, name).cost, JSON.stringify(exchange)).toEqual({
        ...others,
        databaseTrips: databaseTrips + more,
        databaseRowsRead: databaseRowsRead + 3 * more,
      });
    }
  });

  it.each(names(ofDirectory))('%s costs the same calls and rows', (name) => {
    const { databaseTrips: _trips, databaseRowsRead, ...others } = read(alone, name).cost;
    for (const exchange of exchanges) {
      const expected = { ...others, databaseRowsRead: databaseRowsRead + 3 * tripsToFirst(name, exchange) };
      expect(read(exchange, name).cost, JSON.stringify(exchange)).toMatchObject(expected);
    }
  });
});

describe.each(exchanges)('with $ledgers ledgers and an account of ledger $ledger,', (exchange) => {
  const { ledger } = exchange;

  it.each(names(ofAccount))(
    '%s asks no database but that of the account, and ledger 0 for what is entered by hand',
    (name) => {
      const { trips, cost } = read(exchange, name);
      const [own, first] = [cost.databaseTrips - tripsToFirst(name, exchange), tripsToFirst(name, exchange)];
      expect([...trips]).toEqual([...(own > 0 ? [[ledger, own]] : []), ...(first > 0 ? [[0, first]] : [])]);
    },
  );

  it.each(names(directoryTrips))('%s asks the directory besides, and no third database', (name) => {
    const { own, directory, together } = directoryTrips[name];
    const expected = ledger === 0 ? { 0: together } : { 0: directory + tripsToFirst(name, exchange), [ledger]: own };
    expect(Object.fromEntries(read(exchange, name).trips)).toEqual(expected);
  });

  it('an order is one round trip', () => {
    expect([...read(exchange, 'an order').trips]).toEqual([[ledger, 1]]);
  });
});
