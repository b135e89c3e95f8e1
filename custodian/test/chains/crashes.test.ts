import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Family, families } from '../support/families.ts';
import {
  chainIsNotCompared,
  mutateCustodian,
  sendBeforeWriting,
  signerForgetsAnchors,
} from '../support/mutate-custodian.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { ProcessCustodian } from '../support/process-custodian.ts';
import { until } from '../support/run-custodian.ts';

/** Every point at which a crash leaves something half done, as the log names it. */
const points = [
  'order_accepted',
  'fence_reserved',
  'version_signed',
  'version_stored',
  'version_broadcast',
  'spend_moved',
] as const;

let bureau: PlayedBureau;
let custodian: ProcessCustodian;

beforeAll(async () => {
  bureau = await PlayedBureau.start();
});

afterAll(() => bureau.stop());

/** Submits a payout twice at once, until the custodian is dead. */
async function payUntilDead(family: Family, stopAt: string, isMined: boolean) {
  const payout = family.payout(randomUUID());
  await custodian.start(stopAt);
  await Promise.all([custodian.pay(payout), custodian.pay(payout)]);
  // What stands is moved only by a block.
  if (stopAt === 'spend_moved') {
    await until('sent to the pool', () => custodian.output.includes('version_broadcast'));
    await family.mine();
  }
  await custodian.died();
  if (isMined) await family.mine();
  return payout;
}

async function isSent(withdrawalId: string): Promise<boolean> {
  return (await custodian.look(withdrawalId))?.body.status === 'sent';
}

async function untilAllSent(family: Family, payouts: readonly { withdrawalId: string }[]): Promise<void> {
  for (const { withdrawalId } of payouts) {
    await until(
      'sent',
      () => isSent(withdrawalId),
      async () => void (await family.mine()),
    );
  }
}

describe.each(Object.entries(families))('%s', (_, startFamily) => {
  let family: Family;

  beforeAll(async () => {
    family = await startFamily();
  });

  afterAll(() => family.stop());
  afterEach(() => custodian.stop());

  test('a payout arrives once when the custodian is killed at any point, with and without new blocks meanwhile', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks);
    await custodian.startSigner();
    const paid = [];
    for (const point of points) {
      for (const isMined of [false, true]) {
        const payout = await payUntilDead(family, point, isMined);
        await custodian.start();
        await Promise.all([custodian.pay(payout), custodian.pay(payout)]);
        await until(
          `${point}, mined ${isMined}`,
          () => isSent(payout.withdrawalId),
          async () => void (await family.mine()),
        );
        await custodian.kill();
        paid.push(payout);
      }
    }
    for (const { address } of paid) expect(await family.received(address)).toBe(1);
  }, 900_000);

  test('a payout arrives once when the custodian is killed while its fee is raised, by another version or a child', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks);
    await custodian.startSigner();
    const paid = [];
    for (const point of ['version_signed:2', 'version_stored:2']) {
      for (const isMined of [false, true]) {
        const payout = family.payout(randomUUID());
        await custodian.start(point);
        await custodian.pay(payout);
        await until('sent to the pool', () => custodian.output.includes('version_broadcast'));
        const txHash = (await custodian.look(payout.withdrawalId))?.body.txHash ?? '';
        await family.stall(txHash);
        await family.mine(6);
        await custodian.died();
        if (isMined) await family.mine();
        await custodian.start();
        await family.release(txHash);
        await untilAllSent(family, [payout]);
        await custodian.kill();
        paid.push(payout);
      }
    }
    for (const { address } of paid) expect(await family.received(address)).toBe(1);
  }, 900_000);

  test('all payouts arrive once when signer and custodian are killed again and again', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks);
    const payouts = Array.from({ length: 6 }, () => family.payout(randomUUID()));
    for (const stopAt of ['version_signed', 'version_stored', 'version_broadcast', undefined]) {
      await custodian.startSigner();
      await custodian.start(stopAt);
      await Promise.all(payouts.map((payout) => custodian.pay(payout)));
      if (stopAt !== undefined) await custodian.died();
      else await untilAllSent(family, payouts);
      await custodian.stop();
      await family.mine();
    }
    for (const { address } of payouts) expect(await family.received(address)).toBe(1);
  }, 900_000);

  test('a custodian that sends before it stores pays twice, so these tests can fail', async () => {
    const source = mutateCustodian([sendBeforeWriting, signerForgetsAnchors, ...chainIsNotCompared]);
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks, source);
    await custodian.startSigner();
    const payout = await payUntilDead(family, 'version_broadcast', true);
    await custodian.start();
    await until('sent again', () => custodian.output.includes('version_broadcast'));
    await family.mine();
    expect(await family.received(payout.address)).toBe(2);
  }, 300_000);

  test('the chain alone shows the payment of a custodian that sends before it stores, and it halts', async () => {
    const source = mutateCustodian([sendBeforeWriting, signerForgetsAnchors]);
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks, source);
    await custodian.startSigner();
    const payout = await payUntilDead(family, 'version_broadcast', true);
    await custodian.start();
    await until('halted', () => custodian.output.includes('database_is_older'));
    await family.mine();
    expect(await family.received(payout.address)).toBe(1);
  }, 300_000);

  test('the signer alone prevents the second payment of a custodian that sends before it stores', async () => {
    const source = mutateCustodian([sendBeforeWriting, ...chainIsNotCompared]);
    custodian = await ProcessCustodian.prepare(bureau.url, family.networks, source);
    await custodian.startSigner();
    const payout = await payUntilDead(family, 'version_broadcast', true);
    await custodian.start();
    await until('refused', () => custodian.output.includes('signer_refused'));
    await family.mine();
    expect(await family.received(payout.address)).toBe(1);
  }, 300_000);
});
