import { randomUUID } from 'node:crypto';
import { TronWeb } from 'tronweb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Mistake,
  chainIsNotCompared,
  deathByClock,
  mutateCustodian,
  returnValueIsBelieved,
  sendBeforeWriting,
  signerForgetsAnchors,
} from '../support/mutate-custodian.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { PlayedTron, TRON_USDT } from '../support/play-tron.ts';
import { ProcessCustodian } from '../support/process-custodian.ts';
import { until, wallet } from '../support/run-custodian.ts';
import { HOLLOW_TOKEN_CODE } from '../support/start-anvil.ts';

/** Payouts in USDT while the custodian is killed and the chain does what it can. */
const HOUR_MS = 3_600_000;
const ATOMS = 2_000_000n;
const hot = wallet.tronAddress({ account: 'hot', index: 0 });

let tron: PlayedTron;
let bureau: PlayedBureau;
let custodian: ProcessCustodian;

/** The chain is hours behind the clock, so that whatever has expired by the chain has expired for the signer as well. */
beforeEach(async () => {
  bureau = await PlayedBureau.start();
  tron = await PlayedTron.start(Date.now() - 60 * HOUR_MS);
  await tron.setTrx(hot, 100_000n * 1_000_000n);
  await tron.setToken(hot, 100_000_000_000n);
  await tron.produce(25);
});

afterEach(async () => {
  await custodian.stop();
  await tron.stop();
  await bureau.stop();
});

async function prepare(mistakes?: readonly Mistake[]): Promise<void> {
  const source = mistakes && mutateCustodian(mistakes);
  custodian = await ProcessCustodian.prepare(bureau.url, { tron: { TRC20: tron.settings() } }, source);
  await custodian.startSigner();
}

const payTo = (address: string) => ({
  withdrawalId: randomUUID(),
  asset: 'USDT',
  network: 'TRC20',
  contractAddress: TRON_USDT,
  address,
  amount: '2',
});

const drawPayout = () => payTo(TronWeb.address.fromPrivateKey(randomUUID().replaceAll('-', '').repeat(2)) as string);
const statusOf = async (id: string) => (await custodian.look(id))?.body.status;
const one = () => tron.produce();
const hasPool = (most: number) => () => tron.taken.size > most;
const isDisturbed = { forgets: false, losesAnswers: false };

/** What happens to the first version after it was sent, or would have been. Each lets the payout be paid in the end. */
const disturbances: Readonly<Record<string, () => Promise<void>>> = {
  'nothing else': () => tron.produce(2),
  'its answers were lost': async () => {
    Object.assign(tron.faults, isDisturbed);
    await tron.produce(2);
  },
  'all nodes forgot it, and it is dead': async () => {
    tron.forgetPool();
    Object.assign(tron.faults, isDisturbed);
    await tron.produce(1, HOUR_MS + 60_000);
    await tron.produce(22);
  },
  'a fork of one block': async () => {
    await tron.produce(1);
    await tron.fork(1);
    await tron.produce(3);
  },
  'a fork of eighteen blocks': async () => {
    await tron.produce(18);
    await tron.fork(18);
    await tron.produce(20);
  },
  'the chain stood still past its expiration, and then took it': async () => {
    await tron.produce(1, HOUR_MS + 60_000);
    await tron.produce(3);
  },
};

const before: Readonly<Record<string, object>> = {
  'its answers were lost': { losesAnswers: true },
  'all nodes forgot it, and it is dead': { forgets: true },
};

test('24 payouts arrive once each, whenever the custodian is killed and whatever the chain does', async () => {
  await prepare();
  const points = ['fence_reserved', 'version_signed', 'version_stored', 'version_broadcast'];
  const paid: { address: string; withdrawalId: string }[] = [];
  let versions = 0;
  for (const [name, disturb] of Object.entries(disturbances)) {
    for (const point of points) {
      const wanted = drawPayout();
      // A lost answer is an error of the node, so nothing is broadcast: the version is stored.
      const stopAt = name === 'its answers were lost' && point === 'version_broadcast' ? 'version_stored' : point;
      Object.assign(tron.faults, before[name]);
      const taken = tron.taken.size;
      await custodian.start(stopAt);
      await Promise.all([custodian.pay(wanted), custodian.pay(wanted)]);
      await custodian.died();
      // It is killed once more: when the payout moves, or is given up.
      await custodian.start('spend_moved');
      await custodian.pay(wanted);
      await until(`${name}, ${point}: taken`, hasPool(taken));
      await disturb();
      await until(`${name}, ${point}: killed again`, () => !custodian.isAlive(), one);
      await custodian.start();
      await until(`${name}, ${point}: sent`, async () => (await statusOf(wanted.withdrawalId)) === 'sent', one);
      await custodian.kill();
      Object.assign(tron.faults, isDisturbed);
      versions += tron.taken.size - taken;
      paid.push(wanted);
    }
  }
  await custodian.start();
  for (const { address, withdrawalId } of paid) {
    expect(await statusOf(withdrawalId)).toBe('sent');
    expect(await tron.token(address)).toBe(ATOMS);
  }
  expect(await tron.token(hot)).toBe(100_000_000_000n - 24n * ATOMS);
  // Only what died had a second version.
  expect(versions).toBe(24 + points.length);
}, 900_000);

test('the second version of a payout is killed at every point, and it arrives once', async () => {
  await prepare();
  for (const point of ['version_given_up', 'fence_reserved', 'version_signed', 'version_stored', 'version_broadcast']) {
    const wanted = drawPayout();
    tron.faults.forgets = true;
    const taken = tron.taken.size;
    await custodian.start();
    await custodian.pay(wanted);
    await until('taken', hasPool(taken));
    await custodian.kill();
    tron.faults.forgets = false;
    await custodian.start(point === 'version_broadcast' ? undefined : point);
    await tron.produce(1, HOUR_MS + 60_000);
    await tron.produce(22);
    if (point === 'version_broadcast') {
      await until('sent again', hasPool(taken + 1));
      await custodian.kill();
    } else await custodian.died();
    await tron.produce();
    await custodian.start();
    await until(`${point}: sent`, async () => (await statusOf(wanted.withdrawalId)) === 'sent', one);
    await custodian.kill();
    expect(await tron.token(wanted.address)).toBe(ATOMS);
    expect(tron.taken.size - taken).toBe(2);
  }
}, 600_000);

/** A payout to one who has not been paid, until its first version is with the nodes. */
async function payFirst(): Promise<{ address: string; withdrawalId: string }> {
  const wanted = drawPayout();
  await custodian.start();
  await custodian.pay(wanted);
  await until('taken', hasPool(0));
  return wanted;
}

test('a custodian that gives a version up by the clock pays twice, so these tests can fail', async () => {
  await prepare([deathByClock]);
  const wanted = await payFirst();
  await until('a second version', hasPool(1));
  await tron.produce(1, 30_000);
  await tron.produce(25);
  expect(await tron.token(wanted.address)).toBe(2n * ATOMS);
}, 120_000);

test('a custodian that believes what a token returned pays twice, and answers as sent what never was', async () => {
  await prepare(returnValueIsBelieved);
  const wanted = await payFirst();
  await tron.produce(25);
  await until('a second version', hasPool(1), one);
  await tron.produce(25);
  expect(await tron.token(wanted.address)).toBe(2n * ATOMS);
  const hollow = drawPayout();
  const taken = tron.taken.size;
  await custodian.pay(hollow);
  await until('taken', hasPool(taken));
  await tron.setTokenCode(HOLLOW_TOKEN_CODE);
  await until('sent', async () => (await statusOf(hollow.withdrawalId)) === 'sent', one);
  expect(await tron.token(hollow.address)).toBe(0n);
}, 120_000);

test('a custodian that sends before it stores pays twice where the signer has forgotten, and the chain alone halts it', async () => {
  await prepare([sendBeforeWriting, signerForgetsAnchors, ...chainIsNotCompared]);
  const wanted = drawPayout();
  await custodian.start('version_broadcast');
  await custodian.pay(wanted);
  await custodian.died();
  await tron.produce();
  await custodian.start();
  await until('a second version', hasPool(1));
  await tron.produce();
  expect(await tron.token(wanted.address)).toBe(2n * ATOMS);
  await custodian.stop();
  await prepare([sendBeforeWriting, signerForgetsAnchors]);
  const once = drawPayout();
  await custodian.start('version_broadcast');
  await custodian.pay(once);
  await custodian.died();
  await tron.produce();
  await custodian.start();
  await until('halted', () => custodian.output.includes('database_is_older'));
  await tron.produce();
  expect(await tron.token(once.address)).toBe(ATOMS);
}, 120_000);
