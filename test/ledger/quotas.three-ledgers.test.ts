import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Grant, finishGrants, grantQuota } from '../../src/ledger/quotas/grant-quota.ts';
import { keepQuotas } from '../../src/ledger/quotas/keep-quotas.ts';
import { newRecordId } from '../../src/ledger/record-id.ts';
import type { Asset } from '../../src/money/assets.ts';
import { type ProblemBody, type Trader, asOperator, json } from '../support/exchange.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { readLimit, readStanding, sumOf } from '../support/ledger/quotas.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { waitFor } from '../support/wait-for.ts';

const ledgers = [0, 1, 2] as const;
const LTC = 100_000_000n;

const actor = () => ({ role: 'operator', now_ms: Date.now() }) as const;

const patch = (change: Record<string, unknown>) => asOperator('PATCH', '/settings', change);

const setQuotas = (ledger: number, change: Record<string, unknown>) =>
  asOperator('PATCH', '/quotas', { ledger, ...change });

function grantOf(giver: number, receiver: number, amount: bigint, asset: Asset = 'LTC'): Grant {
  return { id: newRecordId(Date.now(), giver), giver, receiver, account: 'house:custody', asset, amount };
}

const quotasOf = async (asset: Asset = 'LTC') => (await readStanding(asset)).map(({ quota }) => quota);

/** How much of a ledger’s quota of LTC is used, in whole units. */
const usedOf = async (ledger: number) => Number(((await readStanding('LTC'))[ledger]?.used ?? 0n) / LTC);

/** The supply cap of LTC and each ledger's part of it, in whole units. */
async function share(whole: number, first: number, second: number): Promise<void> {
  for (const ledger of [1, 2]) await setQuotas(ledger, { supplyCaps: { LTC: String(await usedOf(ledger)) } });
  expect((await patch({ supplyCaps: { LTC: String(whole) } })).status).toBe(200);
  expect((await setQuotas(1, { supplyCaps: { LTC: String(first) } })).status).toBe(200);
  expect((await setQuotas(2, { supplyCaps: { LTC: String(second) } })).status).toBe(200);
  expect(await quotasOf()).toEqual([whole - first - second, first, second].map((units) => BigInt(units) * LTC));
}

/** What three traders have of LTC, in whole units: so much of each quota is used. */
async function fund(amounts: readonly number[]): Promise<void> {
  const used = (await readStanding('LTC')).map((one) => Number(one.used / LTC));
  for (const ledger of ledgers) {
    const lacking = (amounts[ledger] ?? 0) - (used[ledger] ?? 0);
    if (lacking === 0) continue;
    const trader = await openTraderIn(ledger);
    const body = { asset: 'LTC', amount: String(lacking), reference: 'fund' };
    expect((await asOperator('POST', `/accounts/${trader.accountId}/credits`, body)).status).toBe(201);
  }
}

/** A hash of no transaction anywhere. */
const drawHash = () => crypto.getRandomValues(new Uint8Array(32)).toHex();

const addressOf = async (trader: Trader) => (await readAddresses(trader))['LTC'] ?? '';

const report = (address: string, amount: string, txHash = drawHash()) =>
  asOperator('POST', '/deposits', { network: 'LTC', address, asset: 'LTC', amount, txHash, confirmations: 9 });

const statusOf = async (answer: Response) => {
  const { deposit } = await json<{ deposit: { status: string; reason: string | null } }>(answer);
  return [answer.status, deposit.status, deposit.reason];
};

/** The row of a grant, recognised by its text, in the batch of its giver or of its receiver. */
const isHalf = (text: string) => text.includes('insert into \\"quota_grants\\"');
const isMark = (text: string) => text.includes('update \\"quota_grants\\"');
function isSecond(isMeant: (text: string) => boolean) {
  let seen = 0;
  return (text: string) => isMeant(text) && (seen += 1) === 2;
}

/** Nothing is ever above the limit, and all of it is somewhere when no grant is open. */
async function expectWithinLimit(asset: Asset = 'LTC'): Promise<void> {
  const [standing, limit] = [await readStanding(asset), await readLimit(asset)];
  for (const { quota, used } of standing) expect(used).toBeLessThanOrEqual(quota);
  expect(sumOf(standing, 'quota')).toBeLessThanOrEqual(limit);
}

const keepAll = async () => {
  for (const ledger of ledgers) await keepQuotas(env, ledger, Date.now());
};

const countGrants = () => databaseOf(0).prepare('SELECT count(*) AS n FROM quota_grants').first<number>('n');

afterEach(async () => {
  vi.restoreAllMocks();
  for (const ledger of ledgers) await finishGrants(env, ledger, Date.now());
  await expectWithinLimit();
  expect(sumOf(await readStanding('LTC'), 'quota')).toBe(await readLimit('LTC'));
});

describe('a grant of quota', () => {
  it.each([
    [0, 2],
    [2, 0],
  ])('from ledger %i to ledger %i changes both floors once, each with a row of the audit', async (giver, receiver) => {
    await share(90, 30, 30);
    const grant = grantOf(giver, receiver, 7n);
    for (let time = 0; time < 3; time += 1) expect(await grantQuota(env, grant, actor())).toBe('received');
    const after = await quotasOf();
    expect([after[giver], after[receiver], after[1]]).toEqual([30n * LTC - 7n, 30n * LTC + 7n, 30n * LTC]);
    for (const ledger of [giver, receiver]) {
      const named = databaseOf(ledger).prepare(`SELECT count(*) AS n FROM audit WHERE target = ?`).bind(grant.id);
      expect(await named.first('n')).toBe(1);
    }
  });

  it('of more than the giver can spare is refused, and nothing changes', async () => {
    await share(90, 30, 30);
    await fund([10, 10, 10]);
    const before = await quotasOf();
    expect(await grantQuota(env, grantOf(0, 1, 20n * LTC + 1n), actor())).toBe('refused');
    expect(await grantQuota(env, grantOf(1, 0, 20n * LTC + 1n), actor())).toBe('refused');
    expect(await grantQuota(env, grantOf(1, 0, 31n * LTC), actor())).toBe('refused');
    expect(await quotasOf()).toEqual(before);
  });

  const cuts: [string, 'before' | 'after', () => (text: string) => boolean, boolean][] = [
    ['before the giver has given', 'before', () => isHalf, false],
    ['after the giver has given', 'after', () => isHalf, true],
    ['before the receiver has it', 'before', () => isSecond(isHalf), true],
    ['after the receiver has it', 'after', () => isSecond(isHalf), true],
    ['before the giver knows', 'before', () => isMark, true],
    ['after the giver knows', 'after', () => isMark, true],
  ];

  it.each(
    cuts.flatMap(([when, moment, isMeant, isGiven]) =>
      [
        [0, 1],
        [1, 0],
      ].map(([giver = 0, receiver = 0]) => ({ when, moment, isMeant, isGiven, giver, receiver })),
    ),
  )(
    'from $giver to $receiver that is cut off $when is never in two ledgers, and the keeper finishes it once',
    async ({ moment, isMeant, isGiven, giver, receiver }) => {
      vi.spyOn(console, 'error').mockReturnValue();
      await share(90, 30, 30);
      const cut = aroundBatches(moment, 1, fail(CONNECTION_LOST), isMeant());
      await grantQuota(env, grantOf(giver, receiver, LTC), actor());
      expect(cut.state.injected).toBe(1);
      cut.restore();
      await expectWithinLimit();
      for (let time = 0; time < 2; time += 1) await keepAll();
      const after = await quotasOf();
      const change = isGiven ? LTC : 0n;
      expect([after[giver], after[receiver]]).toEqual([30n * LTC - change, 30n * LTC + change]);
    },
  );

  it('is refused where two at once would give more than there is', async () => {
    for (let round = 0; round < 4; round += 1) {
      await share(90, 30, 30);
      const outcomes = await Promise.all(
        [1, 2].map((receiver) => grantQuota(env, grantOf(0, receiver, 15n * LTC), actor())),
      );
      expect(outcomes.toSorted()).toEqual(['received', 'refused']);
      await expectWithinLimit();
    }
  });

  it('never takes what a deposit uses at the same time', async () => {
    const trader = await openTraderIn(1);
    const address = await addressOf(trader);
    for (let round = 0; round < 6; round += 1) {
      const [, own] = await readStanding('LTC');
      const used = Number((own?.used ?? 0n) / LTC);
      await share(200, used + 10, await usedOf(2));
      const [grant, credited] = await Promise.all([
        grantQuota(env, grantOf(1, 0, 8n * LTC), actor()),
        report(address, '8'),
      ]);
      // The exchange has room for both: if the grant was first, quota comes back for the deposit.
      expect(['received', 'refused']).toContain(grant);
      expect(await statusOf(credited)).toEqual([201, 'COMPLETED', null]);
      await expectWithinLimit();
    }
  });
});

describe('a deposit over the quota of its ledger', () => {
  it('is credited with quota from the others, if the exchange has room', async () => {
    const trader = await openTraderIn(2);
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 100, 60, (await usedOf(2)) + 5);
    expect(await statusOf(await report(await addressOf(trader), '60'))).toEqual([201, 'COMPLETED', null]);
    expect((await trader.balances())['LTC']).toBe('60');
    await expectWithinLimit();
  });

  it('stays PENDING until quota has come, and is then credited by the same report', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const trader = await openTraderIn(2);
    const [address, txHash] = [await addressOf(trader), drawHash()];
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 100, await usedOf(1), (await usedOf(2)) + 5);
    const cut = aroundBatches('before', 3, fail(CONNECTION_LOST), isHalf);
    expect(await statusOf(await report(address, '20', txHash))).toEqual([201, 'PENDING', null]);
    expect(await statusOf(await report(address, '20', txHash))).toEqual([200, 'PENDING', null]);
    cut.restore();
    expect((await trader.balances())['LTC']).toBe('0');
    expect(await statusOf(await report(address, '20', txHash))).toEqual([200, 'COMPLETED', null]);
    expect((await trader.balances())['LTC']).toBe('20');
  });

  it('waits for the operator if the exchange has no room, and is credited after the cap was raised', async () => {
    const trader = await openTraderIn(1);
    const [address, txHash] = [await addressOf(trader), drawHash()];
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 10, await usedOf(1), (await usedOf(2)) + 2);
    expect(await statusOf(await report(address, '11', txHash))).toEqual([201, 'QUARANTINED', 'supply_cap']);
    expect((await patch({ supplyCaps: { LTC: String(used + 11) } })).status).toBe(200);
    expect(await statusOf(await report(address, '11', txHash))).toEqual([200, 'COMPLETED', null]);
    expect(sumOf(await readStanding('LTC'), 'used')).toBe(await readLimit('LTC'));
  });

  it('is one of two that race for the last room of the exchange', async () => {
    const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    const addresses = await Promise.all(traders.map(addressOf));
    for (let round = 0; round < 4; round += 1) {
      const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
      await share(used + 10, await usedOf(1), await usedOf(2));
      const hashes = addresses.map(() => drawHash());
      await Promise.all(addresses.map((address, at) => report(address, '6', hashes[at])));
      await expectWithinLimit();
      // What waited for quota that the other took is tried again, as the custodian does.
      for (const [at, address] of addresses.entries()) await report(address, '6', hashes[at]);
      expect(sumOf(await readStanding('LTC'), 'used')).toBe(BigInt(used + 6) * LTC);
    }
  });

  it('by hand is credited with quota from the others too, and refused above the cap', async () => {
    const trader = await openTraderIn(1);
    const credit = (amount: string, reference: string) =>
      asOperator('POST', `/accounts/${trader.accountId}/credits`, { asset: 'LTC', amount, reference });
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 10, await usedOf(1), (await usedOf(2)) + 4);
    expect((await credit('10', 'all')).status).toBe(201);
    const refused = await credit('0.00000001', 'more');
    expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([422, 'supply_cap_exceeded']);
  });
});

describe('the supply cap of the whole exchange', () => {
  const capOf = async (answer: Response) =>
    (await json<{ settings: { supplyCaps: Record<string, string> } }>(answer)).settings.supplyCaps['LTC'];

  it('is the operator’s setting, whatever parts the ledgers have of it', async () => {
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 90, (await usedOf(1)) + 30, (await usedOf(2)) + 30);
    expect(await capOf(await asOperator('GET', '/settings'))).toBe(String(used + 90));
    expect(await capOf(await patch({ supplyCaps: { LTC: String(used + 200) } }))).toBe(String(used + 200));
    expect((await quotasOf())[1]).toBe(BigInt((await usedOf(1)) + 30) * LTC);
  });

  it('is lowered after the others have given back what they need not', async () => {
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 90, (await usedOf(1)) + 40, (await usedOf(2)) + 40);
    expect(await capOf(await patch({ supplyCaps: { LTC: String(used + 5) } }))).toBe(String(used + 5));
    expect(await readLimit('LTC')).toBe(BigInt(used + 5) * LTC);
    await expectWithinLimit();
  });

  it('is never below what is owed in all ledgers, and then nothing has moved', async () => {
    await share(500, 200, 200);
    const owed = sumOf(await readStanding('LTC'), 'used');
    const refused = await patch({ supplyCaps: { LTC: String(owed / LTC - 1n) } });
    expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([409, 'invalid_state']);
    expect(await quotasOf()).toEqual([100n * LTC, 200n * LTC, 200n * LTC]);
  });

  it('is not lowered while a ledger has not given back, and is when the request is sent again', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
    await share(used + 90, (await usedOf(1)) + 80, await usedOf(2));
    const cut = aroundBatches('before', 1, fail(CONNECTION_LOST), isHalf);
    const lower = () => patch({ supplyCaps: { LTC: String(used + 5) } });
    const answer = await lower();
    cut.restore();
    expect([answer.status, (await json<ProblemBody>(answer)).code]).toEqual([503, 'service_unavailable']);
    expect(await readLimit('LTC')).toBe(BigInt(used + 90) * LTC);
    expect((await lower()).status).toBe(200);
  });

  it('holds against grants and deposits at the same moment', async () => {
    const traders = await Promise.all(ledgers.map(openTraderIn));
    const addresses = await Promise.all(traders.map(addressOf));
    for (let round = 0; round < 4; round += 1) {
      const used = Number(sumOf(await readStanding('LTC'), 'used') / LTC);
      await share(used + 90, (await usedOf(1)) + 30, (await usedOf(2)) + 30);
      await Promise.all([
        patch({ supplyCaps: { LTC: String(used + 20) } }),
        grantQuota(env, grantOf(0, 1, 15n * LTC), actor()),
        grantQuota(env, grantOf(2, 0, 20n * LTC), actor()),
        ...addresses.map((address) => report(address, '9')),
      ]);
      await expectWithinLimit();
      expect(sumOf(await readStanding('LTC'), 'used')).toBeLessThanOrEqual(await readLimit('LTC'));
    }
  });
});

describe('the keeper of a ledger', () => {
  it('takes quota when more than half is used, from the ledger that can spare most, and then rests', async () => {
    const trader = await openTraderIn(1);
    const [used0, used1, used2] = [await usedOf(0), await usedOf(1), await usedOf(2)];
    await share(used0 + 60 + used1 * 2 + 20 + used2 * 2 + 20, used1 * 2 + 20, used2 * 2 + 20);
    await keepAll();
    const before = await countGrants();
    await keepAll();
    expect(await countGrants()).toBe(before);
    const quota = Number(((await quotasOf())[1] ?? 0n) / LTC);
    // Up to its quota, so the deposit itself asks for none.
    expect(await statusOf(await report(await addressOf(trader), String(quota - used1)))).toContain('COMPLETED');
    expect(await countGrants()).toBe(before);
    await keepQuotas(env, 1, Date.now());
    const moved = await countGrants();
    expect(moved).toBeGreaterThan(before ?? 0);
    expect((await quotasOf())[1]).toBeGreaterThan(BigInt(quota) * LTC);
    for (let round = 0; round < 3; round += 1) await keepAll();
    const rested = await countGrants();
    await keepAll();
    expect(await countGrants()).toBe(rested);
  });

  it('is what finishes and takes, every minute', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await share(1_000, 300, 300);
    const cut = aroundBatches('before', 1, fail(CONNECTION_LOST), isSecond(isHalf));
    expect(await grantQuota(env, grantOf(0, 1, 7n), actor())).toBe('open');
    cut.restore();
    const keeper = env.LEDGER_KEEPER.getByName('0');
    await keeper.wake();
    await runDurableObjectAlarm(keeper);
    await waitFor(async () => expect((await quotasOf())[1]).toBe(300n * LTC + 7n));
  });
});
