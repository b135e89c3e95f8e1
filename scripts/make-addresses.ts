import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Wallet } from '../custodian/src/signer/wallet.ts';
import { deriveDepositKeys, deriveSolanaUpload, isPublicSeed, readMnemonic, readSeed } from './offline-wallet.ts';

/**
 * `npm run -s make:addresses` makes what the Worker needs of the house's wallet, on a machine that is offline. It reads
 * the mnemonic from standard input and never from an argument, which a shell would remember. It prints one line of
 * JSON: DEPOSIT_KEYS, or with `-- --solana FROM COUNT` the body of POST /operator/v1/solana-addresses, for an exchange
 * without a custodian that fills its pool. Beside that it says which CUSTODY_SIGNER_KEY belongs to it.
 */

const USAGE = 'usage: npm run -s make:addresses [-- --solana FROM COUNT] < mnemonic';

/** The most addresses of one upload. */
const MAX_COUNT = 500;

function readRange(argv: readonly string[]): { from: number; count: number } | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { solana: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.solana !== true && positionals.length === 0) return undefined;
  const [from, count, ...rest] = positionals.map((word) => (/^\d{1,10}$/.test(word) ? Number(word) : NaN));
  const isRange = from !== undefined && count !== undefined && rest.length === 0 && from + count <= 2 ** 31;
  if (values.solana !== true || !isRange || count < 1 || count > MAX_COUNT) {
    throw new Error(`${USAGE}\nCOUNT is 1 to ${MAX_COUNT}`);
  }
  return { from, count };
}

async function print(): Promise<void> {
  const range = readRange(process.argv.slice(2));
  if (process.stdin.isTTY) console.error('Type the mnemonic, then Enter and Ctrl-D.');
  const mnemonic = readMnemonic(await text(process.stdin));
  const seed = readSeed(mnemonic);
  if (isPublicSeed(seed)) console.error('This is the public test mnemonic: production refuses what is made of it.');
  if (!range) {
    console.log(JSON.stringify(deriveDepositKeys(seed)));
    return;
  }
  const wallet = new Wallet(mnemonic);
  console.error(`CUSTODY_SIGNER_KEY = "${wallet.signerKey}"`);
  console.log(JSON.stringify(deriveSolanaUpload(wallet, range.from, range.count)));
}

try {
  await print();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
