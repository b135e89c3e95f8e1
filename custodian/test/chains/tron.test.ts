import { randomUUID } from 'node:crypto';
import { TronWeb } from 'tronweb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PlayedBureau } from '../support/play-bureau.ts';
import { PlayedTron, TRON_USDT } from '../support/play-tron.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { COLD_TRON, newFolder, policy } from '../support/signing.ts';
import { FEE_TOKEN_CODE, FROZEN_TOKEN_CODE, HOLLOW_TOKEN_CODE } from '../support/start-anvil.ts';

const HOUR_MS = 3_600_000;
const TRX = 1_000_000n;
const USDT = 1_000_000n;
const CUSTOMER_KEY = '11'.repeat(32);
const customerWallet = TronWeb.address.fromPrivateKey(CUSTOMER_KEY) as string;
const RECIPIENT = TronWeb.address.fromPrivateKey('22'.repeat(32)) as string;
const hot = wallet.tronAddress({ account: 'hot', index: 0 });
const gas = wallet.tronAddress({ account: 'gas', index: 0 });
const customer = wallet.tronAddress({ account: 'deposit', index: 3 });
const other = wallet.tronAddress({ account: 'deposit', index: 1 });

let tron: PlayedTron;
let bureau: PlayedBureau;
let custodian: RunningCustodian;
let folder: string;

const networks = (changes: object = {}) => ({ tron: { TRC20: tron.settings(changes) } });

/** The chain's newest block is hours old: by the clocks of custodian and signer, whatever expires has expired long ago. */
beforeEach(async () => {
  bureau = await PlayedBureau.start();
  tron = await PlayedTron.start(Date.now() - 4 * HOUR_MS);
  await tron.setTrx(hot, 5_000n * TRX);
  await tron.setTrx(gas, 1_000n * TRX);
  await tron.setTrx(customerWallet, 1_000n * TRX);
  await tron.setToken(hot, 5_000n * USDT);
  await tron.setToken(customerWallet, 1_000n * USDT);
  await tron.produce(25);
  folder = newFolder();
  custodian = await runCustodian(bureau.url, networks(), folder);
});

afterEach(async () => {
  await custodian.stop();
  await tron.stop();
  await bureau.stop();
});

async function restart(changes: object): Promise<void> {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks(changes), folder);
}

const payout = (changes: object = {}) => ({
  withdrawalId: randomUUID(),
  asset: 'USDT',
  network: 'TRC20',
  contractAddress: TRON_USDT,
  address: RECIPIENT,
  amount: '250.5',
  ...changes,
});

const count = (event: string) => custodian.events.filter((one) => one.event === event).length;
const has = (fields: object) =>
  custodian.events.some((event) => Object.entries(fields).every(([name, value]) => event[name] === value));
const statusOf = async ({ withdrawalId }: { withdrawalId: string }) => (await custodian.look(withdrawalId)).body.status;
const one = () => tron.produce();
const isSent = (wanted: { withdrawalId: string }) => async () => (await statusOf(wanted)) === 'sent';
const untilFollowed = () =>
  until('followed', async () => (await custodian.holdings()).networks[0]?.blockHash === tron.head.id);
const untilSent = (wanted: { withdrawalId: string }) => until('sent', isSent(wanted), one);
/** Until a version is with the nodes. */
const untilTaken = (most: number) => until('taken', () => tron.taken.size >= most);

test('a payout is accepted with a provisional hash, and sent only when its block is solidified', async () => {
  const wanted = payout();
  expect((await custodian.pay(wanted)).body.status).toBe('accepted');
  await until('broadcast', () => count('version_broadcast') > 0);
  const { body } = await custodian.look(wanted.withdrawalId);
  expect(body).toEqual({ status: 'accepted', txHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const read = tron.taken.get(body.txHash ?? '');
  expect(read?.raw_data.expiration).toBe(tron.head.time + HOUR_MS);
  await tron.produce();
  await until('included', () => has({ event: 'spend_moved', state: 'INCLUDED' }));
  await tron.produce(18);
  await untilFollowed();
  expect(await statusOf(wanted)).toBe('accepted');
  await tron.produce();
  await until('sent', isSent(wanted));
  expect((await custodian.look(wanted.withdrawalId)).body.txHash).toBe(body.txHash);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
  expect(count('version_stored')).toBe(1);
});

test('twelve equal payouts in one block are twelve transactions, and each arrives once', async () => {
  const wanted = Array.from({ length: 12 }, () => payout({ amount: '7' }));
  await Promise.all(wanted.flatMap((each) => [custodian.pay(each), custodian.pay(each)]));
  await untilTaken(12);
  for (const each of wanted) await untilSent(each);
  expect(await tron.token(RECIPIENT)).toBe(84n * USDT);
  expect(tron.taken.size).toBe(12);
});

test('deposits are credited once, by 20 confirmations and a solidified block; TRX is no deposit', async () => {
  const first = await tron.pay(CUSTOMER_KEY, customer, 25n * USDT);
  const second = await tron.pay(CUSTOMER_KEY, customer, 3n * USDT);
  await tron.pay(CUSTOMER_KEY, customer, 5n * TRX, 'TRX');
  await tron.produce();
  await until('seen', () => bureau.statusOf('TRC20', first, 1) === 'PENDING');
  tron.faults.solidLag = 22;
  await tron.produce(20);
  await untilFollowed();
  expect(bureau.statusOf('TRC20', first, 1)).toBe('PENDING');
  await tron.produce(2);
  await until('credited', () => bureau.statusOf('TRC20', first, 1) === 'COMPLETED');
  await until('credited', () => bureau.statusOf('TRC20', second, 1) === 'COMPLETED');
  expect(bureau.reports.find(({ txHash }) => txHash === first)).toMatchObject({
    address: customer,
    asset: 'USDT',
    amount: '25',
    outputIndex: 1,
  });
  expect(new Set(bureau.reports.map(({ txHash }) => txHash))).toEqual(new Set([first, second]));
});

test('a deposit and a payout survive forks of one and of eighteen blocks, each once', async () => {
  for (const depth of [1, 18]) {
    const before = [await tron.token(RECIPIENT), await tron.token(customer)];
    const deposit = await tron.pay(CUSTOMER_KEY, customer, 2n * USDT, 'USDT', 600_000);
    const wanted = payout({ amount: '3' });
    await custodian.pay(wanted);
    await until('taken', () => tron.taken.size > 0 && has({ event: 'version_broadcast', id: wanted.withdrawalId }));
    await tron.produce(depth);
    await until('included', () => has({ event: 'spend_moved', id: wanted.withdrawalId, state: 'INCLUDED' }));
    await tron.fork(depth);
    await tron.produce(depth + 1);
    await until('orphaned', () => has({ event: 'block_orphaned' }));
    await untilSent(wanted);
    await until('credited', () => bureau.statusOf('TRC20', deposit, 1) === 'COMPLETED', one);
    expect([await tron.token(RECIPIENT), await tron.token(customer)]).toEqual([
      (before[0] ?? 0n) + 3n * USDT,
      (before[1] ?? 0n) + 2n * USDT,
    ]);
  }
  expect(count('version_given_up')).toBe(0);
});

test('when a solidified block is no longer on the chain, nothing more is followed and nothing is paid', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await untilSent(wanted);
  await tron.fork(tron.head.height - 20);
  await tron.produce(60);
  await until('halted', () => count('chain_halted') === 1);
  const signed = count('version_signed');
  await custodian.pay(payout());
  await tron.produce(3);
  await until('looked', async () => (await custodian.holdings()).networks[0]?.halted !== null);
  expect(count('version_signed')).toBe(signed);
});

test('a version that nodes forgot is sent again as it is, and replaced only when a solidified block is later', async () => {
  tron.faults.forgets = true;
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await until('sent again', () => count('version_broadcast') > 3);
  expect(count('version_stored')).toBe(1);
  // The head is later than the expiration, and no solidified block is.
  await tron.produce(1, HOUR_MS + 60_000);
  await tron.produce(18);
  await untilFollowed();
  await until('refused by the nodes', () => count('version_rejected') > 0);
  expect(count('version_stored')).toBe(1);
  tron.faults.forgets = false;
  await tron.produce(2);
  await until('given up', () => count('version_given_up') === 1);
  await untilSent(wanted);
  expect(count('version_stored')).toBe(2);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
});

test('a chain that stands still past the expiration, and then takes the transaction, pays once', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await until('sent again', () => count('version_broadcast') > 5);
  await tron.produce(1, 3 * HOUR_MS);
  await tron.produce(25);
  await untilSent(wanted);
  expect(count('version_stored')).toBe(1);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
});

test('a version is not given up while the second node has it, nor while that node has no later solidified block', async () => {
  const second = await tron.startView();
  await restart({ nodes: [tron.url, second.url] });
  second.faults.solidLag = 60;
  tron.faults.forgets = true;
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.produce(1, HOUR_MS + 60_000);
  await tron.produce(25);
  await until('doubted', () => has({ event: 'death_doubted', id: wanted.withdrawalId }));
  expect(count('version_given_up')).toBe(0);
  tron.faults.forgets = false;
  second.faults.solidLag = 19;
  await untilSent(wanted);
  expect(count('version_given_up')).toBe(1);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
});

test('a version that ran out of energy gets one with twice the limit, and the third is a person’s', async () => {
  const wanted = payout({ amount: '10' });
  await custodian.pay(wanted);
  await untilTaken(1);
  tron.energyPercent = 150n;
  await tron.produce();
  await until('included', () => has({ event: 'spend_moved', state: 'INCLUDED' }));
  tron.energyPercent = 100n;
  await tron.produce(21);
  // It may still be taken by a chain that the signer does not see, until it has expired by the signer's clock: long ago.
  await untilTaken(2);
  const [first, twice] = [...tron.taken.values()].map(({ raw_data: { fee_limit: limit = 0 } }) => limit);
  expect(twice).toBe(2 * (first ?? 0));
  tron.energyPercent = 1_000n;
  await tron.produce(1);
  await tron.produce(21);
  await until('held', async () => (await custodian.look(wanted.withdrawalId)).body.reason === 'third_version', one);
  expect(await tron.token(RECIPIENT)).toBe(0n);
  expect(tron.taken.size).toBe(2);
});

test('a payout that the contract reverts for good is refused, after the signer has burnt its id', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.setTokenCode(FROZEN_TOKEN_CODE);
  await until('refused', async () => (await statusOf(wanted)) === 'refused', one);
  const { body } = await custodian.look(wanted.withdrawalId);
  expect(body).toMatchObject({ proof: { signed: true } });
  const blocked = payout();
  await custodian.pay(blocked);
  await until('held', async () => (await custodian.look(blocked.withdrawalId)).body.reason === 'would_revert');
});

test.each([
  ['returns true and moves nothing', HOLLOW_TOKEN_CODE],
  ['takes a fee', FEE_TOKEN_CODE],
])('a payout in a token that %s is never answered as sent', async (_, code) => {
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.setTokenCode(code);
  await tron.produce(25);
  await until('displaced', () => has({ event: 'spend_moved', state: 'DISPLACED' }));
  expect(await statusOf(wanted)).toBe('accepted');
  expect(count('version_stored')).toBe(1);
});

test.each([
  'SERVER_BUSY',
  'BANDWITH_ERROR',
  'TAPOS_ERROR',
  'NO_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
  'DUP_TRANSACTION_ERROR',
])('the answer %s to a payout decides nothing', async (code) => {
  tron.faults.refuses = code;
  const wanted = payout();
  await custodian.pay(wanted);
  const isSaid = () => count('version_rejected') > 3 || count('version_broadcast') > 3;
  await until('answered', isSaid);
  await tron.produce(25);
  await untilFollowed();
  expect(await statusOf(wanted)).toBe('accepted');
  tron.faults.refuses = undefined;
  await untilSent(wanted);
  expect(count('version_stored')).toBe(1);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
});

test('a payout whose answers are lost arrives once', async () => {
  tron.faults.losesAnswers = true;
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.produce(25);
  await untilSent(wanted);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
  expect(count('version_stored')).toBe(1);
});

test.each(['missing', 'of another block', 'contradicting'] as const)(
  'a block whose results are %s is not read, and read when they are right',
  async (infos) => {
    const deposit = await tron.pay(CUSTOMER_KEY, customer, 25n * USDT);
    await tron.produce();
    const later = await tron.pay(CUSTOMER_KEY, customer, 4n * USDT);
    tron.faults.infos = infos;
    await tron.produce(25);
    await until('failed', () => count('look_failed') > 0);
    expect(bureau.statusOf('TRC20', later, 1)).toBeUndefined();
    tron.faults.infos = 'right';
    await until('credited', () => bureau.statusOf('TRC20', deposit, 1) === 'COMPLETED');
    await until('credited', () => bureau.statusOf('TRC20', later, 1) === 'COMPLETED');
  },
);

test.each(['down', 'silent', 'nonsense'] as const)(
  'while the node is %s nothing is signed, and then all is paid',
  async (fault) => {
    await untilFollowed();
    tron.faults.http = fault;
    const wanted = payout();
    await custodian.pay(wanted);
    if (fault !== 'silent') await until('failed', () => count('look_failed') > 2);
    expect(count('version_signed')).toBe(0);
    tron.faults.http = 'none';
    if (fault === 'silent') return;
    await untilSent(wanted);
  },
);

test('a node of another chain is not followed', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ genesis: '0'.repeat(64) }));
  await until('failed', () =>
    custodian.events.some(
      ({ event, error }) => event === 'look_failed' && String(error).includes('is of the chain of'),
    ),
  );
});

test('a block is final only when both parts of the node show it, whichever is behind', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  tron.faults.walletLag = 10;
  tron.faults.solidLag = 0;
  await tron.produce(5);
  await until('behind', () => custodian.events.filter(({ event }) => event === 'behind').length > 3);
  expect(await statusOf(wanted)).toBe('accepted');
  tron.faults.solidLag = 40;
  tron.faults.walletLag = 0;
  await tron.produce(20);
  await untilFollowed();
  expect(await statusOf(wanted)).toBe('accepted');
  tron.faults.solidLag = 19;
  await untilSent(wanted);
});

test('deposits are swept with TRX from the gas wallet, to an atom, and surplus goes to the cold address', async () => {
  await restart({ sweepFrom: { USDT: '20' }, hotWallet: { USDT: { target: '4000', max: '5010' } } });
  await tron.pay(CUSTOMER_KEY, customer, 25_123_457n);
  await tron.pay(CUSTOMER_KEY, other, 19n * USDT);
  await tron.produce();
  const sweeps = () =>
    custodian.events.filter(({ state, purpose }) => purpose === 'sweep' && state === 'FINAL_PAID').length;
  const isCold = () => has({ purpose: 'cold', state: 'FINAL_PAID' });
  await until(
    'swept',
    () => sweeps() === 1 && isCold(),
    async () => {
      await tron.produce();
      await untilFollowed();
    },
  );
  expect(await tron.token(customer)).toBe(0n);
  expect(await tron.token(other)).toBe(19n * USDT);
  expect(await tron.token(hot)).toBe(4_000n * USDT);
  expect(await tron.token(COLD_TRON)).toBe(1_025_123_457n);
  await untilFollowed();
  const [assets] = (await custodian.holdings()).networks.map(({ assets: listed }) => listed);
  expect(assets).toEqual([{ asset: 'USDT', amount: '4019', held: '5044.123457' }]);
  expect(new Set(bureau.reports.map(({ asset }) => asset))).toEqual(new Set(['USDT']));
});

test('holdings count a payout that has left until Bureau has settled it', async () => {
  await untilFollowed();
  const held = async () => (await custodian.holdings()).networks[0]?.assets[0]?.held;
  expect(await held()).toBe('5000');
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.produce();
  await untilFollowed();
  expect(await held()).toBe('5000');
  expect((await custodian.holdings()).networks[0]?.assets[0]?.amount).toBe('4749.5');
  await untilSent(wanted);
  // The played Bureau answers a look with 404: it has settled the withdrawal.
  await until('heard', async () => (await held()) === '4749.5', one);
});

test('a transaction of the hot wallet that the database does not have halts the network', async () => {
  await untilFollowed();
  const key = Buffer.from(wallet.tronKey({ account: 'hot', index: 0 }).privateKey).toString('hex');
  await tron.pay(key, RECIPIENT, 1n * USDT);
  await tron.produce();
  await until('halted', () => custodian.events.some(({ reason }) => String(reason).startsWith('database_is_older')));
});

test('the signer refuses another version until the first has expired by its clock, and the payout waits', async () => {
  await custodian.stop();
  const late = await PlayedTron.start(Date.now());
  await tron.stop();
  tron = late;
  await tron.setTrx(hot, 5_000n * TRX);
  await tron.setToken(hot, 5_000n * USDT);
  await tron.produce(25);
  let now = Date.now();
  custodian = await runCustodian(bureau.url, networks(), undefined, policy, undefined, undefined, () => now);
  tron.faults.forgets = true;
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(1);
  await tron.produce(1, HOUR_MS + 60_000);
  await tron.produce(25);
  tron.faults.forgets = false;
  await until('held', () =>
    custodian.events.some(
      ({ event, reason }) => event === 'spend_held' && String(reason).startsWith('earlier_version_expired'),
    ),
  );
  expect(count('version_signed')).toBe(1);
  now += HOUR_MS + 15 * 60_000;
  await until('paid', async () => (await tron.token(RECIPIENT)) > 0n, one);
  await tron.produce(25);
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
  expect(count('version_signed')).toBe(2);
});

test('while the token’s owner has the hot wallet on its blacklist, payouts are held and nothing is signed; then they are paid', async () => {
  await tron.blacklist(hot, true);
  const wanted = payout();
  await custodian.pay(wanted);
  await until('held', async () => (await custodian.look(wanted.withdrawalId)).body.reason === 'would_revert', one);
  expect(count('version_signed')).toBe(0);
  await tron.blacklist(hot, false);
  await untilSent(wanted);
  // Between the plan and the block: the transaction reverts, and the payout is refused with proof that it was signed.
  const late = payout();
  await custodian.pay(late);
  await untilTaken(2);
  await tron.blacklist(hot, true);
  await until('refused', async () => (await statusOf(late)) === 'refused', one);
  expect((await custodian.look(late.withdrawalId)).body).toMatchObject({ proof: { signed: true } });
  expect(await tron.token(RECIPIENT)).toBe(250_500_000n);
});

test('a customer’s address on the blacklist is credited, and only its sweep waits', async () => {
  await restart({ sweepFrom: { USDT: '20' } });
  await tron.blacklist(customer, true);
  const blocked = await tron.pay(CUSTOMER_KEY, customer, 25n * USDT);
  await tron.pay(CUSTOMER_KEY, other, 30n * USDT);
  await until('the other is swept', () => has({ purpose: 'sweep', state: 'FINAL_PAID' }), one);
  expect(await tron.token(other)).toBe(0n);
  await until('credited', () => bureau.statusOf('TRC20', blocked, 1) === 'COMPLETED', one);
  expect(custodian.events.filter(({ event }) => event === 'own_spend_refused')).toMatchObject([
    { network: 'TRC20', name: 'sweep:3:USDT' },
  ]);
  expect(await tron.token(customer)).toBe(25n * USDT);
  await tron.blacklist(customer, false);
  await until('swept', async () => (await tron.token(customer)) === 0n, one);
});

test('an address that is not activated is paid like another, and is activated by the gas wallet before its own sweep', async () => {
  await restart({ sweepFrom: { USDT: '20' } });
  const before = await tron.trx(gas);
  await tron.pay(CUSTOMER_KEY, customer, 25n * USDT);
  await until('swept', async () => (await tron.token(customer)) === 0n && (await tron.token(hot)) > 5_000n * USDT, one);
  const sent = [...tron.taken.values()].map(({ raw_data: { contract } }) => contract[0].type);
  expect(sent).toEqual(['TriggerSmartContract', 'TransferContract', 'TriggerSmartContract']);
  const given = before - (await tron.trx(gas)) - (await tron.trx(customer));
  // The activation, the bytes of one payment, and what the sweep burnt.
  expect(given).toBeGreaterThan(1_100_000n);
  const first = payout();
  await custodian.pay(first);
  await untilSent(first);
  expect(await tron.trx(RECIPIENT)).toBe(0n);
  await tron.setTrx(hot, 0n);
  const poor = payout();
  await custodian.pay(poor);
  const reason = 'hot_wallet_low: TRX for fees';
  await until('held', async () => (await custodian.look(poor.withdrawalId)).body.reason === reason, one);
  expect(count('version_rejected')).toBe(0);
});

test('what a second node does not have is neither credited nor sent, until it has it', async () => {
  const second = await tron.startView();
  await restart({ nodes: [tron.url, second.url] });
  second.faults.walletLag = 60;
  const deposit = await tron.pay(CUSTOMER_KEY, customer, 25n * USDT);
  const wanted = payout();
  await custodian.pay(wanted);
  await untilTaken(2);
  const { txHash = '' } = (await custodian.look(wanted.withdrawalId)).body;
  second.faults.hides.add(txHash);
  await tron.produce(25);
  await until('the deposit is doubted', () => has({ event: 'deposit_doubted', txHash: deposit }));
  second.faults.walletLag = 0;
  await until('the payout is doubted', () => has({ event: 'payout_doubted', id: wanted.withdrawalId }), one);
  await until('credited', () => bureau.statusOf('TRC20', deposit, 1) === 'COMPLETED', one);
  expect(await statusOf(wanted)).toBe('accepted');
  second.faults.hides.clear();
  await untilSent(wanted);
});
