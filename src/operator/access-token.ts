import { decode, verifyWithJwks } from 'hono/jwt';
import { z } from 'zod';
import { config } from '../env.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { AccessCertificates } from './access-certificates.ts';

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
