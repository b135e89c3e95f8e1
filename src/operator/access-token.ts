import { decode, verifyWithJwks } from 'hono/jwt';
import { z } from 'zod';
import { config } from '../env.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { withDeadline } from '../platform/deadline.ts';
import { tryOrLog } from '../platform/log.ts';
import { readText } from '../platform/read-text.ts';

/** How long certificates are used before they are fetched again. */
const LIFETIME_MS = 3_600_000;

/** How long after a fetch an unknown certificate, or a failure, leads to another one. */
const PAUSE_MS = 60_000;

const DEADLINE_MS = 3_000;
const MAX_BYTES = 64 * 1024;

/** A public key of Access (RFC 7517). */
const Certificate = z.object({
  kid: z.string().min(1),
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
});

type Certificate = z.output<typeof Certificate>;

const Answer = z.object({ keys: z.array(Certificate).min(1) });

/**
 * The certificates under which Access signs its tokens. They are kept for an hour, and fetched again earlier for one
 * that is not among them, at most once a minute. While they cannot be fetched, the last ones stay in use.
 */
export class AccessCertificates {
  readonly #issuer: string;
  #certificates: readonly Certificate[] = [];
  #fetched_ms = -LIFETIME_MS;
  #asked_ms = -PAUSE_MS;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** The certificates, with the one of this name if Access has it; `undefined` when there never were any. */
  async read(kid: string, now_ms: number): Promise<readonly Certificate[] | undefined> {
    const isKnown = this.#certificates.some((certificate) => certificate.kid === kid);
    const isDue = !isKnown || now_ms - this.#fetched_ms >= LIFETIME_MS;
    if (isDue && (this.#certificates.length === 0 || now_ms - this.#asked_ms >= PAUSE_MS)) await this.#fetch(now_ms);
    return this.#certificates.length > 0 ? this.#certificates : undefined;
  }

  /** Makes the next read fetch, as the first one does. */
  forgetAll(): void {
    this.#certificates = [];
  }

  async #fetch(now_ms: number): Promise<void> {
    this.#asked_ms = now_ms;
    await tryOrLog('access_certificates_unreachable', {}, undefined, async () => {
      this.#certificates = await withDeadline(DEADLINE_MS, (signal) => fetchCertificates(this.#issuer, signal));
      this.#fetched_ms = now_ms;
    });
  }
}

async function fetchCertificates(issuer: string, signal: AbortSignal): Promise<readonly Certificate[]> {
  const response = await fetch(`${issuer}/cdn-cgi/access/certs`, { signal, redirect: 'manual' });
  const body = response.status === 200 ? await readText(response, MAX_BYTES) : undefined;
  if (body === undefined) throw new Error(`answered ${response.status}, or too much`);
  return Answer.parse(JSON.parse(body)).keys;
}

/** The header in which Cloudflare Access sends its token, without a word before it. */
export const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion';

/** Longer than any token of Access. */
const MAX_TOKEN_LENGTH = 8_192;

/** What a token of a person has; the token of a service has no e-mail. It must expire. */
const Claims = z.object({ email: z.email().max(254), exp: z.number() });

/** The certificates of the team, which this isolate holds. */
export const accessCertificates = new AccessCertificates(config.ACCESS_ISSUER);

/** Whether people can sign in: whether the configuration names a team of Access. */
export const hasAccess = config.ACCESS_ISSUER !== '';

const notValid = refuse('invalid_operator_token', 'The token of Access is not valid here. Sign in again.');

const unreachable = refuse('service_unavailable', 'The certificates of Access cannot be reached. Try again.', {
  retryAfterSeconds: 10,
});

/**
 * Reads who signed in, by the token of Access: signed by the team's certificate, of this issuer, for this audience, not
 * expired. Gives the e-mail in lower case. Refuses with `invalid_operator_token`, or `service_unavailable` when no
 * certificate could be fetched yet.
 */
export async function readAccessToken(token: string, now_ms: number): Promise<Outcome<string>> {
  const kid = token.length <= MAX_TOKEN_LENGTH ? readKeyId(token) : undefined;
  if (kid === undefined || !hasAccess) return notValid;
  const known = await accessCertificates.read(kid, now_ms);
  if (!known) return unreachable;
  try {
    const payload = await verifyWithJwks(token, {
      keys: [...known],
      allowedAlgorithms: ['RS256'],
      verification: { iss: config.ACCESS_ISSUER, aud: config.ACCESS_AUDIENCE },
    });
    const claims = Claims.safeParse(payload);
    return claims.success ? accept(claims.data.email.toLowerCase()) : notValid;
  } catch {
    return notValid;
  }
}

/** The name of the certificate that a token claims to be signed under. */
function readKeyId(token: string): string | undefined {
  try {
    return decode(token).header.kid;
  } catch {
    return undefined;
  }
}
