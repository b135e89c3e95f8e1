import { setTimeout as sleep } from 'node:timers/promises';
import { testnets, tryTestnet } from '../custodian/test/support/try-testnet.ts';

/**
 * `npm run test:testnet -- nile|devnet` has the custodian pay, see a deposit and sweep on Tron's or Solana's network for
 * tests, with a wallet that its operator has funded there: TESTNET_MNEMONIC. TESTNET_NODE is another node than the public
 * one. **It has never been run**: it was tried before the played nodes only (custodian/test/chains/testnet.test.ts).
 */
const HOUR_MS = 3_600_000;
const LOOK_INTERVAL_MS = 2_000;

const [name = ''] = process.argv.slice(2);
const { TESTNET_MNEMONIC: mnemonic, TESTNET_NODE: node } = process.env;
if (!(name === 'nile' || name === 'devnet') || mnemonic === undefined) {
  throw new Error('usage: TESTNET_MNEMONIC=… npm run test:testnet -- nile|devnet');
}
const testnet = testnets[name];
await tryTestnet({
  testnet: { ...testnet, nodes: node === undefined ? testnet.nodes : [node] },
  mnemonic,
  say: (line) => console.log(line),
  pause: () => sleep(LOOK_INTERVAL_MS),
  patience_ms: HOUR_MS,
});
