import { reachHub } from '../../src/markets/read-hub.ts';
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import guide from '../../docs/performance.md?raw';
import { priceMillion, showDollars } from '../../lab/cost/cost-model.ts';
import {
  CHECKED_ORDERS,
  type CountedRequests,
  type Counts,
  type RequestName,
  requestCounts,
} from '../../lab/cost/request-counts.ts';
import { GateSettings, SETTINGS_DUE_MS } from '../../src/orders/gate.ts';
import { CHAINS } from '../../src/reconciliation/history.ts';
import { SLICE_LIMITS } from '../../src/reconciliation/reconciler.ts';
import { wakeBehind } from '../../src/events/webhooks/reach-sender.ts';
import { ORDER, type Trader, asOperator, openTrader, send, expectCode, operate } from '../support/exchange.ts';
import { Receiver, openManager, runAlarm, subscribe } from '../support/events/receiver.ts';
import { forgetSettings } from '../support/gate.ts';
import { idInCrowd } from '../support/growth/compose-crowd.ts';
import { openCrowd } from '../support/growth/open-crowd.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { holdWakings, measure } from '../support/runtime/meter.ts';
import { firstLedger } from '../../src/db/database.ts';
import { followAll, withOwn } from '../support/reconciliation.ts';
import { drawHash } from '../support/deposits.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';
import { waitFor } from '../support/wait-for.ts';

const TICKERS = '/api/v1/markets/tickers';
const DAY_MS = 86_400_000;
/** The pace of a key that keeps its object awake with its reads. */
const PACE_MS = 9_000;
/** After this many reads, their rows are written in whole blocks. */
const RUN = 15;

/** The clock stands still, ahead of the real one, so that only the alarms run that the test runs. */
beforeAll(() => {
  stopClock();
  moveClock(DAY_MS);
});

const hub = () => reachHub(env);

/** Counts what some requests cost, measured through an object that they do not use. */
async function count(work: () => Promise<unknown>): Promise<Counts> {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    const cost = await measure(env.KEY_LANE.getByName('meter'), work);
    const lines = log.mock.calls.map(([line]) => String(line));
    return {
      workerRequests: lines.filter((line) => line.startsWith('{"event":"request"')).length,
      objectCalls: cost.laneCalls + cost.gateCalls + cost.hubCalls + cost.senderCalls + cost.keeperCalls,
      objectRowsRead: cost.objectRowsRead,
      objectRowsWritten: cost.objectRowsWritten,
      databaseRowsRead: cost.databaseRowsRead,
      databaseRowsWritten: cost.databaseRowsWritten,
      logLines: lines.length,
    };
  } finally {
    log.mockRestore();
  }
}

const succeed = async (answer: Promise<Response>) => expect((await answer).ok).toBe(true);

/** A trader whose key was admitted once. */
async function openKnown(): Promise<Trader> {
  const trader = await openTrader({ USDT: '20000' });
  await trader.balances();
  return trader;
}

/** The same after hours without a request, when the objects have lost their memory. */
async function openAsleep(): Promise<Trader> {
  const trader = await openKnown();
  await warmHub();
  moveClock(DAY_MS);
  await evictDurableObject(trader.lane);
  await evictDurableObject(hub());
  await forgetSettings();
  return trader;
}

/** The requests, and the alarm that deletes their rows after they have expired. */
function countWithAlarm(trader: Trader, work: () => Promise<unknown>): Promise<Counts> {
  return count(async () => {
    await work();
    moveClock(2 * DAY_MS);
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
  });
}

/** Ten reads in the middle of a series of reads. */
async function countPolled(path: string, pace_ms: number, open = openKnown): Promise<Counts> {
  const trader = await open();
  await writeHistory('orders', { account: `'${trader.accountId}'`, count: 1 }, 60);
  const poll = async (times: number) => {
    for (let read = 0; read < times; read += 1) {
      moveClock(pace_ms);
      expect((await trader.get(path)).status).toBe(200);
    }
  };
  await poll(RUN - 1);
  return count(() => poll(10));
}

function subtract(one: Counts, other: Counts): Counts {
  const members = Object.keys(one) as (keyof Counts)[];
  return Object.fromEntries(members.map((name) => [name, one[name] - other[name]])) as unknown as Counts;
}

async function give(accountId: string, reference: string): Promise<void> {
  await operate('POST', `/accounts/${accountId}/credits`, { asset: 'USDT', amount: '1', reference });
}

/** An account that listens, with an account behind it that has an event: the search for the newest event reads that row too. */
async function openListener(open: () => Promise<Trader>): Promise<Trader> {
  const listener = await open();
  await listener.get('/api/v1/events');
  // Longer than the gate keeps its prices fresh after an order.
  moveClock(2 * 60_000);
  const behind = await openKnown();
  await behind.get('/api/v1/events');
  await give(behind.accountId, 'behind');
  await warmHub();
  return listener;
}

/** What one event adds to a credit, and the row of its deletion. */
async function countEvent(): Promise<Counts> {
  const [silent, heard] = [await openKnown(), await openListener(openKnown)];
  await give(heard.accountId, 'warm');
  await give(silent.accountId, 'warm');
  const written = subtract(
    await count(() => give(heard.accountId, 'counted')),
    await count(() => give(silent.accountId, 'counted')),
  );
  return { ...written, databaseRowsWritten: written.databaseRowsWritten + 1 };
}

/** The look for endpoints that are behind, where an account has one and it is not. */
async function countLook(): Promise<Counts> {
  await env.DB.prepare('DELETE FROM webhook_endpoints').run();
  const endpoint = await subscribe(await openListener(openManager), new Receiver());
  const look = () => wakeBehind(env, firstLedger(env), Date.now());
  await look();
  await runAlarm(endpoint);
  return count(look);
}

/** The deliveries of events that came at once, from the wake-up of the endpoint on. */
async function countDeliveries(events: number): Promise<Counts> {
  // The sweep looks at every endpoint, also at those of cases before this one.
  await env.DB.prepare('DELETE FROM webhook_endpoints').run();
  const trader = await openListener(openManager);
  const endpoint = await subscribe(trader, new Receiver());
  const deliver = async () => {
    await wakeBehind(env, firstLedger(env), Date.now());
    expect(await runAlarm(endpoint)).toBe(true);
  };
  // The first delivery also makes the tables of its object.
  await give(trader.accountId, 'first');
  await deliver();
  const wakings = await holdWakings();
  for (let told = 0; told < events; told += 1) await give(trader.accountId, `told ${told}`);
  const counted = await count(deliver);
  wakings.restore();
  return counted;
}

/** Number ranges of the accounts that the reconciliation is counted for. */
let crowds = 0;

/** What the reconciliation costs for orders: its cost with them minus its cost without them. */
async function countChecks(isNew: boolean): Promise<Counts> {
  const [from, size] = [crowds, 20];
  crowds += size;
  await openCrowd(from, crowds);
  const crowd = { account: idInCrowd(`i % ${size} + ${from}`), count: size };
  await writeHistory('deposits', crowd, size);
  const countPass = () =>
    withOwn(async ({ reconciler }) => {
      const follow = () => followAll(reconciler, SLICE_LIMITS);
      if (!isNew) await follow();
      return count(async () => {
        if (isNew) await follow();
        reconciler.begin(Date.now());
        while (reconciler.isUnderWay) await reconciler.advance(SLICE_LIMITS, Date.now());
      });
    }, CHAINS);
  const without = await countPass();
  // Within a day: what they earned is one row of the keeper for each day.
  await writeHistory('orders', crowd, CHECKED_ORDERS, DAY_MS);
  const counted = await countPass();
  const more = (what: keyof Counts) => counted[what] - without[what];
  return {
    ...counted,
    // To a hundred of some ten thousand: a search also reads the row behind what it finds, and ids come in random order.
    databaseRowsRead: Math.round(more('databaseRowsRead') / 100) * 100,
    objectRowsWritten: more('objectRowsWritten'),
  };
}

/** Has the hub fetch prices now, so that its next callers are answered from memory. */
async function warmHub(): Promise<void> {
  await hub().snapshot({ maxAge_ms: 0 });
}

const scenarios: Record<RequestName, () => Promise<Counts>> = {
  'order, one of twenty that a key places in a day': async () => {
    const trader = await openAsleep();
    await trader.balances();
    return countWithAlarm(trader, async () => {
      for (let placed = 0; placed < 20; placed += 1) {
        expect((await trader.order(ORDER, `order-${placed}`)).status).toBe(201);
      }
    });
  },
  'order, alone in its day': async () => {
    const trader = await openAsleep();
    return countWithAlarm(trader, () => succeed(trader.order(ORDER, 'alone')));
  },
  'order, replayed': async () => {
    const trader = await openKnown();
    await trader.order(ORDER, 'again');
    return count(async () => {
      expect((await trader.order(ORDER, 'again')).headers.get('X-Idempotency-Replay')).toBe('true');
    });
  },
  'withdrawal of USDT, alone in its day': async () => {
    const trader = await openAsleep();
    return countWithAlarm(trader, () => succeed(trader.withdraw({}, 'alone')));
  },
  'balances, of a key that polls': () => countPolled('/api/v1/wallet/balances', PACE_MS),
  'page of 50 orders, of a key that polls': () => countPolled('/api/v1/orders', PACE_MS),
  'tickers in the edge cache, of a key that polls': async () => {
    await send(TICKERS);
    return countPolled(TICKERS, 0);
  },
  'balances, of a key that reads alone': async () => {
    const trader = await openAsleep();
    return count(() => succeed(trader.get('/api/v1/wallet/balances')));
  },
  'tickers in the edge cache, without a key': async () => {
    await send(TICKERS);
    return count(() => send(TICKERS));
  },
  'tickers not in the edge cache': async () => {
    moveClock(DAY_MS);
    await warmHub();
    return count(() => send(TICKERS));
  },
  'forged key': async () => {
    const { token } = await openKnown();
    const forged = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const headers = { Authorization: `Bearer ${forged}` };
    return count(() => expectCode(send('/api/v1/orders', { headers }), '401 invalid_api_key'));
  },
  'credit by the operator': async () => {
    const { accountId } = await openKnown();
    return count(() => give(accountId, 'counted'));
  },
  'deposit that custody reports': async () => {
    const address = await (await openKnown()).addressOn('ETH');
    await warmHub();
    const report = { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations: 99 };
    return count(() => succeed(asOperator('POST', '/deposits', report)));
  },
  'event of an account that listens, written beside what it tells and deleted later': countEvent,
  'events when there are none, of a key that polls': () =>
    // Its account has no funds: they would be events.
    countPolled('/api/v1/events', PACE_MS, () => openListener(openTrader)),
  'look for endpoints that are behind after a change, for each endpoint': countLook,
  'event, delivered to an endpoint with nineteen others': () => countDeliveries(20),
  'event, delivered to an endpoint alone': () => countDeliveries(1),
  'order, checked as it is new and in the first pass over it': () => countChecks(true),
  'order, checked in each later pass': () => countChecks(false),
  'settings beside orders, every 2 s while anyone trades': async () => {
    const settings = new GateSettings(firstLedger(env));
    await settings.take();
    return count(async () => {
      moveClock(SETTINGS_DUE_MS);
      await settings.keepFresh();
    });
  },
  'round of prices, every 8 s while anyone asks': async () => {
    await warmHub();
    return count(() => runDurableObjectAlarm(hub()));
  },
};

const rows = Object.entries(requestCounts) as [RequestName, CountedRequests][];

const ofHub = new Set<RequestName>([
  'settings beside orders, every 2 s while anyone trades',
  'round of prices, every 8 s while anyone asks',
]);

it.each(rows)('the table of what requests cost equals what is counted: %s', async (name, { counts }) => {
  const check = async () => expect(await scenarios[name]()).toEqual(counts);
  // Those of the hub are counted again when one of its own rounds, which begin each second, came between.
  await (ofHub.has(name) ? waitFor(check) : check());
});

function dollarsOf(name: RequestName): number {
  return priceMillion(requestCounts[name]).total / 1_000_000;
}

describe('the price of a million', () => {
  it('orders is below 12.69 dollars, including the first check of each, when a key places twenty in a day', () => {
    const checked = dollarsOf('order, checked as it is new and in the first pass over it');
    expect(dollarsOf('order, one of twenty that a key places in a day') + checked).toBeLessThan(12.69);
  });

  it.each([
    'balances, of a key that polls',
    'page of 50 orders, of a key that polls',
    'tickers in the edge cache, of a key that polls',
  ] as const)('reads is below a dollar: %s', (name) => {
    expect(dollarsOf(name)).toBeLessThan(1);
  });

  it('is exact to the microdollar, with each part rounded up', () => {
    const counts = {
      workerRequests: 3,
      objectCalls: 4,
      objectRowsRead: 5,
      objectRowsWritten: 1,
      databaseRowsRead: 7,
      databaseRowsWritten: 2,
      logLines: 0,
    };
    expect(priceMillion({ requests: 3, counts, active: 'read', cpu: 'none' })).toEqual({
      worker: 300_000,
      objects: 536_600,
      database: 669_000,
      total: 1_505_600,
      log: 466_667,
    });
  });
});

it('the table in the documentation equals the model’s result, row by row', () => {
  const table = rows.map(([name, counted]) => {
    const { worker, objects, database, total, log } = priceMillion(counted);
    return `| ${[name, ...[worker, objects, database, total, log].map(showDollars)].join(' | ')} |`;
  });
  expect(guide).toContain(`|---|---|---|---|---|---|\n${table.join('\n')}\n\n`);
});

it.each([
  [0, '0.00'],
  [1, '0.01'],
  [10_000, '0.01'],
  [10_001, '0.02'],
  [11_999_999, '12.00'],
  [1_234_560_000, '1234.56'],
])('dollars of %i microdollars are %s, rounded up', (microdollars, dollars) => {
  expect(showDollars(microdollars)).toBe(dollars);
});
