import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AskSigner } from '../../src/signer/connect.ts';
import { Database } from '../../src/store/database.ts';
import { allowByHand, cancelByHand, payByHand, refuseByHand } from '../../src/store/spends.ts';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { newFolder, policy as usualPolicy } from '../support/signing.ts';
import {
  type Anvil,
  BURNING_CODE,
  FALSE_TOKEN_CODE,
  FEE_TOKEN_CODE,
  RICH,
  startAnvil,
} from '../support/start-anvil.ts';

/** Attacks by a customer, and by time alone, that once stopped all payouts of a network, or drained its gas. */
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const EVIL = '0x7777777777777777777777777777777777777771';
const ether = 10n ** 18n;
const gwei = 10n ** 9n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

let anvil: Anvil;
let bureau: PlayedBureau;
let custodian: RunningCustodian;
let folder: string;
let node: FaultyNode | undefined;

beforeEach(async () => {
  folder = newFolder();
  bureau = await PlayedBureau.start();
});

afterEach(async () => {
  await custodian.stop();
  await node?.stop();
  node = undefined;
  await anvil.stop();
  await bureau.stop();
});

/** A chain with a hot wallet that has enough, and cheap gas. */
async function begin(chainId = 1, options: readonly string[] = []): Promise<void> {
  anvil = await startAnvil(chainId, options);
  await anvil.setBalance(hot, 100n * ether);
  await anvil.setToken(USDT, hot, 5_000_000_000n);
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0x5f5e100']);
  await anvil.mine();
}

async function run(changes: object = {}, between: (ask: AskSigner) => AskSigner = (ask) => ask): Promise<void> {
  const ETH = { nodes: [anvil.url], interval_ms: 20, startHeight: 0, hasTraces: false, ...changes };
  custodian = await runCustodian(bureau.url, { evm: { ETH } }, folder, usualPolicy, between);
}

const payout = (changes: object = {}) => ({
  withdrawalId: randomUUID(),
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount: '0.1',
  ...changes,
});

const usdtPayout = () => payout({ asset: 'USDT', contractAddress: USDT, amount: '250.5' });

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const mineOne = () => anvil.mine();
const answerTo = async ({ withdrawalId }: { withdrawalId: string }) => (await custodian.look(withdrawalId)).body;
const untilAnswered = (wanted: { withdrawalId: string }, status: string) =>
  until(status, async () => (await answerTo(wanted)).status === status, mineOne);
const events = (event: string, id?: string) =>
  custodian.events.filter((one) => one.event === event && (id === undefined || one['id'] === id));

/** Decides as `decide.ts` does, beside the running custodian. */
function decide<T>(how: (database: Database) => T): T {
  const database = new Database(join(folder, 'custodian.sqlite'));
  try {
    return how(database);
  } finally {
    database.close();
  }
}

/** Puts a contract that burns gas at the recipient's address: 26 gas a step. */
async function setEvil(steps: bigint): Promise<void> {
  await anvil.call('anvil_setCode', [EVIL, BURNING_CODE]);
  await anvil.call('anvil_setStorageAt', [EVIL, word(0n), word(steps)]);
}

test.each([
  ['27 million gas', 1_050_000n, []],
  [
    '15 million gas where EIP-7825 allows 16.7',
    590_000n,
    ['--hardfork', 'osaka', '--gas-limit', '60000000', '--enable-tx-gas-limit'],
  ],
] as const)(
  'a recipient that burns %s is held with a reason and never signed for, and the next payout is sent',
  async (_, steps, options) => {
    await begin(1, options);
    await setEvil(steps);
    await run();
    const evil = payout({ address: EVIL, amount: '0.005' });
    await custodian.pay(evil);
    await untilAnswered(evil, 'held');
    expect(await answerTo(evil)).toEqual({ status: 'held', reason: 'recipient_needs_too_much_gas' });
    const next = payout();
    await custodian.pay(next);
    await untilAnswered(next, 'sent');
    expect(events('fence_reserved', evil.withdrawalId)).toEqual([]);
    expect(decide((database) => refuseByHand(database, evil.withdrawalId, 'it burns gas'))).toBe(true);
    await untilAnswered(evil, 'refused');
  },
);

test('a recipient that reverts after the estimate costs at most `maxGas` once, and its next payout is held for a person', async () => {
  await begin();
  await setEvil(1_000n);
  await run();
  const all = Array.from({ length: 4 }, () => payout({ address: EVIL, amount: '0.005' }));
  for (const one of all) await custodian.pay(one);
  const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
  await until('sent to the pool', () => events('version_broadcast').length > 0);
  await untilAnswered(second, 'held');
  expect(await answerTo(second)).toEqual({ status: 'held', reason: 'earlier_payout_to_this_contract' });
  await anvil.call('anvil_setStorageAt', [EVIL, word(1n), word(1n)]);
  const before = await anvil.balance(hot);
  await untilAnswered(first, 'refused');
  const receipt = (await anvil.call('eth_getTransactionReceipt', [events('version_stored')[0]?.['txHash']])) as Record<
    string,
    string
  >;
  expect(BigInt(receipt['gasUsed'] ?? '')).toBeLessThanOrEqual(100_000n);
  expect(before - (await anvil.balance(hot))).toBeLessThanOrEqual(100_000n * 2n * gwei);
  const honest = payout();
  await custodian.pay(honest);
  await untilAnswered(honest, 'sent');
  expect(events('version_signed')).toHaveLength(2);
  expect(await answerTo(second)).toEqual({ status: 'held', reason: 'recipient_reverted' });
  await anvil.call('anvil_setStorageAt', [EVIL, word(1n), word(0n)]);
  expect(decide((database) => allowByHand(database, second.withdrawalId))).toBe(true);
  await untilAnswered(second, 'sent');
});

test('a signer that throws for one payout keeps no nonce: the payout is held, and the next is sent', async () => {
  await begin();
  const wanted = payout();
  await run({}, (ask) => (request) => {
    const isIt = 'order' in request && request.order.body.includes(wanted.withdrawalId);
    return isIt ? Promise.reject(new Error('the signer failed')) : ask(request);
  });
  await custodian.pay(wanted);
  const next = payout();
  await custodian.pay(next);
  await untilAnswered(next, 'sent');
  expect(await answerTo(wanted)).toEqual({ status: 'held', reason: 'signer: cannot_be_signed' });
});

test('a payout is cancelled by a payment of nothing with its nonce, after its id is burnt, and the next one goes on', async () => {
  await begin();
  await run();
  const stuck = payout();
  await custodian.pay(stuck);
  await until('sent to the pool', () => events('version_broadcast').length > 0);
  // The node forgets it, so that no block will have it.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
  await anvil.mine();
  expect(decide((database) => cancelByHand(database, stuck.withdrawalId, 'the customer asked for it'))).toBe(true);
  await untilAnswered(stuck, 'refused');
  expect(await answerTo(stuck)).toMatchObject({ status: 'refused', reason: 'the customer asked for it' });
  expect(await anvil.balance(RECIPIENT)).toBe(0n);
  const next = payout();
  await custodian.pay(next);
  await untilAnswered(next, 'sent');
  expect(await anvil.balance(RECIPIENT)).toBe(ether / 10n);
  expect(decide((database) => cancelByHand(database, next.withdrawalId, 'too late'))).toBe(false);
});

test('ARBITRUM goes on after a deposit of its bridge that names a nonce which its sender has used', async () => {
  await begin(42_161);
  node = await startFaultyNode(anvil.url);
  node.fault = {
    method: 'eth_getBlockByHash',
    change: (answer) => {
      const said = JSON.parse(answer) as { result: { transactions: Record<string, string>[] } };
      for (const sent of said.result.transactions) {
        if (sent['to']?.toLowerCase() === RICH.toLowerCase())
          Object.assign(sent, { from: RICH.toLowerCase(), nonce: '0x0', type: '0x64' });
      }
      return JSON.stringify(said);
    },
  };
  const { ETH } = usualPolicy.networks;
  const ARBITRUM = {
    nodes: [node.url],
    interval_ms: 20,
    startHeight: 0,
    hasTraces: false,
    finalTag: null,
    finalDepth: 4,
  };
  const policy = { ...usualPolicy, networks: { ...(ETH && { ARBITRUM: ETH }) } };
  custodian = await runCustodian(bureau.url, { evm: { ARBITRUM } }, folder, policy);
  const paid = await anvil.send(customer, ether);
  await anvil.mine(3);
  await until('seen', () => bureau.statusOf('ARBITRUM', paid) !== undefined);
  await anvil.send(RICH, 1n);
  await anvil.mine();
  const wanted = payout({ network: 'ARBITRUM' });
  await custodian.pay(wanted);
  await untilAnswered(wanted, 'sent');
  expect(events('look_failed')).toEqual([]);
});

test.each([
  ['returns false and moves nothing', FALSE_TOKEN_CODE],
  ['takes a fee', FEE_TOKEN_CODE],
])('a payout of a token that %s is never answered as sent, and a person decides', async (_, code) => {
  await begin();
  await anvil.call('anvil_setCode', [USDT, code]);
  await run({ nodes: [anvil.url, anvil.url] });
  const [wanted, other] = [usdtPayout(), usdtPayout()];
  await custodian.pay(wanted);
  await custodian.pay(other);
  for (const { withdrawalId } of [wanted, other]) {
    await until(
      'displaced',
      () => events('spend_moved', withdrawalId).some(({ state }) => state === 'DISPLACED'),
      mineOne,
    );
    expect((await custodian.look(withdrawalId)).body).toEqual({
      status: 'accepted',
      txHash: expect.stringMatching(/^0x/),
    });
  }
  expect(decide((database) => payByHand(database, wanted.withdrawalId))).toBe(true);
  expect((await answerTo(wanted)).status).toBe('sent');
  expect(decide((database) => refuseByHand(database, other.withdrawalId, 'nothing arrived'))).toBe(true);
  await untilAnswered(other, 'refused');
});

test('a payout that waits says which coin the hot wallet needs', async () => {
  await begin();
  await anvil.setBalance(hot, 0n);
  await run();
  const [token, coin] = [usdtPayout(), payout()];
  await custodian.pay(token);
  await custodian.pay(coin);
  await untilAnswered(coin, 'held');
  expect(await answerTo(token)).toEqual({ status: 'held', reason: 'hot_wallet_low: ETH for gas' });
  expect(await answerTo(coin)).toEqual({ status: 'held', reason: 'hot_wallet_low: ETH' });
});
