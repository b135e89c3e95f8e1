// @runtime three-ledgers
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keepSettings } from '../../src/db/copy-settings.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { type ProblemBody, type Trader, asOperator, json, operate, expectCode } from '../support/exchange.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';

const ledgers = [0, 1, 2] as const;
const LTC = 100_000_000n;

interface LimitFigures {
  readonly asset: string;
  readonly limit: string;
  readonly ledgers: readonly { ledger: number; share: string; allowed: string | null; used: string | null }[];
}

const readShares = async () => {
  const { shares } = await operate<{ shares: { supplyCaps: LimitFigures[]; exposure: LimitFigures[] } }>(
    'GET',
    '/shares',
  );
  return shares;
};

const ofLtc = async () => {
  const { supplyCaps } = await readShares();
  const limit = supplyCaps.find(({ asset }) => asset === 'LTC');
  if (!limit) throw new Error('there is no limit of LTC');
  return limit;
};

const cap = (amount: string) => asOperator('PATCH', '/settings', { supplyCaps: { LTC: amount } });
const setShare = (ledger: number, amount: string) =>
  asOperator('PATCH', '/shares', { ledger, supplyCaps: { LTC: amount } });

/** What each ledger may use of the supply cap of LTC, by its own database, in atoms. */
const readFloors = () =>
  Promise.all(
    ledgers.map(async (ledger) => {
      const floor = await sqlIn(
        ledger,
        `SELECT CAST(-floor AS TEXT) AS floor FROM balances WHERE account = 'house:custody' AND asset = 'LTC'`,
      ).first<string>('floor');
      return BigInt(floor ?? 'none');
    }),
  );

const sumOfFloors = async () => (await readFloors()).reduce((sum, floor) => sum + floor, 0n);

const codeOf = async (response: Response) => `${response.status} ${(await json<Partial<ProblemBody>>(response)).code}`;

const keepAll = async () => {
  for (const ledger of ledgers) await keepSettings(env, ledger, Date.now());
};

const credit = ({ accountId }: Trader, amount: string) =>
  asOperator('POST', `/accounts/${accountId}/credits`, { asset: 'LTC', amount, reference: crypto.randomUUID() });

beforeEach(async () => {
  await keepAll();
  for (const ledger of [1, 2]) await setShare(ledger, (await ofLtc()).ledgers[ledger]?.used ?? '0');
});

describe('the shares of three ledgers', () => {
  it('are equal at first, and their sum is the limit', async () => {
    const { supplyCaps, exposure } = await readShares();
    const others = [...supplyCaps, ...exposure].filter(({ asset }) => asset !== 'LTC');
    for (const { asset, limit, ledgers: own } of others) {
      const shares = own.map(({ share }) => Number(share));
      for (const share of shares) expect(share / Number(limit), asset).toBeCloseTo(1 / 3, 6);
      expect(own.map(({ allowed }) => allowed)).toEqual(own.map(({ share }) => share));
    }
  });

  it('are set ledger by ledger, and ledger 0 gives and gets the difference', async () => {
    expect((await cap('1000')).status).toBe(200);
    expect((await setShare(1, '300')).status).toBe(200);
    expect((await setShare(2, '200')).status).toBe(200);
    expect(await readFloors()).toEqual([500n * LTC, 300n * LTC, 200n * LTC]);
    expect((await setShare(1, '250')).status).toBe(200);
    expect(await readFloors()).toEqual([550n * LTC, 250n * LTC, 200n * LTC]);
    expect(await ofLtc()).toMatchObject({ limit: '1000' });
  });

  it('bound what each ledger is credited, and a ledger without one is credited nothing', async () => {
    const trader = await openTraderIn(1);
    await expectCode(credit(trader, '1'), '422 supply_cap_exceeded');
    const { used } = (await ofLtc()).ledgers[1] ?? {};
    expect((await setShare(1, String(Number(used) + 5))).status).toBe(200);
    expect((await credit(trader, '5')).status).toBe(201);
    await expectCode(credit(trader, '0.00000001'), '422 supply_cap_exceeded');
  });

  it('refuse to become less than is used, more than ledger 0 has, or those of ledger 0 or of none', async () => {
    const trader = await openTraderIn(2);
    const { used } = (await ofLtc()).ledgers[2] ?? {};
    expect((await setShare(2, String(Number(used) + 7))).status).toBe(200);
    expect((await credit(trader, '7')).status).toBe(201);
    const before = await readFloors();
    await expectCode(setShare(2, String(Number(used) + 6)), '409 invalid_state');
    await expectCode(setShare(1, '999999999'), '409 invalid_state');
    await expectCode(setShare(0, '1'), '400 invalid_request');
    await expectCode(setShare(3, '1'), '400 invalid_request');
    await expectCode(setShare(1, '0.000000001'), '422 precision_exceeded');
    expect(await readFloors()).toEqual(before);
  });

  it('rise and fall with the limit: in proportion, and by what is not used', async () => {
    const used = (await ofLtc()).ledgers.map((one) => Number(one.used));
    const whole = used.reduce((sum, one) => sum + one, 0);
    expect((await cap(String(whole + 1_000))).status).toBe(200);
    expect((await setShare(1, String((used[1] ?? 0) + 100))).status).toBe(200);
    expect((await cap(String(whole))).status).toBe(200);
    expect(await readFloors()).toEqual(used.map((one) => BigInt(Math.round(one * 1e8))));
    if (whole > 0) expect(await codeOf(await cap(String(whole - 0.00000001)))).toBe('409 invalid_state');
  });

  it('credit a deposit that its ledger had no share for, once it has', async () => {
    const trader = await openTraderIn(1);
    const address = (await readAddresses(trader))['LTC'] ?? '';
    const txHash = crypto.getRandomValues(new Uint8Array(32)).toHex();
    const report = () =>
      asOperator('POST', '/deposits', { network: 'LTC', address, asset: 'LTC', amount: '3', txHash, confirmations: 9 });
    const statusOf = async (response: Response) =>
      (await json<{ deposit: { status: string; reason: string | null } }>(response)).deposit;
    expect(await statusOf(await report())).toMatchObject({ status: 'QUARANTINED', reason: 'supply_cap' });
    const { used } = (await ofLtc()).ledgers[1] ?? {};
    await cap('5000');
    expect((await setShare(1, String(Number(used) + 3))).status).toBe(200);
    expect(await statusOf(await report())).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a change of shares that is cut off', () => {
  /** The batches that lower or raise floors, or write the plan. */
  const isStep = (text: string) => text.includes('own_shares');

  it.each([
    ['before', 1],
    ['after', 1],
    ['before', 2],
    ['after', 2],
    ['before', 3],
    ['after', 3],
    ['before', 4],
    ['after', 4],
  ] as const)('%s step %i leaves the sum within the limit, and the keepers finish it', async (moment, step) => {
    await cap('5000');
    const floor = (await ofLtc()).ledgers.map(({ used }) => Number(used));
    expect((await setShare(1, String((floor[1] ?? 0) + 1_000))).status).toBe(200);
    expect((await setShare(2, String((floor[2] ?? 0) + 100))).status).toBe(200);
    const limit = await sumOfFloors();
    // Ledger 1 gives to ledger 2 by way of a lower and a higher share.
    let seen = 0;
    aroundBatches(moment, 1, fail(CONNECTION_LOST), (text) => isStep(text) && (seen += 1) === step);
    const answers = [await setShare(1, String((floor[1] ?? 0) + 10)), await setShare(2, String((floor[2] ?? 0) + 900))];
    expect(await sumOfFloors()).toBeLessThanOrEqual(limit);
    vi.restoreAllMocks();
    expect(answers.map(({ status }) => status).every((status) => [200, 503].includes(status))).toBe(true);
    await setShare(1, String((floor[1] ?? 0) + 10));
    await setShare(2, String((floor[2] ?? 0) + 900));
    await keepAll();
    const { ledgers: settled } = await ofLtc();
    expect(settled.map(({ allowed }) => allowed)).toEqual(settled.map(({ share }) => share));
    expect(await sumOfFloors()).toBe(limit);
  });

  it('raises no share while a ledger does not answer, and does so when it does', async () => {
    await cap('5000');
    const { used } = (await ofLtc()).ledgers[1] ?? {};
    const before = await readFloors();
    // The copy in ledger 2 fails: it does not know the shares yet, so nobody may use more.
    const broken = aroundBatches('before', 20, fail(CONNECTION_LOST), (text) =>
      text.includes('reconciliation_violations'),
    );
    await expectCode(setShare(1, String(Number(used) + 50)), '503 service_unavailable');
    expect(broken.state.injected).toBeGreaterThan(0);
    const [first, second] = await readFloors();
    expect(first).toBe((before[0] ?? 0n) - 50n * LTC);
    expect(second).toBe(before[1]);
    vi.restoreAllMocks();
    await keepAll();
    expect((await readFloors())[1]).toBe((before[1] ?? 0n) + 50n * LTC);
  });

  it('takes what a ledger no longer uses when it does not, and only then gives it', async () => {
    await cap('5000');
    const trader = await openTraderIn(1);
    const { used } = (await ofLtc()).ledgers[1] ?? {};
    const base = Number(used);
    expect((await setShare(1, String(base + 20))).status).toBe(200);
    // The plan is made; a credit uses the share at the same moment, before the ledger is told.
    aroundBatches(
      'before',
      1,
      async () => {
        expect((await credit(trader, '15')).status).toBe(201);
      },
      (text) => text.includes('update \\"settings\\"') && text.includes('own_shares'),
    );
    const answer = await setShare(1, String(base));
    expect(answer.status).toBe(503);
    expect((await readFloors())[1]).toBe(BigInt(Math.round((base + 15) * 1e8)));
    expect(await sumOfFloors()).toBeLessThanOrEqual(5_000n * LTC);
  });
});
