import { env } from 'cloudflare:workers';
import { z } from 'zod';
import { QUOTE_ASSET, coinSymbols, scaleOf } from './money/assets.ts';
import { AMOUNT_SYNTAX, MAX_ATOMS, parseAmount } from './money/amounts.ts';
import type { KeyLane } from './lane/key-lane.ts';
import type { LedgerGate } from './lane/ledger-gate.ts';
import type { CandleHub } from './markets/candles/candle-hub.ts';
import type { PriceHub } from './markets/price-hub.ts';
import { DepositKeys } from './wallet/addresses/deposit-keys.ts';
import { holdsSandboxKey } from './wallet/addresses/sandbox-wallet.ts';

/** What the platform binds to the Worker. */
export interface Bindings {
  readonly DB: D1Database;
  readonly KEY_LANE: DurableObjectNamespace<KeyLane>;
  readonly LEDGER_GATE: DurableObjectNamespace<LedgerGate>;
  readonly PRICE_HUB: DurableObjectNamespace<PriceHub>;
  readonly CANDLE_HUB: DurableObjectNamespace<CandleHub>;
  /** Counts callers without a key by IPv4 address or by /64 of IPv6. */
  readonly ANONYMOUS_READS: RateLimit;
  /** Counts the /48s of IPv6 that these are in. */
  readonly ANONYMOUS_NETWORKS: RateLimit;
}

/** Secrets that ship with the repository begin so, in whatever case; production refuses them. */
const SANDBOX_SECRET = /^sandbox-/i;

/** Hosts that are nobody's, so that documents can name them (RFC 2606): whoever finds one in use forgot to fill it in. */
const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|localhost|example\.(com|net|org))\.?$/;

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

/** What is sent as a Bearer token or kept in an environment: a blank in it would never match, or came by mistake. */
const Secret = z
  .string()
  .min(32)
  .regex(/^[!-~]+$/, 'holds a blank or another character that is not visible ASCII');

/** Where an object may be asked to live (Durable Objects, "Data location"). */
const locations = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;

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

/** A whole number in one variable. A blank one is no number: it would count as 0. */
function wholeNumber(min: number, max: number) {
  return z.coerce
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

/** An amount of USDT that the ledger can move: more than nothing, and no finer than an atom. */
const UsdtAmount = z
  .string()
  .regex(AMOUNT_SYNTAX, { error: 'is not a plain decimal string', abort: true })
  .refine((text) => {
    const atoms = toUsdtAtoms(text);
    return atoms !== undefined && atoms > 0n && atoms <= MAX_ATOMS;
  }, 'is nothing, finer than an atom of USDT, or more than the ledger can count');

function toUsdtAtoms(text: string) {
  return parseAmount(text, scaleOf(QUOTE_ASSET));
}

/** The smallest and the largest order of a symbol. */
const Bounds = z
  .strictObject({ min: UsdtAmount, max: UsdtAmount })
  .refine(({ min, max }) => (toUsdtAtoms(min) ?? 0n) <= (toUsdtAtoms(max) ?? 0n), 'has a minimum above its maximum');

/** Where each venue answers; the names are those of `Config`. */
const venueUrls = {
  BINANCE_URL: z.url(),
  OKX_URL: z.url(),
  COINBASE_URL: z.url(),
  KUCOIN_URL: z.url(),
  KRAKEN_URL: z.url(),
  GATE_URL: z.url(),
  BYBIT_URL: z.url(),
};

/**
 * What is wrong with the venues' addresses in production, by variable: over plain HTTP anybody on the way makes prices,
 * and two sources of one host would be one venue with two votes.
 */
function findVenueFaults(config: z.output<z.ZodObject<typeof venueUrls>> & { PRICE_SOURCES: readonly string[] }) {
  const urls = Object.keys(venueUrls).map((name) => [name, new URL(config[name as keyof typeof venueUrls])] as const);
  const hosts = urls.filter(([name]) => config.PRICE_SOURCES.includes(name.replace('_URL', '').toLowerCase()));
  return [
    ...urls.filter(([, { protocol }]) => protocol !== 'https:').map(([name]) => [name, 'is not https in production']),
    ...hosts
      .filter(([, url], index) => hosts.slice(0, index).some(([, earlier]) => nameHost(earlier) === nameHost(url)))
      .map(([name]) => [name, 'has the host of another price source']),
  ] as [string, string][];
}

/** A host by the one name that all its spellings and ports share. */
function nameHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

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
    ALLOWLIST_COOLING_HOURS: wholeNumber(0, 720),
    PRICE_SOURCES: listOf(priceSources).refine(
      (list) => list.length <= MAX_PRICE_SOURCES,
      `has more than ${MAX_PRICE_SOURCES} sources`,
    ),
    CANDLE_SOURCES: listOf(['sandbox', 'binance', 'bybit', 'kucoin']),
    ...venueUrls,
    PRICE_HUB_LOCATION: z.enum(locations),
    LEDGER_LOCATION: z.enum(locations),
    LIQUIDITY_PROVIDER: z.enum(['house']),
    CUSTODY_PROVIDER: z.enum(['sandbox', 'http']),
    CUSTODY_URL: z.url(),
    CUSTODY_KEY_ID: z.string().regex(/^[\w.-]{1,64}$/),
    CUSTODY_SECRET: Secret,
    SPREAD_BPS: wholeNumber(0, 1000),
    ORDER_MIN_USDT: UsdtAmount,
    ORDER_MAX_USDT: UsdtAmount,
    ORDER_BOUNDS: jsonOf(z.partialRecord(z.enum(coinSymbols as [string, ...string[]]), Bounds)),
    DEPOSIT_KEYS: jsonOf(DepositKeys),
    SOLANA_ADDRESSES: z.enum(['sandbox', 'pool']),
  })
  .superRefine((config, context) => {
    const bounds = Bounds.safeParse({ min: config.ORDER_MIN_USDT, max: config.ORDER_MAX_USDT });
    if (!bounds.success)
      context.addIssue({ code: 'custom', path: ['ORDER_MIN_USDT'], message: 'is above ORDER_MAX_USDT' });
    if (config.ENVIRONMENT !== 'production') return;
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (config.PRICE_SOURCES.some(isSandbox)) refuse('PRICE_SOURCES', 'names a sandbox provider in production');
    if (config.CANDLE_SOURCES.some(isSandbox)) refuse('CANDLE_SOURCES', 'names a sandbox provider in production');
    if (config.PRICE_SOURCES.length < 2) refuse('PRICE_SOURCES', 'has fewer than the two that a firm price needs');
    if (config.SPREAD_BPS < MIN_SPREAD_BPS.production) {
      refuse('SPREAD_BPS', `is below ${MIN_SPREAD_BPS.production} in production: a free option drains the house`);
    }
    if (isSandbox(config.CUSTODY_PROVIDER)) refuse('CUSTODY_PROVIDER', 'names a sandbox provider in production');
    for (const [name, message] of findVenueFaults(config)) refuse(name, message);
    if (new URL(config.CUSTODY_URL).protocol !== 'https:') refuse('CUSTODY_URL', 'is not https in production');
    for (const [name, value] of Object.entries(config)) {
      const isPlaceholder =
        name.endsWith('_URL') && typeof value === 'string' && PLACEHOLDER_HOST.test(new URL(value).hostname);
      if (isPlaceholder) refuse(name, 'names a host that is a placeholder: fill in your own');
    }
    if (holdsSandboxKey(config.DEPOSIT_KEYS)) refuse('DEPOSIT_KEYS', 'holds a key of the public test mnemonic');
    if (isSandbox(config.SOLANA_ADDRESSES)) refuse('SOLANA_ADDRESSES', 'derives of the public test mnemonic');
    const { CURSOR_SECRET, OPERATOR_TOKEN, DEPOSIT_TOKEN, AUDITOR_TOKEN, CUSTODY_SECRET } = config;
    const secrets = [
      ...Object.values(config.API_KEY_SECRETS).map((secret) => ['API_KEY_SECRETS', secret] as const),
      ...Object.values(config.TOTP_SECRETS).map((secret) => ['TOTP_SECRETS', secret] as const),
      ...Object.entries({ CURSOR_SECRET, OPERATOR_TOKEN, DEPOSIT_TOKEN, AUDITOR_TOKEN, CUSTODY_SECRET }),
    ];
    for (const [name, secret] of secrets) {
      if (SANDBOX_SECRET.test(secret)) refuse(name, 'is the public secret of the sandbox');
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
