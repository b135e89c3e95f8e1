import { describe, expect, it } from 'vitest';
import contract from '../../docs/custody.md?raw';
import { signRequest } from '../../src/custody/sign-request.ts';

/** The worked example of docs/custody.md. Its values were computed with openssl. */
const key = { keyId: 'bureau', secret: 'sandbox-custody-secret-of-the-public-repository' };
const TIMESTAMP_S = 1795241228;
const path = '/v1/payouts/019ac5a4-7c00-7000-8000-000000000001';
const body =
  '{"withdrawalId":"019ac5a4-7c00-7000-8000-000000000001","asset":"USDT","network":"TRC20","contractAddress":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","address":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","amount":"250.5"}';
const PUT_SIGNATURE = 'v1=f7ff83d118869b0b97088d8818580ffd5b57c4d35f15f8a41b19d95edac3b765';
const GET_SIGNATURE = 'v1=9c3aebcfdc164c32d1cfa0fa01042ebe77e8bc66018b16421ffb7155a9d2966e';

describe('the signature of a request to the custodian', () => {
  it('equals the one that openssl computes, with a body and without', async () => {
    expect(await signRequest({ method: 'PUT', path, body }, key, TIMESTAMP_S)).toEqual({
      'X-Bureau-Key-Id': 'bureau',
      'X-Bureau-Timestamp': '1795241228',
      'X-Bureau-Signature': PUT_SIGNATURE,
    });
    expect(await signRequest({ method: 'GET', path, body: '' }, key, TIMESTAMP_S)).toMatchObject({
      'X-Bureau-Signature': GET_SIGNATURE,
    });
  });

  it('covers the secret, the time, the method, the path and the body', async () => {
    const request = { method: 'PUT', path, body } as const;
    const signed = await Promise.all([
      signRequest(request, key, TIMESTAMP_S),
      signRequest(request, { ...key, secret: `${key.secret}.` }, TIMESTAMP_S),
      signRequest(request, key, TIMESTAMP_S + 1),
      signRequest({ ...request, method: 'GET' }, key, TIMESTAMP_S),
      signRequest({ ...request, path: `${path}2` }, key, TIMESTAMP_S),
      signRequest({ ...request, body: body.replace('250.5', '250.6') }, key, TIMESTAMP_S),
    ]);
    expect(new Set(signed.map((headers) => headers['X-Bureau-Signature'])).size).toBe(signed.length);
  });

  it.each([key.keyId, key.secret, String(TIMESTAMP_S), path, body, PUT_SIGNATURE, GET_SIGNATURE])(
    'is computed in the contract’s worked example, which contains %j',
    (part) => {
      expect(contract).toContain(part);
    },
  );
});
