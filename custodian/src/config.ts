import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../src/money/amounts.ts';
import { DepositKeys } from '../../src/wallet/addresses/deposit-keys.ts';
import { bitcoinNetworks, evmNetworks } from './networks.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX);
const NodeUrls = z.array(z.url()).min(1).max(2);

/** How the house keeps its own coins, by asset. */
const house = {
  /** An address is swept when it has so much of an asset; what is not named is not swept. */
  sweepFrom: z.record(z.string(), Amount).default({}),
  /** Above `max` the hot wallet's surplus over `target` goes to the cold address. */
  hotWallet: z.record(z.string(), z.strictObject({ target: Amount, max: Amount })).default({}),
};

export type HouseSettings = z.output<z.ZodObject<typeof house>>;

const following = {
  /** The first is asked; the second must agree on a block before a deposit in it is reported as confirmed. */
  nodes: NodeUrls,
  /**
   * By asset: from so much on a deposit needs the second node's word, and is never reported as confirmed where there is
   * none. Of an asset that is not named every deposit needs it, where there is a second node.
   */
  agreeFrom: z.record(z.string(), Amount).default({}),
  /** Where to begin when nothing was followed before; `null` for the newest block. */
  startHeight: z.number().int().min(0).nullable().default(null),
  /** How often the chain is looked at. */
  interval_ms: z.number().int().min(10).default(2_000),
  /** A version that is in no block after so many is helped. */
  bumpAfterBlocks: z.number().int().min(1).default(6),
};

const EvmSettings = z.strictObject({
  ...following,
  ...house,
  finalTag: z.enum(['safe', 'finalized']).nullable().default('finalized'),
  /** Where the chain has no tag. */
  finalDepth: z.number().int().min(1).default(64),
  /** Whether the first node can trace; without, inner payments are not seen. */
  hasTraces: z.boolean(),
});

const BitcoinSettings = z.strictObject({
  ...following,
  hotWallet: house.hotWallet,
  finalDepth: z.number().int().min(1),
  /** What is paid when the node cannot estimate, and the least and the most, in atoms per 1,000 vbytes. */
  feeRate: z.strictObject({ usual: z.number().int(), min: z.number().int(), max: z.number().int() }),
});

export type EvmSettings = z.output<typeof EvmSettings>;
export type BitcoinSettings = z.output<typeof BitcoinSettings>;

/** The custodian's configuration: a JSON file without secrets. */
export const Config = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8790),
  /** Where metrics are served, on loopback; `null` for nowhere. */
  metricsPort: z.number().int().min(0).max(65_535).nullable().default(null),
  database: z.string().min(1),
  signerSocket: z.string().min(1),
  bureauUrl: z.url(),
  /** Bureau's Ed25519 public keys, in hex. */
  bureauKeys: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .min(1)
    .max(4),
  /** The Worker's DEPOSIT_KEYS. */
  depositKeys: DepositKeys,
  /** Deposit addresses of so many indexes are watched beyond those that Bureau has given. */
  watchedAhead: z.number().int().min(1).max(100_000).default(1_000),
  evm: z.partialRecord(z.enum(evmNetworks), EvmSettings).default({}),
  bitcoin: z.partialRecord(z.enum(bitcoinNetworks), BitcoinSettings).default({}),
});

export type Config = z.output<typeof Config>;

/** As Bureau takes them: no blank, since one would never match, or came by mistake. */
const Secret = z
  .string()
  .min(32)
  .regex(/^[!-~]+$/, 'holds a blank or another character that is not visible ASCII');

/** Secrets come by the environment, never by the file. */
export const Secrets = z.object({
  /** Bureau's keys at this custodian: JSON, secret by key id. */
  CUSTODY_SECRETS: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(z.record(z.string().regex(/^[\w.-]{1,64}$/), Secret)),
  /** The token with which deposits are reported. */
  BUREAU_DEPOSIT_TOKEN: Secret,
});

/** Reads a configuration file. Throws with what is wrong in it. */
export function readJsonFile<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
