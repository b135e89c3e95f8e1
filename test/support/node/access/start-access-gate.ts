import { forward } from '../run/forward.ts';
import { serveOnLoopback } from '../run/serve-on-loopback.ts';

/** What Access is told to protect, by docs/guides/going-live.md. */
const PROTECTED = /^\/operator(\/|$)/;

/** A service token that a policy of the application lets in. */
export interface ServiceToken {
  readonly id: string;
  readonly secret: string;
}

/**
 * Plays Cloudflare Access in front of an exchange: whoever lacks the service token of its Service Auth policy is
 * redirected to a page for signing in; all others pass, with a token of Access that names a service and no person.
 */
export async function startAccessGate(exchange: string, allowed: ServiceToken) {
  return serveOnLoopback(async (request, response) => {
    const path = request.url ?? '/';
    const { 'cf-access-client-id': id, 'cf-access-client-secret': secret } = request.headers;
    const isProtected = PROTECTED.test(path);
    if (isProtected && (id !== allowed.id || secret !== allowed.secret)) {
      const signIn = 'https://team.cloudflareaccess.com/cdn-cgi/access/login/exchange?kid=tag';
      return void response.writeHead(302, { Location: signIn }).end();
    }
    const assertion = { 'Cf-Access-Jwt-Assertion': writeServiceAssertion(allowed.id) };
    const answer = await forward(exchange, request, isProtected ? assertion : {});
    response.writeHead(answer.status, answer.headers.flat()).end(answer.body);
  });
}

/** A token as Access makes it for a service: with the name of the service, an empty subject and no e-mail. */
function writeServiceAssertion(commonName: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { type: 'app', sub: '', common_name: commonName, exp: Math.floor(Date.now() / 1_000) + 600 };
  return `${encode({ alg: 'RS256', kid: 'tag' })}.${encode(claims)}.${'A'.repeat(342)}`;
}
