import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { finishMovement } from '../../src/lane/finish-movement.ts';
import { checkMovements } from '../../src/ledger/movements/check-movements.ts';
import { keepInventory } from '../../src/ledger/movements/keep-inventory.ts';
import { sandboxCustody } from '../../src/wallet/custody/sandbox.ts';
import { type ProblemBody, type Trader, asOperator, json } from '../support/exchange.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { agreeQuick, drawReference, settle } from '../support/operator/settlements.ts';
import { CONNECTION_LOST, type Moment, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';

const ledgers = [0, 1, 2] as const;
const BTC = 100_000_000n;

/** What each ledger's house has of BTC in an account. */
async function readBtc(account: string): Promise<[bigint, bigint, bigint]> {
  const read = async (ledger: number) => {
    const query = "SELECT CAST(amount AS TEXT) AS amount FROM balances WHERE account = ? AND asset = 'BTC'";
    return BigInt((await databaseOf(ledger).prepare(query).bind(account).first<string>('amount')) ?? 'no balance');
  };
  return [await read(0), await read(1), await read(2)];
}

const readInventory = () => readBtc('house:liquidity');

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The inventory of all ledgers together, and what is in transit. */
const readWhole = async () => sum(await readInventory()) + sum(await readBtc('house:transit'));

const inUnits = (atoms: bigint) => `${atoms / BTC}.${String(atoms % BTC).padStart(8, '0')}`;

/** Sets each ledger's part of the exposure of BTC, in atoms. */
async function shareExposure(parts: readonly [bigint, bigint, bigint]): Promise<void> {
  const setWhole = (atoms: bigint) => asOperator('PATCH', '/settings', { exposure: { BTC: inUnits(atoms) } });
  // So much that ledger 0 can give the others their parts.
  expect((await setWhole(10_000n * BTC)).status).toBe(200);
  for (const ledger of [1, 2] as const) {
    const answer = await asOperator('PATCH', '/quotas', { ledger, exposure: { BTC: inUnits(parts[ledger]) } });
    expect(answer.status).toBe(200);
  }
  expect((await setWhole(sum(parts))).status).toBe(200);
}

let traders: Trader[];
beforeAll(async () => {
  traders = await Promise.all(ledgers.map(openTraderIn));
});

const buy = (ledger: number, atoms: bigint) =>
  traders[ledger]!.order({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: inUnits(atoms) });

/** Has a trader settle with the house until the inventory of the ledger is this. */
async function bringTo(ledger: 0 | 1 | 2, wanted: bigint): Promise<void> {
  const missing = wanted - (await readInventory())[ledger];
  if (missing === 0n) return;
  const trader = traders[ledger]!;
  if (missing > 0n) {
    const body = { asset: 'BTC', amount: inUnits(missing), reference: drawReference() };
    expect((await asOperator('POST', `/accounts/${trader.accountId}/credits`, body)).ok).toBe(true);
  }
  const [side, atoms] = missing > 0n ? (['SELL', missing] as const) : (['BUY', -missing] as const);
  const terms = { coin: 'BTC', coinAmount: inUnits(atoms), usdtAmount: '0.000001' };
  expect((await settle(agreeQuick(trader, side, terms))).status).toBe(201);
}

/** Shares the exposure and trades until each ledger has this inventory. */
async function begin(parts: readonly [bigint, bigint, bigint], has: readonly [bigint, bigint, bigint]): Promise<void> {
  await shareExposure([BTC, BTC, BTC]);
  for (const ledger of ledgers) await bringTo(ledger, has[ledger]);
  await shareExposure(parts);
}

const codeOf = async (answer: Response) => (await json<ProblemBody>(answer)).code;

const keep = (ledger: number) => keepInventory(env, ledger, Date.now());

/** Strikes the second half of the next movement. */
function strikeSecond(moment: Moment) {
  let halves = 0;
  const isSecond = (text: string) => text.includes('insert into \\"movements\\"') && (halves += 1) === 2;
  return aroundBatches(moment, 1, fail(CONNECTION_LOST), isSecond);
}

afterEach(async () => {
  vi.restoreAllMocks();
  expect(sum(await readBtc('house:transit'))).toBe(0n);
});

describe('inventory', () => {
  it('moves to a ledger that has used more than half of its part, and its orders fill again', async () => {
    await begin([100_000n, 10_000n, 40_000n], [0n, 0n, 0n]);
    const whole = await readWhole();
    expect((await buy(1, 9_000n)).status).toBe(201);
    expect(await codeOf(await buy(1, 9_000n))).toBe('order_rejected');
    const keeper = env.LEDGER_KEEPER.getByName('1');
    await keeper.wake();
    await runDurableObjectAlarm(keeper);
    // Ledger 0 could give 50,000 until half of its part is used, and ledger 1 lacked 4,000: then both could give 23,000.
    expect(await readInventory()).toEqual([-27_000n, 18_000n, 0n]);
    expect(await readWhole()).toBe(whole - 9_000n);
    expect((await buy(1, 9_000n)).status).toBe(201);
  });

  it('stays where more than half of the giver’s own part would be used', async () => {
    await begin([20_000n, 40_000n, 20_000n], [-8_000n, -40_000n, -9_000n]);
    await keep(1);
    expect(await readInventory()).toEqual([-10_000n, -38_000n, -9_000n]);
    await keep(1);
    expect(await readInventory()).toEqual([-10_000n, -37_000n, -10_000n]);
    for (const ledger of ledgers) await keep(ledger);
    expect(await readInventory()).toEqual([-10_000n, -37_000n, -10_000n]);
  });

  it('does not go to and fro: it comes to rest without orders', async () => {
    await begin([30_000n, 40_000n, 50_000n], [10_000n, -39_000n, -30_000n]);
    const keepAll = async () => {
      for (const ledger of ledgers) await keep(ledger);
    };
    await keepAll();
    expect(await readInventory()).toEqual([-15_000n, -17_000n, -27_000n]);
    await keepAll();
    expect(await readInventory()).toEqual([-15_000n, -19_500n, -24_500n]);
    for (let round = 0; round < 3; round += 1) await keepAll();
    expect(await readInventory()).toEqual([-15_000n, -19_500n, -24_500n]);
  });

  it('is given by one ledger to two at once within half of its part', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await begin([20_000n, 60_000n, 60_000n], [0n, -60_000n, -60_000n]);
    await Promise.all([keep(1), keep(2)]);
    expect((await readInventory())[0]).toBe(-10_000n);
    expect(await readWhole()).toBe(-120_000n);
  });

  it('is not moved for less than a 64th of the receiver’s part', async () => {
    await begin([20_000n, 64_000n, 20_000n], [-9_001n, -64_000n, -10_000n]);
    await keep(1);
    expect(await readInventory()).toEqual([-9_001n, -64_000n, -10_000n]);
    await bringTo(0, -9_000n);
    await keep(1);
    expect(await readInventory()).toEqual([-10_000n, -63_000n, -10_000n]);
  });

  it('is looked at in its own ledger alone while no more than half is used', async () => {
    await begin([20_000n, 20_000n, 20_000n], [0n, -10_000n, 0n]);
    const broken = new Proxy({} as D1Database, { get: () => fail(CONNECTION_LOST) });
    await keepInventory({ ...env, DB: broken, DB_2: broken }, 1, Date.now());
    expect(await readInventory()).toEqual([0n, -10_000n, 0n]);
  });

  it.each(['before', 'after'] as const)(
    'that a crash %s the second half leaves in transit is finished by the keeper, once',
    async (moment) => {
      vi.spyOn(console, 'error').mockReturnValue();
      await begin([100_000n, 20_000n, 20_000n], [0n, -20_000n, 0n]);
      const whole = await readWhole();
      const cut = strikeSecond(moment);
      await expect(keep(1)).rejects.toThrow('perhaps not moved: BTC');
      expect(cut.state.injected).toBe(1);
      cut.restore();
      expect(await readWhole()).toBe(whole);
      const finish = finishMovement.bind(undefined, env, sandboxCustody);
      for (let time = 0; time < 2; time += 1) {
        for (const ledger of ledgers) {
          const { findings } = await checkMovements(env, ledger, {}, finish, Date.now() + 40_000);
          expect(findings).toEqual([]);
        }
      }
      expect(await readInventory()).toEqual([-30_000n, 10_000n, 0n]);
    },
  );

  it('that was given is finished also when orders have used up the giver’s half meanwhile', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await begin([20_000n, 20_000n, 0n], [0n, -20_000n, 0n]);
    const cut = strikeSecond('before');
    await expect(keep(1)).rejects.toThrow('perhaps not moved: BTC');
    cut.restore();
    await bringTo(0, -20_000n);
    const finish = finishMovement.bind(undefined, env, sandboxCustody);
    await checkMovements(env, 0, {}, finish, Date.now() + 40_000);
    expect(await readInventory()).toEqual([-20_000n, -10_000n, 0n]);
  });
});
