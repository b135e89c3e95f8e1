import { env } from 'cloudflare:workers';
import { z } from 'zod';
import { coinSymbols } from './money/assets.ts';
import { AMOUNT_SYNTAX } from './money/amounts.ts';
import type { KeyLane } from './lane/key-lane.ts';
import type { PriceHub } from './markets/price-hub.ts';
import { DepositKeys } from './wallet/addresses/deposit-keys.ts';
import { holdsSandboxKey } from './wallet/addresses/sandbox-wallet.ts';

/** What the platform binds to the Worker. */
export interface Bindings {
  readonly DB: D1Database;
  readonly KEY_LANE: DurableObjectNamespace<KeyLane>;
  readonly PRICE_HUB: DurableObjectNamespace<PriceHub>;
  readonly ANONYMOUS_READS: RateLimit;
}

/** Secrets that ship with the repository begin so; production refuses them. */
const SANDBOX_SECRET_PREFIX = 'sandbox-';

/** The smallest spread of each environment: a free option drains the house, and in the sandbox there is no house. */
export const MIN_SPREAD_BPS = { sandbox: 0, production: 10 } as const;

/** All sources are asked at once, and an invocation of a Worker holds six connections; a seventh would wait its turn. */
const MAX_PRICE_SOURCES = 6;

const priceSources = [
  'sandbox-a',
  'sandbox-b',
  'sandbox-c',
  'binance',
  'okx',
  'coinbase',
  'kucoin',
  'kraken',
  'gate',
] as const;

const Secret = z.string().min(32);

/** Secrets by version: the highest is used for what is new, every one for what is there. */
const VersionedSecrets = jsonOf(z.record(z.string().regex(/^[1-9]\d{0,2}$/), Secret)).refine(
  (secrets) => Object.keys(secrets).length > 0,
  'names no secret',
);

/** A list in one variable: `a,b,c`, without blanks or repeats. */
function listOf<const T extends readonly [string, ...string[]]>(names: T) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names)).min(1))
    .refine((list) => new Set(list).size === list.length, 'names a provider twice');
}

/** A variable that holds JSON. */
function jsonOf<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

function isSandbox(provider: string): boolean {
  return provider.startsWith('sandbox');
}

const Amount = z.string().regex(AMOUNT_SYNTAX);

/** Every setting of the Worker. Operators find the meaning of each in wrangler.toml. */
export const Config = z
  .object({
    ENVIRONMENT: z.enum(['sandbox', 'production']),
    API_KEY_SECRETS: VersionedSecrets,
    CURSOR_SECRET: Secret,
    OPERATOR_TOKEN: Secret,
    DEPOSIT_TOKEN: Secret,
    AUDITOR_TOKEN: Secret,
    TOTP_SECRETS: VersionedSecrets,
    ALLOWLIST_MODE: z.enum(['off', 'strict']),
    ALLOWLIST_COOLING_HOURS: z.coerce.number().int().min(0).max(720),
    PRICE_SOURCES: listOf(priceSources).refine(
      (list) => list.length <= MAX_PRICE_SOURCES,
      `has more than ${MAX_PRICE_SOURCES} sources`,
    ),
    CANDLE_SOURCES: listOf(['sandbox', 'binance', 'bybit', 'kucoin']),
    BINANCE_URL: z.url(),
    OKX_URL: z.url(),
    COINBASE_URL: z.url(),
    KUCOIN_URL: z.url(),
    KRAKEN_URL: z.url(),
    GATE_URL: z.url(),
    BYBIT_URL: z.url(),
    PRICE_HUB_LOCATION: z.enum(['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']),
    LIQUIDITY_PROVIDER: z.enum(['house']),
    CUSTODY_PROVIDER: z.enum(['sandbox', 'http']),
    CUSTODY_URL: z.url(),
    CUSTODY_KEY_ID: z.string().regex(/^[\w.-]{1,64}$/),
    CUSTODY_SECRET: Secret,
    SPREAD_BPS: z.coerce.number().int().min(0).max(1000),
    ORDER_MIN_USDT: Amount,
    ORDER_MAX_USDT: Amount,
    ORDER_BOUNDS: jsonOf(
      z.partialRecord(z.enum(coinSymbols as [string, ...string[]]), z.object({ min: Amount, max: Amount })),
    ),
    DEPOSIT_KEYS: jsonOf(DepositKeys),
    SOLANA_ADDRESSES: z.enum(['sandbox', 'pool']),
  })
  .superRefine((config, context) => {
    if (config.ENVIRONMENT !== 'production') return;
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (config.PRICE_SOURCES.some(isSandbox)) refuse('PRICE_SOURCES', 'names a sandbox provider in production');
    if (config.CANDLE_SOURCES.some(isSandbox)) refuse('CANDLE_SOURCES', 'names a sandbox provider in production');
    if (config.PRICE_SOURCES.length < 2) refuse('PRICE_SOURCES', 'has fewer than the two that a firm price needs');
    if (config.SPREAD_BPS < MIN_SPREAD_BPS.production) {
      refuse('SPREAD_BPS', `is below ${MIN_SPREAD_BPS.production} in production: a free option drains the house`);
    }
    if (isSandbox(config.CUSTODY_PROVIDER)) refuse('CUSTODY_PROVIDER', 'names a sandbox provider in production');
    if (new URL(config.CUSTODY_URL).protocol !== 'https:') refuse('CUSTODY_URL', 'is not https in production');
    if (holdsSandboxKey(config.DEPOSIT_KEYS)) refuse('DEPOSIT_KEYS', 'holds a key of the public test mnemonic');
    if (isSandbox(config.SOLANA_ADDRESSES)) refuse('SOLANA_ADDRESSES', 'derives of the public test mnemonic');
    const { CURSOR_SECRET, OPERATOR_TOKEN, DEPOSIT_TOKEN, AUDITOR_TOKEN, CUSTODY_SECRET } = config;
    const secrets = [
      ...Object.values(config.API_KEY_SECRETS).map((secret) => ['API_KEY_SECRETS', secret] as const),
      ...Object.values(config.TOTP_SECRETS).map((secret) => ['TOTP_SECRETS', secret] as const),
      ...Object.entries({ CURSOR_SECRET, OPERATOR_TOKEN, DEPOSIT_TOKEN, AUDITOR_TOKEN, CUSTODY_SECRET }),
    ];
    for (const [name, secret] of secrets) {
      if (secret.startsWith(SANDBOX_SECRET_PREFIX)) refuse(name, 'is the public secret of the sandbox');
    }
    if (new Set(secrets.map(([, secret]) => secret)).size < secrets.length) {
      refuse('OPERATOR_TOKEN', 'or another secret is used twice: each has one purpose');
    }
  });

export type Config = z.output<typeof Config>;

/**
 * Reads the configuration from the Worker's variables and secrets. Throws one error that names every variable
 * that is missing or wrong, and never a value: a Worker that is set up wrongly must not start.
 */
export function parseConfig(variables: unknown): Config {
  const parsed = Config.safeParse(variables);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new Error(`configuration refused: ${faults.join('; ')}`);
}

/** The configuration of this Worker; nothing else reads the environment. */
export const config: Config = parseConfig(env);
