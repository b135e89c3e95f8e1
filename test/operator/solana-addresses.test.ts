// @runtime outside-by-hand
import { describe, expect, it } from 'vitest';
import { env } from '../support/runtime/test-env.ts';
import { Wallet } from '../../custodian/src/signer/wallet.ts';
import { fillSolanaPool } from '../../src/addresses/fill-solana-pool.ts';
import { directoryOf } from '../../src/db/database.ts';
import { deriveSolanaUpload } from '../../scripts/offline-wallet.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';
import { TEST_EXCHANGE, type SignedEntry, inventEntries, signEntry } from '../support/addresses/pool-entries.ts';
import { asOperator, asToken, json, openAccount, expectCode } from '../support/exchange.ts';
import { indexOf } from '../support/addresses/addresses.ts';
import { type Moment, CONNECTION_LOST, OVERLOADED, aroundBatches, fail } from '../support/runtime/faults.ts';

function upload(addresses: unknown): Promise<Response> {
  return asOperator('POST', '/solana-addresses', { addresses });
}

type Entry = Pick<SignedEntry, 'index' | 'address'>;

/** Entries as the pool has them. */
const bare = (entries: readonly SignedEntry[]): Entry[] => entries.map(({ index, address }) => ({ index, address }));

async function poolFrom(from: number, count: number): Promise<Entry[]> {
  const { addresses } = await json<{ addresses: Entry[] }>(await asOperator('GET', `/solana-addresses?from=${from}`));
  return addresses.filter(({ index }) => index < from + count);
}

describe('POST /operator/v1/solana-addresses', () => {
  it('accepts five hundred addresses, as the script and the custodian write them', async () => {
    const account = await openAccount();
    const { addresses: derived } = deriveSolanaUpload(new Wallet(TEST_MNEMONIC), 100_000, 3);
    const addresses = [...derived, ...inventEntries(100_003, 497)];
    const response = await upload(addresses);
    expect(response.status).toBe(200);
    expect(await json(response)).toEqual({
      solanaPool: { accepted: 500, highestIndex: 100_499, nextAccountIndex: (await indexOf(account)) + 1 },
    });
    expect(await poolFrom(100_000, 500)).toEqual(bare(addresses));
  });

  it('refuses each entry that the signer has not signed for this exchange, network, index and address', async () => {
    const [{ address }] = inventEntries(90_000, 1) as [SignedEntry];
    const [other] = inventEntries(90_100, 1) as [SignedEntry];
    const text = (exchange: string, network: string, index: number, signed: string) =>
      `bureau-address-v1.${exchange}.${network}.${index}.${signed}`;
    const forged = [
      signEntry(90_000, address, { text: text('xpub-of-another', 'SOL', 90_000, address) }),
      signEntry(90_001, address, { text: text(TEST_EXCHANGE, 'ETH', 90_001, address) }),
      signEntry(90_002, address, { text: text(TEST_EXCHANGE, 'SOL', 90_003, address) }),
      signEntry(90_003, address, { text: text(TEST_EXCHANGE, 'SOL', 90_003, other.address) }),
      signEntry(90_004, address, { seed: new Uint8Array(32).fill(5) }),
      { ...signEntry(90_005, address), signature: '0'.repeat(128) },
    ];
    for (const entry of forged) {
      const { errors } = await expectCode(upload([other, entry]), '400 invalid_request');
      expect(errors?.map(({ pointer }) => pointer)).toEqual(['/addresses/1/signature']);
    }
    await expectCode(upload([{ index: 90_000, address }]), '400 invalid_request');
    expect(await poolFrom(90_000, 10)).toEqual([]);
    expect((await upload([signEntry(90_000, address)])).status).toBe(200);
  });

  it('is refused where no signer is configured, whose word could be checked', async () => {
    const entries = { addresses: inventEntries(80_000, 1) };
    const signer = { signerKey: '', exchange: TEST_EXCHANGE };
    expect(await fillSolanaPool(directoryOf(env), entries, signer, { role: 'operator', now_ms: 0 })).toMatchObject({
      ok: false,
      code: 'invalid_state',
    });
  });

  it('takes the word of the signer from whoever reports deposits, and shows them the pool, page by page', async () => {
    const addresses = inventEntries(200_000, 500);
    const asCustodian = (method: string, path: string, body?: unknown) =>
      asToken(env.DEPOSIT_TOKEN, method, path, body);
    for (const part of [addresses, inventEntries(200_500, 500), inventEntries(201_000, 2)]) {
      expect((await asCustodian('POST', '/solana-addresses', { addresses: part })).status).toBe(200);
    }
    const page = async (from: number) =>
      (await json<{ addresses: Entry[] }>(await asCustodian('GET', `/solana-addresses?from=${from}`))).addresses;
    expect(await page(200_000)).toHaveLength(1_000);
    expect((await page(200_000)).slice(0, 500)).toEqual(bare(addresses));
    expect((await page(201_000)).map(({ index }) => index)).toEqual([201_000, 201_001]);
    expect(await page(201_002)).toEqual([]);
    await expectCode(asCustodian('GET', '/solana-addresses?from=-1'), '400 invalid_request');
  });

  it('accepts the same upload again, in parallel, and one that overlaps it', async () => {
    const addresses = inventEntries(2_000, 20);
    const responses = await Promise.all(
      [addresses, addresses, addresses.slice(5), inventEntries(2_010, 15)].map(upload),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await poolFrom(2_000, 25)).toEqual(bare(inventEntries(2_000, 25)));
  });

  it('refuses another address for an index, and an address at another index, and then stores nothing', async () => {
    const [first] = inventEntries(3_000, 1);
    await upload([first]);
    await expectCode(
      upload([...inventEntries(3_001, 1), ...inventEntries(2, 1).map(({ address }) => signEntry(3_000, address))]),
      '409 invalid_state',
    );
    await expectCode(upload([...inventEntries(3_001, 1), signEntry(3_002, first?.address ?? '')]), '409 invalid_state');
    expect(await poolFrom(3_000, 5)).toEqual(bare(first ? [first] : []));
  });

  it('names every invalid entry', async () => {
    const [good, twin] = inventEntries(5_000, 2);
    const wrong = [
      good,
      signEntry(5_003, 'EDNd1ycsydWYwVmrYZvqYazFqwk1QjBgAUKFjBoz1jKP'),
      signEntry(5_004, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
      signEntry(5_000, twin?.address ?? ''),
      signEntry(5_005, good?.address ?? ''),
    ];
    const { errors } = await expectCode(upload(wrong), '400 invalid_request');
    expect(errors?.map(({ pointer }) => pointer)).toEqual([
      '/addresses/1/address',
      '/addresses/2/address',
      '/addresses/3/index',
      '/addresses/4/address',
    ]);
    expect(await poolFrom(5_000, 9)).toEqual([]);
  });

  const [entry] = inventEntries(6_000, 1);
  it.each([
    ['none', []],
    ['more than five hundred', inventEntries(6_000, 501)],
    ['an index below zero', [{ ...entry, index: -1 }]],
    ['half an index', [{ ...entry, index: 0.5 }]],
    ['an index that is hardened', [{ ...entry, index: 2 ** 31 }]],
    ['an index in text', [{ ...entry, index: '6000' }]],
    ['no list', entry],
  ])('refuses %s', async (_name, addresses) => {
    await expectCode(upload(addresses), '400 invalid_request');
  });

  it('refuses a body over its limit', async () => {
    await expectCode(upload('x'.repeat(128 * 1024)), '413 payload_too_large');
  });

  it.each<[Moment, string, number]>([
    ['before', OVERLOADED, 0],
    ['before', CONNECTION_LOST, 0],
    ['after', CONNECTION_LOST, 1],
  ])('is safe to repeat when D1 fails %s the write: %s', async (moment, message, kept) => {
    const from = 7_000 + (moment === 'after' ? 20 : message === OVERLOADED ? 0 : 10);
    const addresses = inventEntries(from, 1);
    const fault = aroundBatches(moment, 1, fail(message));
    const response = await upload(addresses);
    fault.restore();
    await expectCode(response, '503 service_unavailable');
    expect(response.headers.get('Retry-After')).toBe('1');
    const held = () => poolFrom(from, 1);
    expect(await held()).toHaveLength(kept);
    expect((await upload(addresses)).status).toBe(200);
    expect(await held()).toEqual(bare(addresses));
  });
});
