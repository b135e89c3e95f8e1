import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { openMigrated } from '../../../scripts/ledgers/open-migrated.ts';
import { newRecordId } from '../../../src/db/record-id.ts';
import type { Settings } from '../../../src/db/settings.ts';
import type { VenueReport } from '../../../src/dealing/contract.ts';
import type { Dealer } from '../../../src/dealing/dealer.ts';
import { type HedgerParts, look } from '../../../src/dealing/hedger.ts';
import { createRandom } from '../../../src/markets/sandbox-random.ts';
import { settings } from '../operator/settings.ts';
import { HEDGING, MARKET } from './market.ts';
import { type DealerFaults, NO_FAULTS, PlayedDealer } from './played-dealer.ts';

const ACCOUNT = '01900000-0000-7000-8000-000000000001';
const KEY = '01900001-0000-7000-8000-000000000001';
const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM transfers)';
const START_MS = Date.UTC(2026, 10, 21);

/** As much of D1 as the hedger uses, over SQLite in memory. */
function asD1(database: DatabaseSync): D1Database {
  const known = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (text: string, values: readonly SQLInputValue[] = []): D1PreparedStatement => {
    const statement = known.get(text) ?? database.prepare(text);
    known.set(text, statement);
    const work = {
      text,
      bind: (...bound: SQLInputValue[]) => prepare(text, bound),
      run: async () => statement.run(...values),
      all: async () => ({ results: statement.all(...values) }),
    };
    return work as unknown as D1PreparedStatement;
  };
  const batch = (statements: D1PreparedStatement[]) => Promise.all(statements.map((one) => one.all()));
  return { prepare: (text: string) => prepare(text), batch } as unknown as D1Database;
}

/** A ledger with a client who has much, and a venue that is funded. */
function openLedger(): DatabaseSync {
  const database = openMigrated('migrations');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec(`INSERT INTO address_indexes (address_index, account_id) VALUES (0, '${ACCOUNT}')`);
  database.exec(`INSERT INTO accounts (id, address_index, label, created_at) VALUES ('${ACCOUNT}', 0, 'client', 1)`);
  database.exec(`INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at)
    VALUES ('${KEY}', '${ACCOUNT}', 'k', 'rtw', 'h', 1)`);
  for (const [asset, amount, funded] of [
    ['USDT', '500000000000000', '20000000000000'],
    ['BTC', '500000000000', '30000000000'],
  ]) {
    database.exec(`INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, reference, transfer)
      VALUES ('${ACCOUNT}', 'd${asset}', 'INTERNAL_DEPOSIT', '${asset}', ${amount}, 1, 'COMPLETED', 'r${asset}', ${NEXT})`);
    database.exec(`INSERT INTO audit (id, ts, role, action, target, detail)
      VALUES ((SELECT coalesce(max(id), 0) + 1 FROM audit), 1, 'operator', 'fund', 'f${asset}', '{}')`);
    database.exec(`INSERT INTO fundings VALUES ('house:venue:played', 'f${asset}', 'house:liquidity', '${asset}', ${funded},
      'f${asset}', ${NEXT})`);
  }
  return database;
}

/** Where a hedger may die, and the pause between a hedge's row and its sending. */
export const points = [
  'before the row',
  'after the row',
  'before it is sent',
  'after it is sent',
  'before it ends DEALT',
  'before it ends NEVER',
  'after it has ended',
] as const;

type Point = (typeof points)[number];

export interface Run {
  readonly seed: number;
  readonly orders: number;
  /** The share of cases at each point, and of pauses of 45 s while another hedger looks. */
  readonly crash: number;
  readonly pause: number;
  readonly faults: Partial<DealerFaults>;
}

export interface RunFigures {
  readonly hedges: Readonly<Record<string, number>>;
  readonly crashes: Readonly<Record<Point, number>>;
  readonly pauses: number;
  /** Ids that the venue executed more than once. */
  readonly doubled: number;
  /** Hedges of which the ledger says something else than the venue. */
  readonly believedWrongly: number;
  readonly open: number;
  /** What the venue has less what the ledger says: in atoms of the coin, and of USDT rounded up. */
  readonly coinOff: bigint;
  readonly usdtOff: bigint;
  readonly sumsOff: number;
  readonly maxPosition_usdt: number;
}

const TERMS: Settings['coinTerms'] = {
  BTC: {
    hedging: { venue: 'played', ...HEDGING, limitBps: 30 },
  },
};

const REPORT = { markets: [MARKET] } as unknown as VenueReport;

const never = new Promise<never>(() => undefined);

/** Plays clients, a market, a venue and a hedger that dies, in virtual time. All that lasts is in a real ledger. */
export async function runInTime({ seed, orders, crash, pause, faults }: Run): Promise<RunFigures> {
  const [draw, clock, database] = [createRandom(seed), { now: START_MS }, openLedger()];
  const d1 = asD1(database);
  let middle = 6_000_000_000_000n;
  const played = new PlayedDealer(clock, createRandom(seed + 1), () => middle, { ...NO_FAULTS, ...faults });
  const order =
    database.prepare(`INSERT INTO orders (account_id, id, coin, side, executed_price, coin_amount, usdt_amount,
      status, price_round, key_id, first_transfer, middle_price, admitted_at, price_as_of)
    VALUES ('${ACCOUNT}', ?, 'BTC', ?, ?, ?, ?, 'COMPLETED', ?, '${KEY}', ${NEXT}, ?, 1, 1)`);
  const crashes = Object.fromEntries(points.map((point) => [point, 0])) as Record<Point, number>;
  const clients = { placed: 0, isDone: false };
  let [nextOrder_ms, pauses, isCalm] = [clock.now, 0, false];
  const gauss = () => Math.sqrt(-2 * Math.log(draw() + 1e-12)) * Math.cos(2 * Math.PI * draw());
  const place = () => {
    const side = draw() < 0.52 ? 'BUY' : 'SELL';
    const usdt = Math.min(20_000, Math.exp(5 + 1.2 * gauss())) + 1;
    const amount = BigInt(Math.max(1, Math.floor((usdt / (Number(middle) / 1e8)) * 1e8)));
    const price = side === 'BUY' ? (middle * 10_020n) / 10_000n : (middle * 9_980n) / 10_000n;
    const exact = amount * price;
    const cost = side === 'BUY' ? (exact + 9_999_999_999n) / 10_000_000_000n : exact / 10_000_000_000n;
    clients.placed += 1;
    clients.isDone = clients.placed >= orders;
    order.run(newRecordId(clock.now), side, price, amount, cost, clients.placed, middle);
  };
  const advance = (by_ms: number) => {
    const until = clock.now + by_ms;
    while (nextOrder_ms <= until && !clients.isDone) {
      clock.now = nextOrder_ms;
      played.pass();
      middle = BigInt(Math.round(Number(middle) * Math.exp(0.0002 * gauss())));
      place();
      nextOrder_ms += Math.ceil(-Math.log(draw() + 1e-12) * 4_000);
    }
    clock.now = until;
    played.pass();
  };

  /** What a hedger remembers on its own disk. */
  let since: Readonly<Record<string, number>> = {};
  /** A hedger, and how it is told that it died. */
  const begin = () => {
    const death = Promise.withResolvers<never>();
    let isDead = false;
    const at = (point: Point) => {
      if (isDead) return true;
      if (isCalm || draw() >= crash) return false;
      crashes[point] += 1;
      isDead = true;
      death.reject(new Error(point));
      return true;
    };
    const mortal: D1Database = {
      ...d1,
      prepare: (text: string) => {
        const isHedge = /^\s*(?:INSERT INTO|UPDATE) hedges/.test(text);
        const isPlan = text.includes('INSERT INTO');
        const statement = d1.prepare(text);
        if (!isHedge) return statement;
        return {
          bind: (...values: unknown[]) => {
            const bound = statement.bind(...values);
            const before: Point = isPlan
              ? 'before the row'
              : values[0] === 'DEALT'
                ? 'before it ends DEALT'
                : 'before it ends NEVER';
            return {
              run: async () => {
                if (at(before)) return never;
                const result = await bound.run();
                return at(isPlan ? 'after the row' : 'after it has ended') ? never : result;
              },
            };
          },
        } as unknown as D1PreparedStatement;
      },
    } as D1Database;
    const sent = new Set<string>();
    const dealer: Dealer = {
      submit: async (deal) => {
        if (!sent.has(deal.id) && !isCalm && draw() < pause) {
          pauses += 1;
          isCalm = true;
          for (let second = 0; second < 45; second += 1) {
            advance(1_000);
            await look(partsOf(d1, played));
          }
          isCalm = false;
        }
        sent.add(deal.id);
        if (at('before it is sent')) return never;
        const state = await played.submit(deal);
        advance(50 + Math.floor(draw() * 300));
        return at('after it is sent') ? never : state;
      },
      report: () => Promise.resolve(undefined),
    };
    return { work: () => Promise.race([look(partsOf(mortal, dealer)), death.promise]), hasDied: () => isDead };
  };
  const partsOf = (own: D1Database, dealer: Dealer): HedgerParts => ({
    d1: own,
    ledger: 0,
    dealer,
    readSettings: async () => ({ ...settings, coinTerms: TERMS }),
    readPrices: async () => new Map([['BTC', middle]]),
    readReport: async () => REPORT,
    since: {
      read: () => since,
      write: (next) => {
        since = next;
      },
    },
    halt: async (reason) => {
      throw new Error(`hedging was halted: ${reason}`);
    },
    note: () => undefined,
    now: () => clock.now,
  });

  let hedger = begin();
  let maxPosition_usdt = 0;
  const read = <Row>(text: string) => database.prepare(text).all() as Row[];
  const lookOnce = async () => {
    try {
      await hedger.work();
    } catch (error) {
      if (!hedger.hasDied()) throw error;
      advance(3_000);
      hedger = begin();
    }
  };
  while (!clients.isDone) {
    advance(1_000);
    await lookOnce();
    const [own] = read<{ amount: number }>(
      "SELECT sum(amount - capital) AS amount FROM balances WHERE account IN ('house:liquidity', 'house:hedging') AND asset = 'BTC'",
    );
    maxPosition_usdt = Math.max(maxPosition_usdt, (Math.abs(own?.amount ?? 0) * Number(middle)) / 1e16);
  }
  // Clients and faults end, and everything must come to rest.
  isCalm = true;
  played.faults = NO_FAULTS;
  for (let second = 0; second < 400; second += 1) {
    advance(1_000);
    await lookOnce();
  }
  const hedges = read<{ id: string; status: string; amount: number }>(
    'SELECT id, status, dealt_coin AS amount FROM hedges',
  );
  const there = new Map(
    read<{ asset: string; amount: string }>(
      "SELECT asset, CAST(-amount AS TEXT) AS amount FROM balances WHERE account = 'house:venue:played'",
    ).map(({ asset, amount }) => [asset, BigInt(amount)]),
  );
  const believed = new Map(hedges.map(({ id, amount }) => [id, BigInt(amount)]));
  const dealtAt = (id: string) => {
    const state = played.orders.get(id);
    return state?.kind === 'dealt' ? BigInt(state.amount.replace('.', '')) : 0n;
  };
  const ids = new Set([...believed.keys(), ...played.orders.keys()]);
  const usdt = 2_000_000_000_000_000n + played.usdt - (there.get('USDT') ?? 0n) * 100n;
  return {
    hedges: Object.fromEntries(
      [...Map.groupBy(hedges, ({ status }) => status)].map(([status, all]) => [status, all.length]),
    ),
    crashes,
    pauses,
    doubled: played.doubled,
    believedWrongly: [...ids].filter((id) => believed.get(id) !== dealtAt(id)).length,
    open: hedges.filter(({ status }) => status === 'OPEN').length,
    coinOff: 30_000_000_000n + played.coin - (there.get('BTC') ?? 0n),
    usdtOff: usdt / 100n,
    sumsOff: read('SELECT asset FROM balances GROUP BY asset HAVING sum(amount) <> 0').length,
    maxPosition_usdt,
  };
}
