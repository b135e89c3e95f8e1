import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Mistake, mutateCustodian, signerForgetsAnchors } from '../support/mutate-custodian.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { associatedOf, drawWallet, fundHot } from '../support/play-solana-customer.ts';
import { ProcessCustodian } from '../support/process-custodian.ts';
import { until } from '../support/run-custodian.ts';
import { MINTS, PlayedSolana } from '../support/start-solana.ts';

/** Every point at which a crash leaves something half done, as the log names it. */
const points = [
  'order_accepted',
  'fence_reserved',
  'version_signed',
  'version_stored',
  'version_broadcast',
  'spend_moved',
] as const;

/** What happens to the chain while the custodian is dead. */
const meanwhile = {
  'nothing happens': () => undefined,
  'blocks are made': () => solana.produce(3),
  'a fork takes a block away and the other has the transaction later': () => {
    solana.produce(2);
    solana.force(solana.fork(2));
  },
  'a fork of eighteen blocks drops the transaction': () => {
    solana.produce(18);
    solana.fork(18);
  },
} as const;

let solana: PlayedSolana;
let bureau: PlayedBureau;
let custodian: ProcessCustodian;

beforeAll(async () => {
  bureau = await PlayedBureau.start();
});
afterAll(() => bureau.stop());
beforeEach(async () => {
  solana = await PlayedSolana.start();
  await fundHot(solana, 5_000_000_000n);
});
afterEach(async () => {
  await custodian.stop();
  await solana.stop();
});

const networks = (nonceAccounts: number) => ({
  solana: { SOL: { nodes: [solana.url], interval_ms: 20, startHeight: 1, nonceAccounts } },
});

async function draw() {
  const common = { asset: 'USDC', network: 'SOL', contractAddress: MINTS.USDC, amount: '1.5' };
  return { ...common, withdrawalId: randomUUID(), address: await drawWallet() };
}

const produce = async () => solana.produceWhenRead(8);
const isSent = async (id: string) => (await custodian.look(id))?.body.status === 'sent';
const received = async (address: string) => solana.tokensOf(await associatedOf(address));

/** Each recipient has what was ordered, exactly once. */
async function expectOnce(paid: readonly { readonly address: string }[]): Promise<void> {
  for (const { address } of paid) expect(await received(address)).toBe(1_500_000n);
}

describe.each([
  ['a pool of nonces', 4],
  ['blockhashes', 0],
])('with %s', (_, nonceAccounts) => {
  test('24 payouts arrive once each when the custodian is killed at any point, answers are lost and blocks are forked away', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, networks(nonceAccounts));
    await custodian.startSigner();
    await custodian.start();
    await custodian.kill();
    const paid = [];
    for (const point of points) {
      for (const [name, happen] of Object.entries(meanwhile)) {
        const payout = await draw();
        await custodian.start(point);
        solana.faults.losesAnswers = point === 'version_stored' || point === 'spend_moved';
        await Promise.all([custodian.pay(payout), custodian.pay(payout)]);
        // What stands is moved only by a final block, and a transaction whose answer was lost is not said to be sent.
        let isDead = false;
        const died = custodian.died().then(() => {
          isDead = true;
        });
        await until(
          `dead at ${point}, then ${name}`,
          () => isDead,
          async () => {
            if (solana.taken.length % 2 === 0) solana.faults.losesAnswers = false;
            await produce();
          },
        );
        await died;
        solana.faults.losesAnswers = false;
        happen();
        await custodian.start();
        await Promise.all([custodian.pay(payout), custodian.pay(payout)]);
        await until(`${point}, ${name}`, () => isSent(payout.withdrawalId), produce);
        await custodian.kill();
        paid.push(payout);
      }
    }
    expect(paid).toHaveLength(24);
    solana.finalize();
    await expectOnce(paid);
  }, 900_000);

  test('24 payouts at once arrive once each while signer and custodian are killed again and again', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, networks(nonceAccounts));
    const payouts = await Promise.all(Array.from({ length: 24 }, draw));
    for (const stopAt of ['version_signed:3', 'version_stored:2', 'version_broadcast:2', 'spend_moved:2', undefined]) {
      await custodian.startSigner();
      await custodian.start(stopAt);
      await Promise.all(payouts.map((payout) => custodian.pay(payout)));
      let isOver = false;
      void custodian.died().then(() => {
        isOver = true;
      });
      if (stopAt === undefined) {
        for (const { withdrawalId } of payouts) await until('sent', () => isSent(withdrawalId), produce);
      } else await until(`dead at ${stopAt}`, () => isOver, produce);
      await custodian.stop();
      solana.produce(2);
    }
    await expectOnce(payouts);
  }, 900_000);
});

/** It takes a transaction for dead as soon as it has looked a few times, as one would by a clock. */
const givesUpByTheClock: readonly Mistake[] = [
  { file: 'store/chain-state.ts', from: /dies_at < \(SELECT clock FROM blocks[^)]*\)/, to: '1' },
];

describe('a chain that takes no transaction for a while, and then takes it', () => {
  async function payWhileItStands(source?: string) {
    custodian = await ProcessCustodian.prepare(bureau.url, networks(0), source);
    await custodian.startSigner();
    await custodian.start();
    const payout = await draw();
    solana.faults.withholds = true;
    await custodian.pay(payout);
    await until(
      'taken',
      () => custodian.output.includes('version_broadcast'),
      () => Promise.resolve(solana.produce()),
    );
    // Its block is not made. Only blocks that are empty are, and not enough of them.
    solana.produce(60);
    await until('looked', () => (custodian.output.match(/version_broadcast/g) ?? []).length > 3);
    solana.faults.withholds = false;
    solana.produce();
    expect(await received(payout.address)).toBeGreaterThan(0n);
    return payout;
  }

  test('it is paid once', async () => {
    const { address, withdrawalId } = await payWhileItStands();
    await until('sent', () => isSent(withdrawalId), produce);
    solana.finalize();
    expect(await received(address)).toBe(1_500_000n);
  }, 300_000);

  test('a custodian that gives it up earlier pays twice, so this test can fail', async () => {
    const source = mutateCustodian([...givesUpByTheClock, signerForgetsAnchors]);
    const { address } = await payWhileItStands(source);
    expect(await received(address)).toBeGreaterThan(1_500_000n);
  }, 300_000);

  test('when no block of its life has had it, it is dead: another version is signed by nobody, and a person decides', async () => {
    custodian = await ProcessCustodian.prepare(bureau.url, networks(0));
    await custodian.startSigner();
    await custodian.start();
    const payout = await draw();
    solana.faults.forgets = true;
    await custodian.pay(payout);
    await until('taken', () => custodian.output.includes('version_broadcast'));
    const given = () => custodian.output.includes('version_given_up');
    await until('dead', given, produce);
    await until('held', async () => (await custodian.look(payout.withdrawalId))?.body.status === 'held', produce);
    const { reason } = (await custodian.look(payout.withdrawalId))?.body ?? {};
    expect(reason).toBe('signer: second_payment');
    solana.force(solana.taken);
    solana.produce(5);
    expect(await received(payout.address)).toBe(0n);
  }, 300_000);
});
