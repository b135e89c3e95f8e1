import { afterEach, beforeEach, expect, test } from 'vitest';
import { TEST_SIGNER_KEY, signEntry } from '../../../test/support/addresses/pool-entries.ts';
import { deriveSandboxSolanaAddress } from '../../../src/addresses/sandbox-wallet.ts';
import { connectBureau } from '../../src/contract/bureau.ts';
import type { SignerRequest } from '../../src/signer/requests.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { AddressPool } from '../../src/solana/fill-pool.ts';
import { DEPOSIT_TOKEN, PlayedBureau } from '../support/play-bureau.ts';
import { MNEMONIC, policy } from '../support/signing.ts';

const AHEAD = 205;

let bureau: PlayedBureau;
let watchedTo: number;
const log = new SignatureLog(':memory:');
const wallet = new Wallet(MNEMONIC);

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  watchedTo = 0;
});

afterEach(() => bureau.stop());

/** A pool of a custodian that has just started. Its addresses are those of another library. */
function openPool(): AddressPool {
  return new AddressPool({
    bureau: connectBureau(bureau.url, { depositToken: DEPOSIT_TOKEN }),
    askSigner: async (request: SignerRequest) => answerSigner({ wallet, policy, log, now: Date.now }, request),
    watched: {
      watchUpTo: async (count) => void (watchedTo = Math.max(watchedTo, count)),
      addressOf: (index) => {
        if (index >= watchedTo) throw new Error(`${index} is not watched`);
        return deriveSandboxSolanaAddress(index);
      },
    },
    ahead: AHEAD,
  });
}

test('an empty pool is filled ahead of the accounts, in uploads of at most a hundred, each entry with the signer’s signature', async () => {
  const pool = openPool();
  expect(await pool.findDifference()).toBeUndefined();
  await pool.fill(3);
  expect(bureau.uploads.map(({ length }) => length)).toEqual([100, 100, 8]);
  expect(bureau.pool.map(({ index }) => index)).toEqual(Array.from({ length: 208 }, (_, index) => index));
  for (const entry of bureau.uploads[2] ?? []) {
    expect(entry).toEqual(signEntry(entry.index, deriveSandboxSolanaAddress(entry.index)));
  }
  expect(watchedTo).toBe(208);
  expect(wallet.signerKey).toBe(TEST_SIGNER_KEY);
  await pool.fill(3);
  expect(bureau.uploads).toHaveLength(3);
  await pool.fill(10);
  expect(bureau.uploads.slice(3).map((entries) => entries.map(({ index }) => index))).toEqual([
    [208, 209, 210, 211, 212, 213, 214],
  ]);
});

test('a custodian that starts adds what the pool lacks, and fills a gap first', async () => {
  const known = [0, 1, 2, 3, 5, 6].map((index) => ({ index, address: deriveSandboxSolanaAddress(index) }));
  bureau.pool.push(...known);
  const pool = openPool();
  expect(await pool.findDifference()).toBeUndefined();
  await pool.fill(0);
  expect(bureau.uploads[0]?.[0]?.index).toBe(4);
  expect(bureau.pool).toHaveLength(AHEAD);
});

test('an entry that is not the house’s own is found at the start, on any page and also behind the accounts', async () => {
  for (const wrong of [0, 4, 9]) {
    bureau.pool.length = 0;
    for (let index = 0; index < 10; index += 1) {
      bureau.pool.push({ index, address: deriveSandboxSolanaAddress(index === wrong ? 1_000 : index) });
    }
    const pool = openPool();
    expect(await pool.findDifference()).toBe(wrong);
    // Told once: a person who has resumed the network is not interrupted again.
    expect(await pool.findDifference()).toBeUndefined();
  }
});

test('nothing is added before the comparison, and what Bureau did not take is sent again', async () => {
  const pool = openPool();
  bureau.isDeaf = true;
  await expect(pool.findDifference()).rejects.toThrow();
  await pool.fill(0);
  bureau.isDeaf = false;
  expect(bureau.uploads).toEqual([]);
  await pool.findDifference();
  bureau.isDeaf = true;
  await expect(pool.fill(0)).rejects.toThrow();
  bureau.isDeaf = false;
  await pool.fill(0);
  expect(bureau.pool).toHaveLength(AHEAD);
});
