// @runtime outside-by-hand
import { describe, expect, it } from 'vitest';
import { findHolders, nameAddress } from '../../src/db/directory.ts';
import { directoryOf } from '../../src/db/database.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { ADDRESSES_PATH, indexOf, keptAddresses, readAddresses } from '../support/addresses/addresses.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';
import { type SignedEntry, inventEntries } from '../support/addresses/pool-entries.ts';
import { asOperator, json, openTrader } from '../support/exchange.ts';
import { deriveIndependently } from '../support/addresses/independent-derivation.ts';
import { atOnce } from '../support/at-once.ts';

const fill = async (addresses: readonly SignedEntry[]) => {
  expect((await asOperator('POST', '/solana-addresses', { addresses })).status).toBe(200);
};

const open = () => asOperator('POST', '/accounts', { label: 'x' });

describe('an account that was opened while there was no pool', () => {
  it('has its other eleven addresses and `pending`, and Solana’s once the pool has it, whichever reads come at once', async () => {
    const trader = await openTrader();
    const index = await indexOf(trader.accountId);
    const { SOL: _, ...derived } = await deriveIndependently(TEST_MNEMONIC, index);
    const read = async () => json<{ addresses: object[]; pending?: string[] }>(await trader.get(ADDRESSES_PATH));
    expect(await readAddresses(trader)).toEqual(derived);
    expect(await read()).toMatchObject({ addresses: { length: 11 }, pending: ['SOL'] });
    expect(await keptAddresses(trader.accountId)).toEqual(derived);

    const [own, next] = inventEntries(index, 2) as [SignedEntry, SignedEntry];
    await fill([next]);
    expect((await read()).pending).toEqual(['SOL']);
    await fill([own]);
    await atOnce(3, () => trader.get(ADDRESSES_PATH));
    expect(await readAddresses(trader)).toEqual({ ...derived, SOL: own.address });
    expect(await read()).not.toHaveProperty('pending');
    expect(await findHolders(directoryOf(env), [nameAddress('SOL', own.address)])).toEqual([trader.accountId]);
  });
});

describe('opening an account', () => {
  it('is refused while the pool has no address for it, and takes none away', async () => {
    const last = await openTrader();
    const index = await indexOf(last.accountId);
    const response = await expectAnswer(open());
    expect(response).toEqual([503, '60', 'service_unavailable']);
    // An address beyond a gap is no address of the next account.
    await fill(inventEntries(index + 2, 1));
    expect(await expectAnswer(open())).toEqual([503, '60', 'service_unavailable']);
    await fill(inventEntries(index + 1, 1));
    const statuses = await atOnce(3, async () => (await open()).status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 201, 503]);
  });

  it('has its Solana address from the beginning', async () => {
    const last = await openTrader();
    const index = (await indexOf(last.accountId)) + 1;
    const [entry] = inventEntries(index, 1) as [SignedEntry];
    await fill([entry]);
    const { account } = await json<{ account: { id: string } }>(await open());
    expect(await indexOf(account.id)).toBe(index);
  });

  it('by its holder stops when two hundred addresses are left, which are for the staff', async () => {
    const last = await openTrader();
    const index = (await indexOf(last.accountId)) + 1;
    await fill(inventEntries(index, 200));
    const openOwn = (email: string) => holderEntrypoint.openAccount(email);
    expect(await openOwn('first@customers.example')).toMatchObject({ ok: false, code: 'service_unavailable' });
    await fill(inventEntries(index + 200, 1));
    expect(await openOwn('first@customers.example')).toMatchObject({ ok: true });
    expect(await openOwn('second@customers.example')).toMatchObject({ ok: false, code: 'service_unavailable' });
    expect((await open()).status).toBe(201);
  });
});

async function expectAnswer(asked: Promise<Response>) {
  const response = await asked;
  const { code } = await json<{ code: string }>(response);
  return [response.status, response.headers.get('Retry-After'), code];
}
