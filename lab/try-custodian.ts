import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { EvmNode } from '../custodian/src/evm/evm-node.ts';
import { readTokenBalance } from '../custodian/src/evm/token-balance.ts';
import { connectNode } from '../custodian/src/nodes/json-rpc.ts';
import { assets } from '../src/money/assets.ts';
import { AMOUNT_SYNTAX, formatAmount } from '../src/money/amounts.ts';
import { networks } from '../src/money/networks.ts';
import { CustodianClient } from './conformance/custodian-client.ts';
import { NotAsked, type Order, type Trial, clauses } from './conformance/custodian-clauses.ts';

/**
 * Holds a custodian to docs/custody.md from outside, on a network for tests:
 *
 *     npm run test:custodian -- URL --order order.json [--too-much AMOUNT] [--node URL] [--minutes N]
 *
 * `order.json` names what it must pay a few times: {"asset","network","contractAddress","address","amount"}. With the
 * URL of a node of an EVM network the payments are counted. CUSTODY_KEY_ID, CUSTODY_SECRET, CUSTODY_SIGNING_KEY and
 * CUSTODY_SIGNER_KEY are read from the environment, as the Worker's are. The exit code is 1 when a promise is broken.
 */
const USAGE =
  'usage: npm run test:custodian -- URL --order FILE [--too-much AMOUNT] [--node URL] [--minutes N] [--pause-ms N]';

const Order = z.strictObject({
  asset: z.enum(Object.keys(assets) as [keyof typeof assets]),
  network: z.enum(networks),
  contractAddress: z.string().nullable(),
  address: z.string().min(1),
  amount: z.string().regex(AMOUNT_SYNTAX),
});

const Secrets = z.object({
  CUSTODY_KEY_ID: z.string().min(1),
  CUSTODY_SECRET: z.string().min(1),
  CUSTODY_SIGNING_KEY: z.string().optional(),
  CUSTODY_SIGNER_KEY: z.string().optional(),
});

function readReceived(url: string, { asset, network, contractAddress, address }: Order): () => Promise<string> {
  const node = new EvmNode(connectNode(url));
  const listed = assets[asset].networks.find((one) => one.network === network);
  return async () => {
    const atoms = await (contractAddress === null
      ? node.balance(address)
      : readTokenBalance(node, contractAddress, address));
    return formatAmount(atoms, listed?.decimals ?? 18);
  };
}

async function tryClauses(trial: Trial): Promise<number> {
  let broken = 0;
  for (const { name, check } of clauses) {
    try {
      console.log(`ok       ${name}: ${await check(trial)}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!(error instanceof NotAsked)) broken += 1;
      console.log(`${error instanceof NotAsked ? 'skipped ' : 'BROKEN  '} ${name}: ${message}`);
    }
  }
  return broken;
}

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  options: { order: text, 'too-much': text, node: text, minutes: text, 'pause-ms': text },
  allowPositionals: true,
});
const [url] = positionals;
if (url === undefined || values.order === undefined) throw new Error(USAGE);
const secrets = Secrets.parse(process.env);
const order = Order.parse(JSON.parse(readFileSync(values.order, 'utf8')));
const broken = await tryClauses({
  client: new CustodianClient({
    url,
    keyId: secrets.CUSTODY_KEY_ID,
    secret: secrets.CUSTODY_SECRET,
    signingKey: secrets.CUSTODY_SIGNING_KEY,
  }),
  order,
  tooMuch: values['too-much'],
  signerKey: secrets.CUSTODY_SIGNER_KEY || undefined,
  received: values.node === undefined ? undefined : readReceived(values.node, order),
  patience_ms: Number(values.minutes ?? '30') * 60_000,
  pause_ms: Number(values['pause-ms'] ?? '2000'),
});
console.log(broken === 0 ? 'it keeps every promise that was tried' : `it breaks ${broken}`);
if (broken > 0) process.exitCode = 1;
