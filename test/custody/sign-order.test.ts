import { ed25519 } from '@noble/curves/ed25519.js';
import { hex, utf8 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import contract from '../../docs/custody.md?raw';
import { digestInHex } from '../../src/platform/digest.ts';
import { signOrder } from '../../src/custody/sign-order.ts';

/** The worked example of docs/custody.md. Its values were computed with OpenSSL. */
const SEED = '07'.repeat(32);
const PUBLIC_KEY = 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c';
const SIGNATURE =
  'f5ac799028efd97af1abe073ebb40963b241d84aee473e7681073f21cf7ff0a3a6e798d6a28bf50d0c4487a87d7f3a933d006805eba4bfe876fccb6682458407';
const body =
  '{"withdrawalId":"019ac5a4-7c00-7000-8000-000000000001","asset":"USDT","network":"TRC20","contractAddress":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","address":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","amount":"250.5"}';

describe('the payout’s own signature', () => {
  it('equals the one that OpenSSL computes, and is the same each time', async () => {
    expect(await signOrder(body, SEED)).toBe(SIGNATURE);
    expect(await signOrder(body, SEED)).toBe(SIGNATURE);
  });

  it('is checked with the public key alone, and is valid for these bytes only', async () => {
    const verify = async (text: string) =>
      ed25519.verify(
        hex.decode(await signOrder(body, SEED)),
        utf8.decode(`bureau-payout-v1.${await digestInHex(text)}`),
        hex.decode(PUBLIC_KEY),
      );
    expect(await verify(body)).toBe(true);
    expect(await verify(body.replace('250.5', '250.6'))).toBe(false);
  });

  it.each([SEED, PUBLIC_KEY, SIGNATURE])('is computed in the contract’s worked example, which contains %j', (value) => {
    expect(contract).toContain(value);
  });
});
