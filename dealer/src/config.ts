import { z } from 'zod';
import { VenueName } from '../../src/dealing/contract.ts';

export const isLoopback = (url: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

const VenueConfig = z.strictObject({
  kind: z.enum(['binance', 'kraken', 'bureau']),
  url: z.url().refine((url) => url.startsWith('https://') || isLoopback(url), 'is not https, and not on this machine'),
  /** The coins that are traded there, as Bureau names them. */
  coins: z
    .array(z.string().regex(/^[A-Z0-9]{1,16}$/))
    .min(1)
    .max(16)
    .refine((coins) => new Set(coins).size === coins.length, 'names a coin twice'),
  /** How long after `sendBy` an order that is not found may still be filled; the adapter's own when it is not given. */
  lateness_ms: z.int().min(0).max(3_600_000).optional(),
  /** For a testnet that cannot say what a key may do. */
  isTestnet: z.boolean().default(false),
});

/** A key of a venue. Bureau's API key is `key` alone. */
const VenueKey = z.strictObject({ key: z.string().min(1), secret: z.string().default('') });

/** One venue account, with its key. */
export type VenueSettings = z.output<typeof VenueConfig> & z.output<typeof VenueKey> & { readonly name: string };

const Secret = z
  .string()
  .min(32)
  .regex(/^[!-~]+$/, 'holds a blank or another character that is not visible ASCII');

/** JSON in a variable. */
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        // The parser's own message would show a part of the secret.
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** The dealer's configuration: variables of its environment. */
export const Config = z
  .object({
    DEALER_HOST: z.string().default('127.0.0.1'),
    DEALER_PORT: z.coerce.number().pipe(z.int().min(0).max(65_535)).default(8795),
    /** The port of the metrics, on loopback; none without it. */
    DEALER_METRICS_PORT: z.coerce.number().pipe(z.int().min(0).max(65_535)).optional(),
    /** A file on a disk. */
    DEALER_DATABASE: z.string().min(1),
    /** The secrets of Bureau's keys at this dealer: a JSON object by key id. */
    DEALER_SECRETS: json(z.record(z.string().regex(/^[\w.-]{1,64}$/), Secret)),
    /** The venue accounts: a JSON object by name. */
    DEALER_VENUES: json(z.record(VenueName, VenueConfig)),
    /** Their keys: a JSON object by the same names. */
    DEALER_VENUE_KEYS: json(z.record(VenueName, VenueKey)),
  })
  .transform(({ DEALER_VENUES: venues, DEALER_VENUE_KEYS: keys, ...others }, context) => ({
    host: others.DEALER_HOST,
    port: others.DEALER_PORT,
    metricsPort: others.DEALER_METRICS_PORT,
    database: others.DEALER_DATABASE,
    secrets: new Map(Object.entries(others.DEALER_SECRETS)),
    venues: Object.entries(venues).map(([name, venue]): VenueSettings => {
      const key = keys[name];
      if (!key) context.addIssue(`DEALER_VENUE_KEYS has no key of ${name}`);
      if (key?.secret === '' && venue.kind !== 'bureau') context.addIssue(`the key of ${name} has no secret`);
      return { name, ...venue, ...(key ?? { key: '', secret: '' }) };
    }),
  }));

export type Config = z.output<typeof Config>;

/** Reads the configuration. Throws an error that says what is wrong in it, and shows no secret. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = Config.safeParse(environment);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}
