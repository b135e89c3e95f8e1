import { z } from 'zod';
import { findBindingFaults } from './db/record-id.ts';
import { QUOTE_ASSET, assetSymbols, coinSymbols, scaleOf } from './money/assets.ts';
import { type PriceVenue, type Venue, candleVenues, priceVenues, venues } from './money/venue-symbols.ts';
import { AMOUNT_SYNTAX, MAX_ATOMS, parseAmount } from './money/amounts.ts';
import { networks } from './money/networks.ts';

/** Secrets that come with the repository begin like this, in upper or lower case. Production refuses them. */
const SANDBOX_SECRET = /^sandbox-/i;

/** Hosts that are reserved for documentation (RFC 2606). A configuration that has one was not filled in. */
export const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|localhost|example\.(com|net|org))\.?$/;

/**
 * The smallest spread of each environment. Without one, a client who sees prices earlier gains from the house. The
 * sandbox has no money to lose.
 */
export const MIN_SPREAD_BPS = { sandbox: 0, production: 10 } as const;

/** An order fills at what four sources agree on. The seventh makes up for one that has failed, and for one that is slow. */
const MIN_PRICE_SOURCES = 4;
const MAX_PRICE_SOURCES = 7;

/** How long after an order's admission its price must be as of. In less time the venues have not followed each other. */
const MIN_MARGIN_MS = 150;

/** Markets of our own making, for the sandbox. */
const sandboxPriceSources = ['sandbox-a', 'sandbox-b', 'sandbox-c', 'sandbox-d'] as const;

/** A secret or token. A blank in it would come by mistake and could never match. */
const Secret = z
  .string()
  .min(32)
  .regex(/^[!-~]+$/, 'holds a blank or another character that is not visible ASCII');

/** The regions where an object can be created (Durable Objects, "Data location"). */
const locations = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;

/** Secrets by version: the highest is used for new data, every version for existing data. */
const VersionedSecrets = jsonOf(z.record(z.string().regex(/^[1-9]\d{0,2}$/), Secret)).refine(
  (secrets) => Object.keys(secrets).length > 0,
  'names no secret',
);

/** A list in one variable: `a,b,c`, without blanks or repeats. */
function listOf<const T extends readonly string[]>(names: T) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names)).min(1))
    .refine((list) => new Set(list).size === list.length, 'names a provider twice');
}

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

/** A whole number in one variable. A blank is refused: it would be read as 0. */
function wholeNumber(min: number, max: number) {
  return z.coerce
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

/** An amount of USDT that the ledger can move: above zero, and no finer than an atom. */
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

type UrlVariable = `${Uppercase<Venue>}_URL`;

export function urlVariableOf(venue: Venue): UrlVariable {
  return `${venue.toUpperCase() as Uppercase<Venue>}_URL`;
}

type StreamUrlVariable = `${Uppercase<PriceVenue>}_STREAM_URL`;

/** The variable of the URL at which a venue's stream is opened, or where the venue says its address. */
export function streamUrlVariableOf(venue: PriceVenue): StreamUrlVariable {
  return `${venue.toUpperCase() as Uppercase<PriceVenue>}_STREAM_URL`;
}

const venueUrls = Object.fromEntries(
  [...venues.map(urlVariableOf), ...priceVenues.map(streamUrlVariableOf)].map((name) => [name, z.url()]),
) as Record<UrlVariable | StreamUrlVariable, ReturnType<typeof z.url>>;

/**
 * What is wrong with the venues' URLs in production, by variable. Over plain HTTP anybody on the way could change
 * prices, and two sources with one host would be one venue with two votes.
 */
function findVenueFaults(config: Pick<Config, UrlVariable | StreamUrlVariable | 'PRICE_SOURCES'>) {
  const urls = venues.map((venue) => ({
    venue,
    name: urlVariableOf(venue),
    url: new URL(config[urlVariableOf(venue)]),
  }));
  const hosts = urls.filter(({ venue }) => config.PRICE_SOURCES.some((name) => name === venue));
  const isTaken = ({ url }: { url: URL }, index: number) =>
    hosts.slice(0, index).some((earlier) => nameHost(earlier.url) === nameHost(url));
  const streams = priceVenues.map(streamUrlVariableOf);
  return [
    ...urls.filter(({ url }) => url.protocol !== 'https:').map(({ name }) => [name, 'is not https in production']),
    ...streams
      .filter((name) => !['https:', 'wss:'].includes(new URL(config[name]).protocol))
      .map((name) => [name, 'is not wss in production']),
    ...hosts.filter(isTaken).map(({ name }) => [name, 'has the host of another price source']),
  ] as [string, string][];
}

/** What is wrong with the sign-in of people, by variable. Without an issuer nobody signs in, and the tokens remain. */
function findAccessFaults(
  config: Pick<Config, 'ENVIRONMENT' | 'ACCESS_ISSUER' | 'ACCESS_AUDIENCE' | 'CONSOLE_ORIGIN'>,
): [string, string][] {
  const { ENVIRONMENT, ACCESS_ISSUER, ACCESS_AUDIENCE } = config;
  if (ACCESS_ISSUER === '') return [];
  const faults: [string, string][] = [];
  if (ACCESS_AUDIENCE === '') faults.push(['ACCESS_AUDIENCE', 'is empty, though ACCESS_ISSUER is set']);
  for (const name of ['ACCESS_ISSUER', 'CONSOLE_ORIGIN'] as const) {
    const url = URL.parse(config[name]);
    if (url?.origin !== config[name]) faults.push([name, 'is no origin, such as https://team.cloudflareaccess.com']);
    else if (ENVIRONMENT === 'production' && url.protocol !== 'https:')
      faults.push([name, 'is not https in production']);
    else if (ENVIRONMENT === 'production' && PLACEHOLDER_HOST.test(url.hostname))
      faults.push([name, 'names a host that is a placeholder: fill in your own']);
  }
  return faults;
}

/** A host's name without the port and the final dot. */
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
    WATCHER_TOKEN: Secret.optional(),
    DEPOSITS_AGREED_FROM: jsonOf(z.partialRecord(z.enum(assetSymbols), z.string().regex(AMOUNT_SYNTAX))),
    TOTP_SECRETS: VersionedSecrets,
    ALLOWLIST_MODE: z.enum(['off', 'strict']),
    ALLOWLIST_COOLING_HOURS: wholeNumber(0, 720),
    PRICE_SOURCES: listOf([...sandboxPriceSources, ...priceVenues]).refine(
      (list) => list.length <= MAX_PRICE_SOURCES,
      `has more than ${MAX_PRICE_SOURCES} sources`,
    ),
    CANDLE_SOURCES: listOf(['sandbox', ...candleVenues]),
    ...venueUrls,
    PRICE_STREAMS: z.enum(['always', 'orders', 'off']),
    PRICE_MARGIN_MS: wholeNumber(0, 1_000),
    PRICE_HUB_LOCATION: z.enum(locations),
    LEDGER_LOCATION: z.enum(locations),
    CUSTODY_PROVIDER: z.enum(['sandbox', 'http', 'manual']),
    CUSTODY_URL: z.url(),
    CUSTODY_KEY_ID: z.string().regex(/^[\w.-]{1,64}$/),
    CUSTODY_SECRET: Secret,
    CUSTODY_SIGNING_KEY: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    CUSTODY_SIGNER_KEY: z.string().regex(/^([0-9a-f]{64})?$/),
    CUSTODY_SHORTFALL: z.enum(['alert', 'halt']),
    DEALER_URL: z.union([z.literal(''), z.url()]),
    DEALER_KEY_ID: z.string().regex(/^[\w.-]{1,64}$/),
    DEALER_SECRET: Secret.optional(),
    UNSERVED_NETWORKS: z
      .string()
      .transform((text) => text.split(',').filter((name) => name !== ''))
      .pipe(z.array(z.enum(networks))),
    PAYOUT_ALERT_MINUTES: wholeNumber(1, 10_000),
    STREAM_SOCKETS_PER_KEY: wholeNumber(1, 10_000),
    STREAM_SOCKETS_PER_ADDRESS: wholeNumber(1, 10_000),
    SPREAD_BPS: wholeNumber(0, 1000),
    ORDER_MIN_USDT: UsdtAmount,
    ORDER_MAX_USDT: UsdtAmount,
    ORDER_BOUNDS: jsonOf(z.partialRecord(z.enum(coinSymbols as [string, ...string[]]), Bounds)),
    ACCESS_ISSUER: z.union([z.literal(''), z.url()]),
    ACCESS_AUDIENCE: z.string().max(200),
    CONSOLE_ORIGIN: z.union([z.literal(''), z.url()]),
    SECURITY_CONTACT: z
      .string()
      .regex(/^((mailto:[^\s@]+@[^\s@]+|https:\/\/\S+))?$/, 'is no mailto: or https: address'),
    DEPOSIT_KEYS: jsonOf(z.record(z.string(), z.string())),
    SOLANA_ADDRESSES: z.enum(['sandbox', 'pool']),
  })
  .superRefine((config, context) => {
    const bounds = Bounds.safeParse({ min: config.ORDER_MIN_USDT, max: config.ORDER_MAX_USDT });
    if (!bounds.success)
      context.addIssue({ code: 'custom', path: ['ORDER_MIN_USDT'], message: 'is above ORDER_MAX_USDT' });
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const [name, message] of findAccessFaults(config)) refuse(name, message);
    if (Object.keys(config.DEPOSITS_AGREED_FROM).length > 0 && config.WATCHER_TOKEN === undefined) {
      refuse('WATCHER_TOKEN', 'is not set, and DEPOSITS_AGREED_FROM needs a second watcher');
    }
    if (config.DEALER_URL !== '' && config.DEALER_SECRET === undefined) {
      refuse('DEALER_SECRET', 'is not set, and DEALER_URL needs it');
    }
    if (config.ENVIRONMENT !== 'production') return;
    if (config.PRICE_SOURCES.some(isSandbox)) refuse('PRICE_SOURCES', 'names a sandbox provider in production');
    if (config.CANDLE_SOURCES.some(isSandbox)) refuse('CANDLE_SOURCES', 'names a sandbox provider in production');
    if (config.PRICE_SOURCES.length < MIN_PRICE_SOURCES)
      refuse('PRICE_SOURCES', `has fewer than the ${MIN_PRICE_SOURCES} that an order's price needs`);
    if (config.PRICE_MARGIN_MS < MIN_MARGIN_MS) {
      refuse('PRICE_MARGIN_MS', `is below ${MIN_MARGIN_MS} in production: who is ahead of the venues gains`);
    }
    if (config.SPREAD_BPS < MIN_SPREAD_BPS.production) {
      refuse('SPREAD_BPS', `is below ${MIN_SPREAD_BPS.production} in production: a free option drains the house`);
    }
    if (isSandbox(config.CUSTODY_PROVIDER)) refuse('CUSTODY_PROVIDER', 'names a sandbox provider in production');
    for (const [name, message] of findVenueFaults(config)) refuse(name, message);
    if (new URL(config.CUSTODY_URL).protocol !== 'https:') refuse('CUSTODY_URL', 'is not https in production');
    if (config.DEALER_URL !== '' && new URL(config.DEALER_URL).protocol !== 'https:') {
      refuse('DEALER_URL', 'is not https in production');
    }
    for (const [name, value] of Object.entries(config)) {
      // Nobody is asked at CUSTODY_URL where people pay by hand.
      const isUsed = name !== 'CUSTODY_URL' || config.CUSTODY_PROVIDER !== 'manual';
      const url = isUsed && name.endsWith('_URL') && typeof value === 'string' ? URL.parse(value) : null;
      if (url && PLACEHOLDER_HOST.test(url.hostname)) {
        refuse(name, 'names a host that is a placeholder: fill in your own');
      }
    }
    if (isSandbox(config.SOLANA_ADDRESSES)) refuse('SOLANA_ADDRESSES', 'derives of the public test mnemonic');
    const secrets = Object.entries(config).flatMap(([name, value]) => {
      if (!/_(SECRETS?|TOKEN)$/.test(name)) return [];
      const versions = typeof value === 'string' ? [value] : Object.values<string>(Object(value));
      return versions.map((secret) => [name, secret] as const);
    });
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
  const unbound = findBindingFaults(Object(variables) as Record<string, unknown>);
  const parsed = Config.safeParse(variables);
  if (parsed.success && unbound.length === 0) return parsed.data;
  const faults = parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
  throw refuseConfig([...faults, ...unbound]);
}

/** The error that ends the start of a Worker that is set up wrongly. A fault names a variable, and never a value. */
export function refuseConfig(faults: readonly string[]): Error {
  return new Error(`configuration refused: ${faults.join('; ')}`);
}
