import { env } from 'cloudflare:workers';
import { z } from 'zod';
import type { HolderCalls } from '../../src/holder/holder-entrypoint.ts';
import { parseAmount } from '../../src/money/amounts.ts';
import { QUOTE_ASSET, scaleOf } from '../../src/money/assets.ts';

/** A mail, as the platform's binding takes it. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** What the platform binds to the console's Worker. */
export interface ConsoleBindings {
  /** The exchange's public API. */
  readonly EXCHANGE: Fetcher;
  /** What only a signed-in holder may do. */
  readonly HOLDERS: HolderCalls;
  readonly IDENTITY: D1Database;
  readonly EMAIL: { send(mail: Mail): Promise<unknown> };
  /** Attempts to sign in: of an address, and of the /48 of IPv6 around it. */
  readonly SIGN_INS: RateLimit;
  readonly SIGN_IN_NETWORKS: RateLimit;
  /** Requests with the cookie of a session, which may be invented: the same. */
  readonly SESSION_CALLS: RateLimit;
  readonly SESSION_NETWORKS: RateLimit;
  /** The files of the pages. */
  readonly PAGES: Fetcher;
}

/** Every setting of the console. Operators find the meaning of each in console/wrangler.toml. */
const Config = z.object({
  CONSOLE_ORIGIN: z
    .url()
    .refine((text) => new URL(text).origin === text, 'is no origin, such as https://console.exchange.example')
    .refine((text) => isSecure(new URL(text)), 'is neither https nor localhost, where browsers allow passkeys'),
  API_ORIGIN: z
    .url()
    .refine((text) => new URL(text).origin === text, 'is no origin, such as https://api.exchange.example'),
  MAIL_FROM: z.email(),
  /** A deposit worth at least so much, in USDT, is in the holder's hourly mail. */
  DEPOSIT_MAIL_MINIMUM: z
    .string()
    .refine((text) => parseAmount(text, scaleOf(QUOTE_ASSET)) !== undefined, 'is no amount of USDT'),
  /** Whether anybody may open an account, by a link to their address. */
  SELF_OPENING: z.enum(['on', 'off']),
});

/** Browsers allow passkeys over https, and on localhost. */
function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || hostname === 'localhost';
}

function readConfig(variables: unknown) {
  const parsed = Config.safeParse(variables);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Error(`configuration refused: ${faults.join('; ')}`);
}

/** The configuration of this Worker; nothing else reads the environment. */
export const config = readConfig(env);

/** The host that passkeys are bound to (WebAuthn's RP ID). */
export const PASSKEY_HOST = new URL(config.CONSOLE_ORIGIN).hostname;
