import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { digestOrder } from '../../src/contract/payout-order.ts';
import type { Policy } from '../../src/signer/policy.ts';
import type { Order } from '../../src/signer/requests.ts';

/** The public test mnemonic, whose keys everybody has. */
export const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

const bureauSecret = new Uint8Array(32).fill(7);

/** The seed with which Bureau signs payouts in the tests, in hex. */
export const BUREAU_SEED = hex.encode(bureauSecret);

export const BUREAU_KEY = hex.encode(ed25519.getPublicKey(bureauSecret));

export const COLD_EVM = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
export const COLD_TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
export const COLD_LTC = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';

export const COLD_SOL = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

export const policy: Policy = {
  bureauKeys: [BUREAU_KEY],
  sandbox: true,
  moreVersions: [],
  payoutsPerHour: { ETH: '10', USDT: '1000', USDC: '1000', BTC: '10', LTC: '100', DOGE: '100000' },
  networks: {
    TRC20: { maxFee: '100', feesPerHour: '5000', cold: COLD_TRON, gasPerHour: '500' },
    ETH: { maxFee: '0.05', feesPerHour: '1', cold: COLD_EVM, gasPerHour: '0.1' },
    BEP20: { maxFee: '0.05', feesPerHour: '1', cold: COLD_EVM, gasPerHour: '0.1' },
    BTC: {
      maxFee: '0.01',
      feesPerHour: '0.1',
      cold: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      gasPerHour: '0',
    },
    LTC: { maxFee: '0.01', feesPerHour: '0.1', cold: COLD_LTC, gasPerHour: '0' },
    SOL: { maxFee: '0.01', feesPerHour: '1', cold: COLD_SOL, gasPerHour: '0' },
    DOGE: { maxFee: '10', feesPerHour: '100', cold: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', gasPerHour: '0' },
  },
};

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'custodian-'));
}

/** An order as Bureau writes and signs it. */
export function orderOf(payout: object, secret = bureauSecret): Order {
  const body = JSON.stringify(payout);
  const text = new TextEncoder().encode(`bureau-payout-v1.${digestOrder(body)}`);
  return { body, signature: hex.encode(ed25519.sign(text, secret)) };
}
