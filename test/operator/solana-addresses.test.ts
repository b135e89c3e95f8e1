import { describe, expect, it } from 'vitest';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { deriveSolanaUpload } from '../../scripts/offline-wallet.ts';
import { asOperator, json, openAccount, expectCode } from '../support/exchange.ts';
import { indexOf } from '../support/addresses/addresses.ts';
import { type Moment, CONNECTION_LOST, OVERLOADED, aroundBatches, fail } from '../support/runtime/faults.ts';
import { listRows } from '../support/db/sql.ts';

interface Entry {
  readonly index: number;
  readonly address: string;
}

/** Addresses from an index on, as the script writes them. Every test uses its own range of its own wallet. */
function draw(from: number, count: number, wallet = 1): Entry[] {
  return deriveSolanaUpload(new Uint8Array(64).fill(wallet), from, count).addresses;
}

/** The same for keys that nobody has, which are points of the curve in a row: deriving a thousand takes seconds. */
function invent(from: number, count: number): Entry[] {
  const { BASE } = ed25519.Point;
  let point = BASE.multiply(BigInt(from + 1));
  return Array.from({ length: count }, (_, at) => {
    const address = base58.encode(point.toBytes());
    point = point.add(BASE);
    return { index: from + at, address };
  });
}

function upload(addresses: unknown): Promise<Response> {
  return asOperator('POST', '/solana-addresses', { addresses });
}

async function poolFrom(index: number, count: number): Promise<Entry[]> {
  const results = await listRows<Entry & Record<string, unknown>>(
    'SELECT address_index AS "index", address FROM solana_pool WHERE address_index >= ? ORDER BY 1 LIMIT ?',
    index,
    count,
  );
  return results;
}

describe('POST /operator/v1/solana-addresses', () => {
  it('accepts a thousand addresses, as the script writes them', async () => {
    const account = await openAccount();
    const addresses = [...draw(100_000, 3), ...invent(100_003, 997)];
    const response = await upload(addresses);
    expect(response.status).toBe(200);
    expect(await json(response)).toEqual({
      solanaPool: { accepted: 1_000, highestIndex: 100_999, nextAccountIndex: (await indexOf(account)) + 1 },
    });
    expect(await poolFrom(100_000, 1_000)).toEqual(addresses);
  });

  it('accepts the same upload again, in parallel, and one that overlaps it', async () => {
    const addresses = draw(2_000, 20);
    const responses = await Promise.all([addresses, addresses, addresses.slice(5), draw(2_010, 15)].map(upload));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await poolFrom(2_000, 25)).toEqual(draw(2_000, 25));
  });

  it('refuses another address for an index, and an address at another index, and then stores nothing', async () => {
    const [first] = draw(3_000, 1);
    await upload([first]);
    await expectCode(upload([...draw(3_001, 1), ...draw(3_000, 1, 2)]), '409 invalid_state');
    await expectCode(upload([...draw(3_001, 1), { ...first, index: 3_002 }]), '409 invalid_state');
    expect((await poolFrom(3_000, 5)).filter(({ index }) => index < 4_000)).toEqual([first]);
  });

  it('names every invalid entry', async () => {
    const [good, twin] = draw(5_000, 2);
    const wrong = [
      good,
      { index: 5_003, address: 'EDNd1ycsydWYwVmrYZvqYazFqwk1QjBgAUKFjBoz1jKP' },
      { index: 5_004, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      { ...twin, index: 5_000 },
      { ...good, index: 5_005 },
    ];
    const { errors } = await expectCode(upload(wrong), '400 invalid_request');
    expect(errors?.map(({ pointer }) => pointer)).toEqual([
      '/addresses/1/address',
      '/addresses/2/address',
      '/addresses/3/index',
      '/addresses/4/address',
    ]);
    expect((await poolFrom(5_000, 9)).filter(({ index }) => index < 6_000)).toEqual([]);
  });

  const [entry] = draw(6_000, 1);
  it.each([
    ['none', []],
    ['more than a thousand', invent(6_000, 1_001)],
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
    const addresses = draw(from, 1);
    const fault = aroundBatches(moment, 1, fail(message));
    const response = await upload(addresses);
    fault.restore();
    await expectCode(response, '503 service_unavailable');
    expect(response.headers.get('Retry-After')).toBe('1');
    const held = async () => (await poolFrom(from, 1)).filter(({ index }) => index === from);
    expect(await held()).toHaveLength(kept);
    expect((await upload(addresses)).status).toBe(200);
    expect(await held()).toEqual(addresses);
  });
});
