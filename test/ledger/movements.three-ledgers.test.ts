import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finishMovement } from '../../src/lane/finish-movement.ts';
import {
  type CheckedMovements,
  type FinishMovement,
  type MovementsPosition,
  checkMovements,
} from '../../src/ledger/movements/check-movements.ts';
import { type Movement, moveInventory } from '../../src/ledger/movements/movement.ts';
import { reachKeeper } from '../../src/ledger/reach-keeper.ts';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { openLedger } from '../../src/ledger/ledgers.ts';
import { listViolations } from '../../src/ledger/reconciliation/violations.ts';
import { assetSymbols } from '../../src/money/assets.ts';
import type { Reconciliation } from '../../src/operator/reconciliation.ts';
import { sandboxCustody } from '../../src/wallet/custody/sandbox.ts';
import { asOperator, json } from '../support/exchange.ts';
import { databaseOf } from '../support/ledger/open-in-ledger.ts';
import { CONNECTION_LOST, OVERLOADED } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';

const ledgers = [0, 1, 2] as const;
const MINUTE_MS = 60_001;

const draw = (from: number, to: number, change: Partial<Movement> = {}): Movement => ({
  id: newRecordId(Date.now(), from),
  asset: 'BTC',
  amount: 5n,
  from,
  to,
  ...change,
});

async function readBalance(ledger: number, account: string, asset = 'BTC'): Promise<number> {
  const query = 'SELECT amount FROM balances WHERE account = ? AND asset = ?';
  return Number(await databaseOf(ledger).prepare(query).bind(account, asset).first('amount'));
}

const readAll = (account: string) => Promise.all(ledgers.map((ledger) => readBalance(ledger, account)));

async function countHalves(id: string): Promise<number[]> {
  const query = 'SELECT count(*) AS n FROM movements WHERE id = ?';
  return Promise.all(
    ledgers.map(async (ledger) => Number(await databaseOf(ledger).prepare(query).bind(id).first('n'))),
  );
}

/** The bindings with a ledger's database that fails with every statement, or with every batch that writes. */
function breakLedger(ledger: number, message = CONNECTION_LOST): typeof env {
  const fail = () => {
    throw new Error(message);
  };
  const failing = new Proxy({} as D1Database, { get: () => fail });
  return { ...env, [ledger === 0 ? 'DB' : `DB_${ledger}`]: failing };
}

/** Checks the new movements of a ledger as its keeper does, by default a minute later. */
function check(
  ledger: number,
  position: MovementsPosition = {},
  now_ms = Date.now() + MINUTE_MS,
  bindings = env,
  finish: FinishMovement = (half) => finishMovement(bindings, sandboxCustody, half),
): Promise<CheckedMovements> {
  return checkMovements(bindings, ledger, position, finish, now_ms);
}

/** Writes one half only. */
async function writeOut(movement: Movement): Promise<void> {
  expect((await moveInventory(breakLedger(movement.to), movement)).kind).toBe('unknown');
}

/** Changes the halves of a ledger as if no trigger stood in the way. */
async function rewrite(ledger: number, statement: string): Promise<void> {
  const database = databaseOf(ledger);
  const { results } = await database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'movements'")
    .all<{ name: string; sql: string }>();
  await database.batch([
    ...results.map(({ name }) => database.prepare(`DROP TRIGGER ${name}`)),
    database.prepare(statement),
    ...results.map(({ sql }) => database.prepare(sql)),
  ]);
}

const faultsOf = ({ findings }: CheckedMovements) => findings.map(({ example }) => example['fault']);

/** No balance of the house is changed by movements over all ledgers, and nothing is in transit. */
async function expectNothingLost(): Promise<void> {
  for (const asset of assetSymbols) {
    const transit = await Promise.all(ledgers.map((ledger) => readBalance(ledger, 'house:transit', asset)));
    expect(transit.reduce((sum, amount) => sum + amount, 0)).toBe(0);
    for (const ledger of ledgers) {
      const query = 'SELECT sum(amount) AS n FROM balances WHERE asset = ?';
      expect(await databaseOf(ledger).prepare(query).bind(asset).first('n')).toBe(0);
    }
  }
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());

describe('a movement of the inventory', () => {
  it('leaves one ledger and comes into another, once, however often it is made', async () => {
    const before = await readAll('house:liquidity');
    const movement = draw(0, 2);
    const outcomes = await Promise.all([1, 2, 3].map(() => moveInventory(env, movement)));
    expect(outcomes.some(({ kind }) => kind === 'committed')).toBe(true);
    expect(await moveInventory(env, movement)).toEqual({ kind: 'committed' });
    expect(await countHalves(movement.id)).toEqual([1, 0, 1]);
    const after = await readAll('house:liquidity');
    expect(after.map((amount, ledger) => amount - before[ledger]!)).toEqual([-5, 0, 5]);
    await expectNothingLost();
  });

  it('is refused where the house would be short by more than half of the exposure, and then has no half', async () => {
    const movement = draw(1, 2, { amount: 20_000_000_001n });
    expect(await moveInventory(env, movement)).toEqual({ kind: 'guarded', guard: 'inventory_needed' });
    expect(await countHalves(movement.id)).toEqual([0, 0, 0]);
  });

  it.each(ledgers)(
    'stays in transit when ledger %i is lost between the halves, and its keeper finishes it',
    async (to) => {
      const from = (to + 1) % 3;
      const movement = draw(from, to);
      await writeOut(movement);
      expect(await countHalves(movement.id)).toEqual(ledgers.map((ledger) => (ledger === from ? 1 : 0)));
      const young = await check(from, {}, Date.now());
      expect([young.findings, await countHalves(movement.id)]).toEqual([
        [],
        ledgers.map((ledger) => (ledger === from ? 1 : 0)),
      ]);
      const checked = await check(from);
      expect(checked.findings).toEqual([]);
      expect(await countHalves(movement.id)).toEqual(
        ledgers.map((ledger) => (ledger === from || ledger === to ? 1 : 0)),
      );
      await expectNothingLost();
    },
  );
});

describe('the check of movements', () => {
  it('compares each half once, and reads none again', async () => {
    const position = Object.fromEntries((await Promise.all(ledgers.map((ledger) => check(ledger)))).entries());
    await moveInventory(env, draw(0, 1));
    await moveInventory(env, draw(2, 0));
    const first = await check(0, position[0]?.next);
    expect([first.whole, first.findings]).toEqual([2, []]);
    const again = await check(0, first.next);
    expect([again.whole, again.next]).toEqual([0, first.next]);
    expect((await check(1, position[1]?.next)).whole).toBe(1);
    expect((await check(2, position[2]?.next)).whole).toBe(1);
  });

  it('compares more halves than one statement reads', async () => {
    const { next } = await check(0);
    for (let made = 0; made < 104; made += 1) await moveInventory(env, draw(0, 1));
    const checked = await check(0, next);
    expect([checked.whole, checked.findings]).toEqual([104, []]);
  });

  it('knows nothing of a ledger that does not answer, and compares its halves later', async () => {
    const { next } = await check(0);
    await moveInventory(env, draw(0, 1));
    await moveInventory(env, draw(0, 2));
    for (const message of [CONNECTION_LOST, OVERLOADED]) {
      const blind = await check(0, next, Date.now() + MINUTE_MS, breakLedger(1, message));
      expect([blind.whole, blind.findings, blind.next[1]]).toEqual([1, [], next[1]]);
    }
    const open = draw(0, 2);
    await writeOut(open);
    const finish: FinishMovement = () => Promise.resolve('unknown');
    expect((await check(0, next, Date.now() + MINUTE_MS, env, finish)).findings).toEqual([]);
    const lost: FinishMovement = () => Promise.reject(new Error(CONNECTION_LOST));
    expect((await check(0, next, Date.now() + MINUTE_MS, env, lost)).findings).toEqual([]);
    expect((await check(0, next)).whole).toBe(3);
  });

  it('finds a half whose other half is missing for good, only after a minute', async () => {
    const { next } = await check(0);
    const movement = draw(0, 1);
    await writeOut(movement);
    const finish: FinishMovement = () => Promise.resolve('refused');
    expect(faultsOf(await check(0, next, Date.now() + 30_000, env, finish))).toEqual([]);
    const found = await check(0, next, Date.now() + MINUTE_MS, env, finish);
    expect(found.findings).toEqual([
      {
        invariant: 'movements_have_both_halves',
        example: {
          movement: movement.id,
          half: 'OUT',
          asset: 'BTC',
          amount: '5',
          ledger: '0',
          peer: '1',
          fault: 'its other half is missing',
        },
      },
    ]);
    // It is found again as long as it is so, and not when it has come.
    expect(faultsOf(await check(0, found.next, Date.now() + MINUTE_MS, env, finish))).toHaveLength(1);
    await moveInventory(env, movement);
    expect(faultsOf(await check(0, found.next))).toEqual([]);
  });

  it.each([
    ['amount', 'amount = amount + 1', 'its other half differs'],
    ['asset', "asset = 'ETH'", 'its other half differs'],
    ['direction', "half = 'OUT'", 'its other half differs'],
    ['ledgers', 'peer = 0', 'its other half differs'],
    ['purpose', "purpose = 'GIFT'", 'its other half differs'],
  ])('finds a half whose other half has another %s', async (_, change, fault) => {
    const movement = draw(2, 1);
    const { next } = await check(2);
    await moveInventory(env, movement);
    const row = await databaseOf(1)
      .prepare('SELECT * FROM movements WHERE id = ?')
      .bind(movement.id)
      .first<Record<string, string | number | null>>();
    await rewrite(1, `UPDATE movements SET ${change} WHERE id = '${movement.id}'`);
    const found = await check(2, next);
    const back = Object.entries(row!).map(([name, value]) => `${name} = ${value === null ? 'NULL' : `'${value}'`}`);
    await rewrite(1, `UPDATE movements SET ${back.join(', ')} WHERE id = '${movement.id}'`);
    expect(faultsOf(found)).toEqual([fault]);
    expect(faultsOf(await check(2, next))).toEqual([]);
  });

  it('finds a half that names a ledger that does not exist', async () => {
    const insert = `INSERT INTO movements
      SELECT 'house:liquidity', 'lost', 'IN', 'BTC', 1, 1, 3, 'INVENTORY', coalesce(max(id), 0) + 1, NULL FROM transfers`;
    await databaseOf(1).prepare(insert).run();
    expect(faultsOf(await check(1))).toEqual(['its other ledger does not exist']);
    await rewrite(1, "UPDATE movements SET peer = 0 WHERE id = 'lost'");
    expect(faultsOf(await check(1, {}, Date.now() + MINUTE_MS, env, () => Promise.resolve('refused')))).toEqual([
      'its other half is missing',
    ]);
    // A movement back ends what was made up.
    await databaseOf(0).prepare(insert.replace("'IN', 'BTC', 1, 1, 3", "'OUT', 'BTC', 1, 0, 1")).run();
    expect(faultsOf(await check(1))).toEqual([]);
  });
});

describe('the keeper of a ledger', () => {
  it('finishes movements, halts the exchange for one that cannot be, and reports it', async () => {
    const runKeeper = (ledger: number) =>
      runInDurableObject(env.LEDGER_KEEPER.getByName(String(ledger)), async (keeper) => {
        await (keeper as unknown as { wake(): Promise<void> }).wake();
        await keeper.alarm?.();
      });
    const movement = draw(1, 2);
    await writeOut(movement);
    const past = 'UPDATE transfers SET ts = ts - 60001 WHERE reference = ?';
    const triggers = await databaseOf(1)
      .prepare("SELECT sql FROM sqlite_schema WHERE name = 'transfers_are_not_changed'")
      .first<string>('sql');
    await databaseOf(1).batch([
      databaseOf(1).prepare('DROP TRIGGER transfers_are_not_changed'),
      databaseOf(1).prepare(past).bind(movement.id),
      databaseOf(1).prepare(triggers!),
    ]);
    await runKeeper(1);
    expect(await countHalves(movement.id)).toEqual([0, 1, 1]);
    expect(await listViolations(openLedger(env, 1))).toEqual([]);
    await rewrite(2, `UPDATE movements SET amount = 6 WHERE id = '${movement.id}'`);
    await reachKeeper(env, 1).beginAnew();
    await runKeeper(1);
    expect(await listViolations(openLedger(env, 1))).toMatchObject([{ invariant: 'movements_have_both_halves' }]);
    const answer = await asOperator('GET', '/reconciliation');
    const { reconciliation } = await json<{ reconciliation: Reconciliation }>(answer);
    const shown = reconciliation.invariants.find(({ name }) => name === 'movements_have_both_halves');
    expect([reconciliation.status, shown?.status]).toEqual(['broken', 'broken']);
    await rewrite(2, `UPDATE movements SET amount = 5 WHERE id = '${movement.id}'`);
  });
});
