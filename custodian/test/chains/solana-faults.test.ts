import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateKeyPairSigner, address as toAddress } from '@solana/kit';
import { AuthorityType, getSetAuthorityInstruction } from '@solana-program/token';
import { cancelByHand } from '../../src/store/spends.ts';
import { readFinalHeight, resumeChain } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { associatedOf, customerOf, drawWallet, fundHot, hot, writeDeposit } from '../support/play-solana-customer.ts';
import { type RunningCustodian, runCustodian, until } from '../support/run-custodian.ts';
import { newFolder } from '../support/signing.ts';
import { MINTS, PlayedSolana } from '../support/start-solana.ts';

let solana: PlayedSolana;
let second: PlayedSolana | undefined;
let bureau: PlayedBureau;
let custodian: RunningCustodian;
let folder: string;

const networks = (changes: object = {}) => ({
  solana: {
    SOL: { nodes: [solana.url], interval_ms: 20, startHeight: 1, nonceAccounts: 3, bumpAfterBlocks: 8, ...changes },
  },
});

const events = (name: string) => custodian.events.filter(({ event }) => event === name);
const noted = (fields: object) =>
  custodian.events.some((event) => Object.entries(fields).every(([name, value]) => event[name] === value));
const statusOf = async (id: string) => (await custodian.look(id)).body.status;
const produce = async () => solana.produce(8);
const isSent = (id: string) => async () => (await statusOf(id)) === 'sent';
const received = async (address: string) => solana.tokensOf(await associatedOf(address));

async function restart(changes: object = {}): Promise<void> {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks(changes), folder);
}

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  solana = await PlayedSolana.start();
  second = undefined;
  folder = newFolder();
  await fundHot(solana, 5_000_000_000n);
  custodian = await runCustodian(bureau.url, networks(), folder);
  const isMade = () =>
    custodian.events.filter(({ purpose, state }) => purpose === 'nonce' && state === 'FINAL_PAID').length === 3;
  await until('the pool is made', isMade, produce);
});

afterEach(async () => {
  await custodian.stop();
  await solana.stop();
  await second?.stop();
  await bureau.stop();
});

async function payout(changes: object = {}) {
  const common = { withdrawalId: randomUUID(), asset: 'USDC', network: 'SOL', contractAddress: MINTS.USDC };
  return { ...common, address: await drawWallet(), amount: '12.5', ...changes };
}

/** Pays somebody whose token account is frozen after the node has tried the transaction, so that it fails in its block. */
async function payFrozen() {
  const wanted = await payout();
  const account = await associatedOf(wanted.address);
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting);
  const [bytes] = solana.taken.slice(-1);
  solana.setToken(account, MINTS.USDC, wanted.address, 0n, true);
  solana.produce();
  await until('refused', async () => (await statusOf(wanted.withdrawalId)) === 'refused', produce);
  // The issuer thaws it, and somebody sends the same bytes again.
  solana.setToken(account, MINTS.USDC, wanted.address, 0n);
  solana.produce(200);
  solana.force(bytes ? [bytes] : []);
  solana.produce();
  return { account, wanted };
}

test('a payout that fails in its block has used its nonce: it is refused with proof, and its bytes can never pay', async () => {
  const { account, wanted } = await payFrozen();
  expect(solana.tokensOf(account)).toBe(0n);
  expect((await custodian.look(wanted.withdrawalId)).body).toMatchObject({ proof: { signed: true } });
  const next = await payout();
  await custodian.pay(next);
  await until('sent', isSent(next.withdrawalId), produce);
});

test('on a chain that kept the nonce of a failed transaction a refused payout would be paid, so this test can fail', async () => {
  solana.faults.keepsNonces = true;
  // The machine itself remembers what it ran; a real node forgets after 150 blocks.
  solana.forgetsHistory();
  const { account } = await payFrozen();
  expect(solana.tokensOf(account)).toBe(12_500_000n);
});

test('a payout in a block that a fork takes away is sent again, and arrives once', async () => {
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting);
  solana.produce(5);
  expect(await received(wanted.address)).toBe(12_500_000n);
  expect(await statusOf(wanted.withdrawalId)).toBe('accepted');
  solana.fork(5);
  expect(await received(wanted.address)).toBe(0n);
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(await received(wanted.address)).toBe(12_500_000n);
});

test('a node that takes a transaction and forgets it, and one that loses its answers, delay a payout and pay it once', async () => {
  solana.faults.forgets = true;
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('taken and forgotten', () => noted({ event: 'version_broadcast', id: wanted.withdrawalId }));
  solana.produce(40);
  solana.faults.forgets = false;
  solana.faults.losesAnswers = true;
  await until('its answer is lost', () => noted({ event: 'spend_failed', id: wanted.withdrawalId }));
  solana.faults.losesAnswers = false;
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(await received(wanted.address)).toBe(12_500_000n);
  // The same transaction again: the node has it.
  solana.force(solana.taken);
  solana.produce();
  expect(await received(wanted.address)).toBe(12_500_000n);
});

test('a payout that no block takes offers more when the market asks for more, with the same nonce, and arrives once', async () => {
  solana.faults.withholds = true;
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting);
  solana.faults.computePrice = 500_000;
  await until(
    'raised',
    () => events('version_stored').filter(({ id }) => id === wanted.withdrawalId).length > 1,
    produce,
  );
  solana.faults.withholds = false;
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(await received(wanted.address)).toBe(12_500_000n);
});

test('a chain that stands still for 300 blocks and then takes the transaction pays once: a nonce has no end', async () => {
  solana.faults.withholds = true;
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting);
  solana.produce(300);
  await until('read', () => noted({ event: 'version_broadcast', id: wanted.withdrawalId }));
  solana.faults.withholds = false;
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(await received(wanted.address)).toBe(12_500_000n);
});

test('a cancelled payout uses up its nonce by nothing, and the nonce account goes on', async () => {
  solana.faults.withholds = true;
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting);
  const database = new Database(join(folder, 'custodian.sqlite'));
  expect(cancelByHand(database, wanted.withdrawalId, 'a mistake')).toBe(true);
  database.close();
  const stored = () => events('version_stored').filter(({ id }) => id === wanted.withdrawalId);
  const findNothing = () => stored().length === 2 && solana.findTaken(String(stored()[1]?.['txHash']));
  await until('the nothing is sent', () => Boolean(findNothing()));
  // The first version never comes: another node's block has the other.
  const nothing = findNothing();
  solana.forgetWaiting();
  solana.force(nothing ? [nothing] : []);
  solana.faults.withholds = false;
  await until('refused', async () => (await statusOf(wanted.withdrawalId)) === 'refused', produce);
  expect(await received(wanted.address)).toBe(0n);
});

test('who cannot be paid is held with a reason, and nothing is signed: a token account, a frozen one, one given away', async () => {
  const [token, frozen, given] = [await drawWallet(), await drawWallet(), await drawWallet()];
  solana.setToken(token, MINTS.USDC, await drawWallet(), 0n);
  solana.setToken(await associatedOf(frozen), MINTS.USDC, frozen, 0n, true);
  solana.setToken(await associatedOf(given), MINTS.USDC, await drawWallet(), 0n);
  solana.finalize();
  const wanted = [
    [await payout({ address: token }), 'recipient_is_no_wallet'],
    [await payout({ address: frozen }), 'recipient_is_frozen'],
    [await payout({ address: given }), 'recipient_gave_its_token_account_away'],
    [await payout({ amount: '5000.000001' }), 'hot_wallet_low: USDC'],
  ] as const;
  const signed = events('version_signed').length;
  for (const [one, reason] of wanted) {
    await custodian.pay(one);
    await until(reason, () => noted({ event: 'spend_held', id: one.withdrawalId, reason }), produce);
  }
  expect(events('version_signed').length).toBe(signed);
  solana.setToken(await associatedOf(frozen), MINTS.USDC, frozen, 0n);
  const thawed = wanted[1][0];
  await until('sent', isSent(thawed.withdrawalId), produce);
});

test('without coins for fees a payout is held with the coin that is missing, and paid when it is there', async () => {
  solana.setBalance(hot, 3_000_000n);
  solana.finalize();
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('held', () => noted({ event: 'spend_held', reason: 'hot_wallet_low: SOL for fees' }), produce);
  solana.setBalance(hot, 900_000_000n);
  await until('sent', isSent(wanted.withdrawalId), produce);
});

test('a recipient who closes his token account before the block gets another by the same transaction', async () => {
  const wanted = await payout();
  const account = await associatedOf(wanted.address);
  solana.setToken(account, MINTS.USDC, wanted.address, 0n);
  solana.finalize();
  await custodian.pay(wanted);
  await until('taken', () => solana.isWaiting, produce);
  solana.removeAccount(account);
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(solana.tokensOf(account)).toBe(12_500_000n);
});

test('slots without a block are passed over, and a deposit after them is credited', async () => {
  solana.skip(7);
  solana.produce(2);
  solana.skip(600);
  const hash = await solana.send(await writeDeposit(solana, customerOf(4), 25_000_000n));
  const isCredited = () => bureau.reports.some(({ txHash, confirmations }) => txHash === hash && confirmations >= 32);
  await until('credited', isCredited, produce);
  expect(events('chain_halted')).toEqual([]);
});

test('a block that the node does not have any more stops the network, and nothing is passed over or paid', async () => {
  await custodian.stop();
  const from = solana.finalSlot;
  solana.produce(60);
  for (let slot = from + 10; slot < from + 13; slot += 1) solana.faults.pruned.add(slot);
  const hash = await solana.send(await writeDeposit(solana, customerOf(4), 25_000_000n));
  solana.finalize();
  custodian = await runCustodian(bureau.url, networks(), folder);
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('it says so', () => events('look_failed').length > 2);
  expect(events('version_signed')).toEqual([]);
  expect(bureau.reports.filter(({ txHash }) => txHash === hash)).toEqual([]);
  // It leaves them out where it lists blocks as well: the parent's slot shows it.
  solana.faults.hidden = new Set(solana.faults.pruned);
  const isSeen = () => events('look_failed').some(({ error }) => String(error).includes('lacks the blocks between'));
  await until('a gap is seen', isSeen);
  expect(events('version_signed')).toEqual([]);
  solana.faults.hidden = new Set();
  solana.faults.pruned.clear();
  await until('sent', isSent(wanted.withdrawalId), produce);
});

test('a node that hangs, shows a web page, is of another chain or is behind pays nothing and loses nothing', async () => {
  const wanted = await payout();
  solana.faults.genesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
  await custodian.pay(wanted);
  await until('another chain', () => events('look_failed').some(({ error }) => String(error).includes('begins with')));
  solana.faults.genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  const failed = events('look_failed').length;
  solana.faults.isPage = true;
  await until('a web page', () => events('look_failed').length > failed);
  solana.faults.isPage = false;
  solana.faults.hangs = true;
  await until('it hangs', () => solana.isHanging);
  solana.endHanging();
  solana.faults.behind = 20;
  solana.produce(25);
  await until('sent', isSent(wanted.withdrawalId), produce);
  expect(await received(wanted.address)).toBe(12_500_000n);
});

test('with a second node, what the first invents is neither credited nor sent', async () => {
  second = solana.standBeside();
  await second.listen();
  await restart({ nodes: [solana.url, second.url] });
  const invented = await solana.send(await writeDeposit(solana, customerOf(1), 25_000_000n));
  const honest = await solana.send(await writeDeposit(solana, customerOf(2), 26_000_000n));
  solana.faults.invents = (signature) => (signature === invented ? 1_000_000 : 0);
  const isCredited = (hash: string) =>
    bureau.reports.some(({ txHash, confirmations }) => txHash === hash && confirmations >= 32);
  await until('doubted', () => isCredited(honest) && noted({ event: 'deposit_doubted', txHash: invented }), produce);
  expect(isCredited(invented)).toBe(false);
  solana.faults.invents = (signature) => (signature === invented ? 0 : 1_000_000);
  const wanted = await payout();
  await custodian.pay(wanted);
  // The first shows another amount than was ordered: that is for a person.
  await until('displaced', () => noted({ id: wanted.withdrawalId, state: 'DISPLACED' }), produce);
  expect(await statusOf(wanted.withdrawalId)).toBe('accepted');
});

test('a transaction of the hot wallet that the database does not know halts the network: the database is older', async () => {
  await custodian.stop();
  const other = await runCustodian(bureau.url, networks());
  const wanted = await payout();
  await until(
    'paid by another',
    async () => {
      await other.pay(wanted);
      return (await other.look(wanted.withdrawalId)).body.status === 'sent';
    },
    produce,
  );
  await other.stop();
  custodian = await runCustodian(bureau.url, networks(), folder);
  await until('halted', () => noted({ event: 'chain_halted' }));
  expect(events('version_signed')).toEqual([]);
});

test('an account with tokens that becomes a customer’s own is a deposit', async () => {
  const account = await generateKeyPairSigner();
  solana.setToken(account.address, MINTS.USDC, solana.minter.address, 31_000_000n);
  const hash = await solana.send([
    getSetAuthorityInstruction({
      owned: account.address,
      owner: solana.minter,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: toAddress(customerOf(2)),
    }),
  ]);
  const isCredited = () =>
    bureau.reports.some(
      ({ txHash, amount, confirmations }) => txHash === hash && amount === '31' && confirmations >= 32,
    );
  await until('credited', isCredited, produce);
});

test('when Bureau’s pool has an address that is not the house’s own, the network halts, and a person may resume it', async () => {
  await custodian.stop();
  bureau.pool.length = 0;
  bureau.pool.push({ index: 0, address: customerOf(0) }, { index: 1, address: await drawWallet() });
  custodian = await runCustodian(bureau.url, networks({ pooledAhead: 5 }), folder);
  await until('halted', () => noted({ event: 'chain_halted', reason: 'address_pool_differs: index 1' }));
  const wanted = await payout();
  await custodian.pay(wanted);
  solana.produce(8);
  const [halted] = (await custodian.holdings()).networks;
  expect(halted?.halted).toBe('address_pool_differs: index 1');
  expect(events('version_signed').length).toBe(0);
  const database = new Database(join(folder, 'custodian.sqlite'));
  resumeChain(database, 'SOL', readFinalHeight(database, 'SOL'));
  database.close();
  await until('sent', isSent(wanted.withdrawalId), produce);
  // It was filled all the same.
  expect(bureau.pool).toHaveLength(5);
});

test('a finalized block that is no longer on the chain halts the network, and nothing more is paid', async () => {
  const wanted = await payout();
  await custodian.pay(wanted);
  await until('sent', isSent(wanted.withdrawalId), produce);
  const isFollowed = async () => (await custodian.holdings()).networks[0]?.height === solana.finalSlot;
  await until('followed', isFollowed);
  solana.fork(50);
  solana.produce(90);
  await until('halted', () => noted({ event: 'chain_halted' }), produce);
  const signed = events('version_signed').length;
  await custodian.pay(await payout());
  solana.produce(8);
  await until('looked', async () => (await custodian.holdings()).networks[0]?.halted !== null);
  expect(events('version_signed').length).toBe(signed);
});

test('a second node that is behind delays a deposit and an answer, and a node that is down loses nothing', async () => {
  second = solana.standBeside();
  await second.listen();
  await restart({ nodes: [solana.url, second.url] });
  // It shows nothing but its first block, however many come.
  second.faults.behind = 1_000_000;
  const hash = await solana.send(await writeDeposit(solana, customerOf(1), 25_000_000n));
  const wanted = await payout();
  await custodian.pay(wanted);
  const isCredited = () => bureau.reports.some(({ txHash, confirmations }) => txHash === hash && confirmations >= 32);
  await until('doubted', () => noted({ event: 'deposit_doubted', txHash: hash }), produce);
  await until('doubted', () => noted({ event: 'payout_doubted', id: wanted.withdrawalId }), produce);
  expect(isCredited()).toBe(false);
  expect(await statusOf(wanted.withdrawalId)).toBe('accepted');
  second.faults.behind = 0;
  await until('credited', isCredited, produce);
  await until('sent', isSent(wanted.withdrawalId), produce);
  const next = await payout();
  const failed = events('look_failed').length;
  solana.faults.isDown = true;
  await custodian.pay(next);
  await until('it is down', () => events('look_failed').length > failed);
  solana.faults.isDown = false;
  await until('sent', isSent(next.withdrawalId), produce);
});
