import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../src/money/amounts.ts';
import { networks } from '../../src/money/networks.ts';
import { DepositKeys } from '../../src/addresses/deposit-keys.ts';
import {
  SOLANA_GENESIS,
  bitcoinNetworks,
  evmNetworks,
  servedNetworks,
  solanaNetworks,
  tronNetworks,
} from './networks.ts';
import { MaxGas } from './signer/policy.ts';
import { MAX_NONCES } from './signer/requests.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX);
/** A URL with a placeholder for a secret is checked when it is filled in. */
const NodeUrls = z
  .array(z.string().regex(/^https?:\/\/\S+$/))
  .min(1)
  .max(2);

/** When coins are moved between deposit addresses, hot wallet and cold address, by asset. */
const house = {
  /** A deposit address is swept when it has at least this much of the asset. Other assets are not swept. */
  sweepFrom: z.record(z.string(), Amount).default({}),
  /**
   * A sweep of a token waits while its gas costs more than this, in the network's own coin; `null` for no bound but the
   * signer's. A sweep of the coin itself waits until it is worth ten times its cost.
   */
  sweepMaxFee: Amount.nullable().default(null),
  /** When the hot wallet has more than `max`, everything above `target` goes to the cold address. */
  hotWallet: z.record(z.string(), z.strictObject({ target: Amount, max: Amount })).default({}),
};

export type HouseSettings = z.output<z.ZodObject<typeof house>>;

const following = {
  /**
   * URLs, in which `${NAME}` stands for a secret of NODE_SECRETS. The first is used for everything. The second must agree before a deposit is confirmed, an inner payment reported, or
   * a payout answered as *sent*.
   */
  nodes: NodeUrls,
  /**
   * By asset: a deposit of at least this amount is reported as confirmed, an inner payment reported at all, and a payout
   * answered as *sent*, only when the second node agrees, so never when there is no second node. For assets that are not
   * named, the second node must agree on every one, if there is one.
   */
  agreeFrom: z.record(z.string(), Amount).default({}),
  /** The first block to read when there is no database yet; `null` for the newest. */
  startHeight: z.number().int().min(0).nullable().default(null),
  /** The time between two looks at the chain. */
  interval_ms: z.number().int().min(10).default(2_000),
  /**
   * What the house has put into the hot wallet in all, to pay network fees with, in the network's own coin. What is left
   * of it is not held for customers.
   */
  feeFloat: Amount.default('0'),
  /** After this many blocks, a transaction that is in none of them is replaced, or a child pays for it. */
  bumpAfterBlocks: z.number().int().min(1).default(6),
};

const EvmSettings = z.strictObject({
  ...following,
  ...house,
  finalTag: z.enum(['safe', 'finalized']).nullable().default('finalized'),
  /** How deep a block must be to be final, when the chain has no tag for finality. */
  finalDepth: z.number().int().min(1).default(64),
  /**
   * The most gas of one transaction: a payment that needs more is held. The signer's policy has the same bound.
   * `usualGasBounds` of networks.ts when it is not given.
   */
  maxGas: MaxGas.optional(),
  /** Whether the nodes can trace transactions: each of them. If not, inner payments are not seen. */
  hasTraces: z.boolean(),
});

const BitcoinSettings = z.strictObject({
  ...following,
  hotWallet: house.hotWallet,
  finalDepth: z.number().int().min(1),
  /** The hash of the chain's first block, on a chain for tests; the main chain's when it is not given. */
  genesis: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The number of coins from which the smallest hundred are joined into one, while fees are not above the usual. */
  gatherFrom: z.number().int().min(2).max(100).default(100),
  /** Fee rates in atoms per 1,000 vbytes: the one when the node cannot estimate, the lowest and the highest. */
  feeRate: z.strictObject({ usual: z.number().int(), min: z.number().int(), max: z.number().int() }),
});

const { nodes, agreeFrom, startHeight, interval_ms } = following;

const SolanaSettings = z.strictObject({
  nodes,
  agreeFrom,
  /** A slot. */
  startHeight,
  interval_ms,
  sweepFrom: house.sweepFrom,
  hotWallet: house.hotWallet,
  /** The hash of the chain's first block, on a chain for tests; the main network's when it is not given. */
  genesis: z.string().min(32).max(44).default(SOLANA_GENESIS),
  /**
   * How many payments may be open at once: each has a nonce account, for which the hot wallet pays 0.00145 SOL once. With
   * 0 a payment lives by a blockhash, and another version of it is made only when 150 blocks have not had it.
   */
  nonceAccounts: z.number().int().min(0).max(MAX_NONCES).default(16),
  /** How many addresses Bureau's pool has beyond those of its accounts. */
  pooledAhead: z.number().int().min(1).max(100_000).default(2_000),
  /** The least and the most that is offered for a compute unit, in millionths of a lamport. */
  computePrice: z
    .strictObject({ min: z.number().int().min(0), max: z.number().int().max(1_000_000_000) })
    .default({ min: 1_000, max: 1_000_000 }),
  /** After this many slots, a transaction that is in no block offers more, if the market asks for it. */
  bumpAfterBlocks: z.number().int().min(1).default(100),
  /** The hot wallet must keep this much of its coin, since it would end without it. */
  keptLamports: z.number().int().min(0).default(10_000_000),
});

/** Fees are paid in TRX, which is no asset of Bureau, and a transaction is never replaced by one with a higher fee. */
const TronSettings = z
  .strictObject({ ...following, ...house })
  .omit({ feeFloat: true, bumpAfterBlocks: true })
  .extend({
    /** The id of the chain's first block, on a chain for tests; the main chain's when it is not given. */
    genesis: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  });

export type TronSettings = z.output<typeof TronSettings>;
export type EvmSettings = z.output<typeof EvmSettings>;
export type BitcoinSettings = z.output<typeof BitcoinSettings>;
export type SolanaSettings = z.output<typeof SolanaSettings>;

/** After how many blocks what was paid out of MWEB can be spent, by Litecoin's rules. Only final coins are spent here. */
const PEGOUT_MATURITY = 6;

const members = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(8790),
  /** The port of the metrics, on loopback; `null` to serve none. */
  metricsPort: z.number().int().min(0).max(65_535).nullable().default(null),
  database: z.string().min(1),
  signerSocket: z.string().min(1).default('signer.sock'),
  /**
   * For a second watcher, which has no signer and makes no payments, but reports deposits with Bureau's WATCHER_TOKEN: the
   * house's addresses by network. `null` for a custodian.
   */
  watchOnly: z
    .partialRecord(
      z.enum(servedNetworks),
      z.strictObject({ hot: z.string(), gas: z.string().nullable(), cold: z.string() }),
    )
    .nullable()
    .default(null),
  bureauUrl: z.url(),
  /** Bureau's Ed25519 public keys, in hex. */
  bureauKeys: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .min(1)
    .max(4),
  /** The Worker's DEPOSIT_KEYS. */
  depositKeys: DepositKeys,
  /** How many deposit addresses are watched beyond those that Bureau has assigned. */
  watchedAhead: z.number().int().min(1).max(100_000).default(1_000),
  evm: z.partialRecord(z.enum(evmNetworks), EvmSettings).default({}),
  bitcoin: z.partialRecord(z.enum(bitcoinNetworks), BitcoinSettings).default({}),
  solana: z.partialRecord(z.enum(solanaNetworks), SolanaSettings).default({}),
  tron: z.partialRecord(z.enum(tronNetworks), TronSettings).default({}),
  /**
   * Networks that are not configured here, and on which the exchange holds nothing, by the operator's word. Bureau can
   * compare an asset only when all its networks are reported.
   */
  nothingHeldOn: z.array(z.enum(networks)).default([]),
});

/** The custodian's configuration: a JSON file without secrets. */
export const Config = members
  .refine(
    ({ evm, bitcoin, solana, tron, nothingHeldOn }) => {
      const named = [...[evm, bitcoin, solana, tron].flatMap((family) => Object.keys(family)), ...nothingHeldOn];
      return new Set(named).size === named.length;
    },
    { path: ['nothingHeldOn'], message: 'names a network twice, or one that is configured' },
  )
  .refine(({ watchOnly, solana }) => watchOnly === null || Object.keys(solana).length === 0, {
    path: ['watchOnly'],
    message: 'cannot watch Solana, whose addresses only a signer knows',
  })
  .refine(({ bitcoin }) => (bitcoin.LTC?.finalDepth ?? PEGOUT_MATURITY) >= PEGOUT_MATURITY, {
    path: ['bitcoin', 'LTC', 'finalDepth'],
    message: `is less than ${PEGOUT_MATURITY}, after which a payment out of MWEB can be spent`,
  });

export type Config = z.output<typeof Config>;

/** The form of a secret, as Bureau checks it: without blanks, which are a mistake of copying. */
const Secret = z
  .string()
  .min(32)
  .regex(/^[!-~]+$/, 'holds a blank or another character that is not visible ASCII');

/** The secrets, which are read from the environment, never from the file. */
export const Secrets = z
  .object({
    /** The secrets of Bureau's keys at this custodian: a JSON object by key id. */
    CUSTODY_SECRETS: z
      .string()
      .transform((text) => JSON.parse(text) as unknown)
      .pipe(z.record(z.string().regex(/^[\w.-]{1,64}$/), Secret)),
    /** The token with which deposits are reported. */
    BUREAU_DEPOSIT_TOKEN: Secret,
    /** The service token of Cloudflare Access, where Access protects Bureau's operator API: both or neither. */
    CF_ACCESS_CLIENT_ID: Secret.optional(),
    CF_ACCESS_CLIENT_SECRET: Secret.optional(),
  })
  .refine(
    (secrets) => (secrets.CF_ACCESS_CLIENT_ID === undefined) === (secrets.CF_ACCESS_CLIENT_SECRET === undefined),
    { path: ['CF_ACCESS_CLIENT_ID'], message: 'needs CF_ACCESS_CLIENT_SECRET, and the other way round' },
  )
  .transform(({ CF_ACCESS_CLIENT_ID: id, CF_ACCESS_CLIENT_SECRET: secret, ...others }) => ({
    ...others,
    serviceToken: id !== undefined && secret !== undefined ? { id, secret } : undefined,
  }));

/** Passwords and keys of nodes by name: a JSON object, from the environment. */
const NodeSecrets = z.record(z.string().regex(/^\w{1,64}$/), z.string());

/** A password in a URL, written out. */
const PASSWORD = /^[a-z]+:\/\/[^/@]*:(?!\$\{)[^/@]+@/i;

/**
 * Reads the custodian's configuration, and puts the secrets into the URLs of its nodes. Throws an error that says what is
 * wrong in it; a password that is written out is.
 */
export function readConfig(file: string, environment: Readonly<Record<string, string | undefined>>): Config {
  const config = readJsonFile(file, Config);
  const secrets = NodeSecrets.parse(JSON.parse(environment['NODE_SECRETS'] ?? '{}'));
  const fill = (url: string): string => {
    if (PASSWORD.test(url))
      throw new Error(`${file}: a node's URL has a password; write a name in \${}, and it into NODE_SECRETS`);
    return url.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const secret = secrets[name];
      if (secret === undefined) throw new Error(`${file}: NODE_SECRETS has no ${name}`);
      return secret;
    });
  };
  const fillAll = <S extends { readonly nodes: string[] }>(family: Readonly<Record<string, S>>) =>
    Object.fromEntries(
      Object.entries(family).map(([network, settings]) => [network, { ...settings, nodes: settings.nodes.map(fill) }]),
    );
  const { evm, bitcoin, solana, tron } = config;
  return { ...config, evm: fillAll(evm), bitcoin: fillAll(bitcoin), solana: fillAll(solana), tron: fillAll(tron) };
}

/** Reads a configuration file. Throws an error that says what is wrong in it. */
export function readJsonFile<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
