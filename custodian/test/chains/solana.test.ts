import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  address as toAddress,
  createSolanaRpc,
  decompileTransactionMessage,
  generateKeyPairSigner,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  signature as toSignature,
} from '@solana/kit';
import { getTransferSolInstruction, identifySystemInstruction, SystemInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  parseTransferCheckedInstruction,
} from '@solana-program/token';
import { PlayedBureau } from '../support/play-bureau.ts';
import { associatedOf, customerOf, drawWallet, fundHot, hot, writeDeposit } from '../support/play-solana-customer.ts';
import { type RunningCustodian, runCustodian, until } from '../support/run-custodian.ts';
import { COLD_SOL } from '../support/signing.ts';
import { MINTS, PlayedSolana, TOKEN_2022 } from '../support/start-solana.ts';

let solana: PlayedSolana;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

const networks = (changes: object = {}) => ({
  solana: { SOL: { nodes: [solana.url], interval_ms: 20, startHeight: 1, nonceAccounts: 4, ...changes } },
});

const count = (event: string) => custodian.events.filter((one) => one.event === event).length;
const noted = (fields: object) =>
  custodian.events.some((event) => Object.entries(fields).every(([name, value]) => event[name] === value));
const statusOf = async (id: string) => (await custodian.look(id)).body.status;
const produce = async () => solana.produce(8);
const isSent = (id: string) => async () => (await statusOf(id)) === 'sent';
const isPoolMade = () =>
  custodian.events.filter(({ purpose, state }) => purpose === 'nonce' && state === 'FINAL_PAID').length === 4;
const untilPool = () => until('the pool of nonces is made', isPoolMade, produce);

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  solana = await PlayedSolana.start();
  await fundHot(solana, 5_000_000_000n, 1_000_000_000n);
  custodian = await runCustodian(bureau.url, networks());
});

afterEach(async () => {
  await custodian.stop();
  await solana.stop();
  await bureau.stop();
});

async function payout(changes: object = {}) {
  const address = await drawWallet();
  const common = { withdrawalId: randomUUID(), asset: 'USDC', network: 'SOL', contractAddress: MINTS.USDC };
  return { ...common, address, amount: '12.5', ...changes };
}

test('a payout is sent when its block is finalized, makes the recipient a token account, and kit reads it as ordered', async () => {
  await untilPool();
  const wanted = await payout();
  expect((await custodian.pay(wanted)).body.status).toBe('accepted');
  await until('in a block', () => solana.isWaiting);
  solana.produce();
  const target = await associatedOf(wanted.address);
  expect(solana.tokensOf(target)).toBe(12_500_000n);
  const provisional = await custodian.look(wanted.withdrawalId);
  expect(provisional.body).toEqual({ status: 'accepted', txHash: expect.stringMatching(/^[1-9A-Za-z]{64,88}$/) });
  await until('sent', isSent(wanted.withdrawalId), produce);
  const { txHash = '' } = (await custodian.look(wanted.withdrawalId)).body;
  expect(txHash).toBe(provisional.body.txHash);
  expect(bureau.looks).toContain(wanted.withdrawalId);
  const found = await createSolanaRpc(solana.url)
    .getTransaction(toSignature(txHash), { encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(found?.transaction[0] ?? ''));
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  expect(message.feePayer.address).toBe(hot);
  const [advance, , , , transfer] = message.instructions;
  expect(identifySystemInstruction({ data: advance?.data ?? new Uint8Array() })).toBe(
    SystemInstruction.AdvanceNonceAccount,
  );
  const parsed = parseTransferCheckedInstruction(transfer as never);
  expect(parsed.data).toMatchObject({ amount: 12_500_000n, decimals: 6 });
  expect(parsed.accounts.destination.address).toBe(target);
  expect(parsed.accounts.authority.address).toBe(hot);
  expect(solana.tokensOf(target)).toBe(12_500_000n);
});

test('more payouts than nonces: each takes one, those that wait are not held, and each arrives once', async () => {
  const wanted = await Promise.all(Array.from({ length: 11 }, () => payout({ amount: '1.000001' })));
  await Promise.all(wanted.flatMap((one) => [custodian.pay(one), custodian.pay(one)]));
  const areSent = async () =>
    (await Promise.all(wanted.map(({ withdrawalId }) => isSent(withdrawalId)()))).every(Boolean);
  await until('all sent', areSent, produce);
  for (const { address } of wanted) expect(solana.tokensOf(await associatedOf(address))).toBe(1_000_001n);
  expect(noted({ event: 'spend_held' })).toBe(false);
});

test('deposits to any token account of an address are credited once, two in one transaction as well', async () => {
  const own = customerOf(3);
  const other = await generateKeyPairSigner();
  solana.setToken(other.address, MINTS.USDC, own, 7n);
  solana.finalize();
  const mintTo = getMintToInstruction({
    mint: toAddress(MINTS.USDC),
    token: other.address,
    mintAuthority: solana.minter,
    amount: 2_000_000n,
  });
  const hash = await solana.send([...(await writeDeposit(solana, own, 25_000_001n)), mintTo]);
  solana.produce();
  const reports = () => bureau.reports.filter(({ txHash }) => txHash === hash);
  await until('credited', () => reports().filter(({ confirmations }) => confirmations >= 32).length >= 2, produce);
  const amounts = new Set(reports().map(({ amount, asset, address }) => `${amount} ${asset} ${address}`));
  expect(amounts).toEqual(new Set([`25.000001 USDC ${own}`, `2 USDC ${own}`]));
  const indexes = new Set(reports().map(({ outputIndex }) => outputIndex));
  expect(indexes.size).toBe(2);
  for (const index of indexes) expect(bureau.statusOf('SOL', hash, index)).toBe('COMPLETED');
});

test('a token of another program, one that is not listed and coins are told to the operator, and never credited', async () => {
  const own = customerOf(2);
  const mint = (await generateKeyPairSigner()).address;
  const copy = (await generateKeyPairSigner()).address;
  solana.setMint(mint, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  solana.setMint(copy, TOKEN_2022);
  await solana.send(await writeDeposit(solana, own, 5_000_000n, mint));
  await solana.send([
    getTransferSolInstruction({ source: solana.minter, destination: toAddress(own), amount: lamports(3_000_000n) }),
  ]);
  const token = toAddress(await associatedOf(own, copy, TOKEN_2022));
  const program = toAddress(TOKEN_2022);
  await solana.send([
    getCreateAssociatedTokenIdempotentInstruction({
      payer: solana.minter,
      ata: token,
      owner: toAddress(own),
      mint: copy,
      tokenProgram: program,
    }),
    getMintToInstruction(
      { mint: copy, token, mintAuthority: solana.minter, amount: 9_000_000n },
      { programAddress: program },
    ),
  ]);
  solana.produce();
  await until('told', () => count('token_not_listed') === 2 && count('coin_not_listed') === 1, produce);
  expect(bureau.reports).toEqual([]);
});

test('deposits of at least `sweepFrom` are swept from all token accounts, at the cost of the hot wallet, and holdings are right to the atom', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ sweepFrom: { USDC: '20' } }));
  await untilPool();
  const own = customerOf(1);
  const other = (await generateKeyPairSigner()).address;
  solana.setToken(other, MINTS.USDC, own, 0n);
  const mintTo = getMintToInstruction({
    mint: toAddress(MINTS.USDC),
    token: other,
    mintAuthority: solana.minter,
    amount: 4_000_003n,
  });
  await solana.send([...(await writeDeposit(solana, own, 25_000_000n)), mintTo]);
  await solana.send(await writeDeposit(solana, customerOf(2), 19_999_999n));
  const held = async (asset: string) =>
    (await custodian.holdings()).networks[0]?.assets.find((one) => one.asset === asset);
  const swept = () => noted({ purpose: 'sweep', state: 'FINAL_PAID' });
  await until('swept', swept, async () => {
    const before = await held('USDC');
    await produce();
    // At no time is anything missing: 5,000 and what customers have sent.
    expect(['5000', '5049.000002', undefined]).toContain(before?.held);
  });
  expect(solana.tokensOf(await associatedOf(own))).toBe(0n);
  expect(solana.tokensOf(other)).toBe(0n);
  expect(solana.lamportsOf(own)).toBe(0n);
  expect(solana.tokensOf(await associatedOf(customerOf(2)))).toBe(19_999_999n);
  expect(solana.tokensOf(await associatedOf(hot))).toBe(5_029_000_003n);
  await until('read', async () => (await held('USDC'))?.held === '5049.000002', produce);
  const wanted = await payout({ amount: '100.1' });
  await custodian.pay(wanted);
  await until('sent', isSent(wanted.withdrawalId), produce);
  // The look of the played Bureau is answered by 404, so the withdrawal is settled.
  await until('settled', async () => (await held('USDC'))?.held === '4948.900002', produce);
  expect((await held('USDT'))?.held).toBe('1000');
});

test('above its maximum the hot wallet sends the surplus to the cold wallet’s token account', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ hotWallet: { USDC: { target: '1000', max: '2000' } } }));
  await until('cold', () => noted({ purpose: 'cold', state: 'FINAL_PAID' }), produce);
  expect(solana.tokensOf(await associatedOf(COLD_SOL))).toBe(4_000_000_000n);
  const held = async () => (await custodian.holdings()).networks[0]?.assets.find(({ asset }) => asset === 'USDC');
  await until('read', async () => (await held())?.amount === '1000', produce);
  expect((await held())?.held).toBe('5000');
});
