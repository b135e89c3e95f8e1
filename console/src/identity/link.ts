import type { Invitation } from '../../../src/accounts/invite-holder.ts';
import { digest } from '../../../src/platform/digest.ts';
import { drawSecret } from '../sessions/secret.ts';
import { type User, findUserByEmail, keepHolder, readUser } from './user.ts';

/** How long a link that signs in is good for. */
const SIGN_IN_MS = 10 * 60_000;

/**
 * How many links an address is sent in an hour: for one network that asks, or for the browsers in which its owner has
 * signed in; and for all networks together.
 */
const MAX_OF_ASKER = 5;
const MAX_OF_STRANGERS = 20;
const HOUR_MS = 3_600_000;

const hashOf = (secret: string) => digest(`link ${secret}`);
const browserOf = (cookie: string) => digest(`browser ${cookie}`);

/** A link's secret goes behind this in the fragment, which browsers send to nobody. */
export function writeLink(origin: string, secret: string): string {
  return `${origin}/link#${secret}`;
}

/**
 * Counts a request for a link to an address, known or not, and returns whether it is within its limits of an hour. `asker`
 * is `known` for a browser in which its owner has signed in, whose requests strangers cannot use up, or else the network.
 * Throws when D1 fails.
 */
export async function countLinkRequest(
  identity: D1Database,
  email: string,
  asker: string,
  now_ms: number,
): Promise<boolean> {
  const address = await digest(`address ${email}`);
  const known = asker === 'known' ? asker : await digest(`asker ${asker}`);
  const [, { meta }] = (await identity.batch([
    identity.prepare('DELETE FROM link_requests WHERE asked_at <= ?').bind(now_ms - HOUR_MS),
    identity
      .prepare(
        `INSERT INTO link_requests (address, asker, asked_at) SELECT ?1, ?2, ?3
         WHERE (SELECT count(*) FROM link_requests WHERE address = ?1 AND asker = ?2) < ?4
           AND (?2 = 'known' OR (SELECT count(*) FROM link_requests WHERE address = ?1 AND asker <> 'known') < ?5)`,
      )
      .bind(address, known, now_ms, MAX_OF_ASKER, MAX_OF_STRANGERS),
  ])) as [D1Result, D1Result];
  return meta.changes === 1;
}

/** Makes a link that signs a user in, in the browser that has this cookie. Returns its secret. Throws when D1 fails. */
export async function makeSignInLink(
  identity: D1Database,
  user: User,
  cookie: string,
  now_ms: number,
): Promise<string> {
  const secret = drawSecret();
  await identity.batch([
    identity.prepare('DELETE FROM links WHERE expires_at <= ?').bind(now_ms),
    identity
      .prepare("INSERT INTO links (hash, kind, user_id, browser, expires_at) VALUES (?, 'sign_in', ?, ?, ?)")
      .bind(await hashOf(secret), user.id, await browserOf(cookie), now_ms + SIGN_IN_MS),
  ]);
  return secret;
}

/**
 * Makes a link by which somebody opens an account, in the browser that has this cookie. Returns its secret. Throws when D1
 * fails.
 */
export async function makeOpeningLink(
  identity: D1Database,
  email: string,
  cookie: string,
  now_ms: number,
): Promise<string> {
  const secret = drawSecret();
  await identity
    .prepare("INSERT INTO links (hash, kind, email, browser, expires_at) VALUES (?, 'opening', ?, ?, ?)")
    .bind(await hashOf(secret), email, await browserOf(cookie), now_ms + SIGN_IN_MS)
    .run();
  return secret;
}

/**
 * Makes a link for somebody whom the exchange has invited to become the holder of an account, good for as long. Returns its
 * secret. Throws when D1 fails.
 */
export async function makeInvitationLink(
  identity: D1Database,
  { email, accountId, expiresAt }: Invitation,
): Promise<string> {
  const secret = drawSecret();
  await identity
    .prepare("INSERT INTO links (hash, kind, email, account_id, expires_at) VALUES (?, 'invitation', ?, ?, ?)")
    .bind(await hashOf(secret), email, accountId, Date.parse(expiresAt))
    .run();
  return secret;
}

interface LinkRow {
  readonly kind: 'sign_in' | 'invitation' | 'opening';
  readonly user_id: string;
  readonly browser: string;
  readonly email: string;
  readonly account_id: string;
  readonly expires_at: number;
}

/** Opens an account at the exchange for an address, and returns its id; `undefined` when the exchange refuses. */
export type OpenAccount = (email: string) => Promise<string | undefined>;

/**
 * Spends a link, and returns who it signs in, if the exchange agrees; one that opens an account has `openAccount` open it.
 * `undefined` when it was spent, has expired, was asked for in another browser, or invites to an account that has another
 * holder, or the exchange opens no account. A link that is tried in the wrong browser is spent too: it is in somebody
 * else's hands. Throws when D1 fails.
 */
export async function spendLink(
  identity: D1Database,
  secret: string,
  cookie: string | undefined,
  openAccount: OpenAccount,
  now_ms: number,
): Promise<User | undefined> {
  const row = await identity
    .prepare('DELETE FROM links WHERE hash = ? RETURNING *')
    .bind(await hashOf(secret))
    .first<LinkRow>();
  if (!row || row.expires_at <= now_ms) return undefined;
  if (row.kind === 'invitation') return keepHolder(identity, row.email, row.account_id, now_ms);
  const isOwnBrowser = cookie !== undefined && (await browserOf(cookie)) === row.browser;
  if (!isOwnBrowser) return undefined;
  if (row.kind === 'sign_in') return readUser(identity, row.user_id);
  // Asked for twice, the second link finds the account that the first has opened.
  const present = await findUserByEmail(identity, row.email);
  if (present) return present;
  const accountId = await openAccount(row.email);
  return accountId === undefined ? undefined : keepHolder(identity, row.email, accountId, now_ms);
}
