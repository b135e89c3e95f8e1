// @runtime outside-by-hand
import { describe, expect, it } from 'vitest';
import { ADDRESSES_PATH, indexOf, keptAddresses, readAddresses } from '../support/addresses/addresses.ts';
import { TEST_MNEMONIC } from '../support/addresses/address-vectors.ts';
import { type ProblemBody, asOperator, json, openTrader } from '../support/exchange.ts';
import { deriveIndependently } from '../support/addresses/independent-derivation.ts';

describe('GET /api/v1/wallet/addresses with a pool of Solana addresses', () => {
  it('answers 503 with Retry-After and stores nothing until the pool holds an address for the account', async () => {
    const trader = await openTrader();
    const response = await trader.get(ADDRESSES_PATH);
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '60']);
    expect(await json<ProblemBody>(response)).toMatchObject({
      code: 'service_unavailable',
      retryable: true,
      detail: expect.stringContaining('no Solana (SOL) address'),
    });
    expect(await keptAddresses(trader.accountId)).toEqual({});

    const index = await indexOf(trader.accountId);
    const [own, next] = [await deriveIndependently(TEST_MNEMONIC, 90), await deriveIndependently(TEST_MNEMONIC, 91)];
    await asOperator('POST', '/solana-addresses', { addresses: [{ index: index + 1, address: next.SOL }] });
    expect((await trader.get(ADDRESSES_PATH)).status).toBe(503);
    await asOperator('POST', '/solana-addresses', { addresses: [{ index, address: own.SOL }] });
    const derived = await deriveIndependently(TEST_MNEMONIC, index);
    expect(await readAddresses(trader)).toEqual({ ...derived, SOL: own.SOL });

    const second = await openTrader();
    expect(await indexOf(second.accountId)).toBe(index + 1);
    expect((await readAddresses(second))['SOL']).toBe(next.SOL);
  });
});
