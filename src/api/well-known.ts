import { config } from '../env.ts';
import { createArea, sendProblem } from '../http/area.ts';
import { refuse } from '../http/answer.ts';

const CATALOG_PATH = '/.well-known/api-catalog';
const SECURITY_PATH = '/.well-known/security.txt';

/** How long a copy of security.txt may be believed (RFC 9116, section 2.5.5, recommends less than a year). */
const CONTACT_LIFETIME_MS = 90 * 86_400_000;

const CACHED = { 'Cache-Control': 'public, max-age=3600' };

/** What programs look for at places that are the same everywhere. It is no part of the API, nor of its documents. */
export const wellKnown = createArea();

/** The catalog of the APIs of this origin, of which there is one (RFC 9727). */
wellKnown.get(CATALOG_PATH, (c) => {
  const { origin } = new URL(c.req.url);
  const to = (path: string, type: string) => ({ href: `${origin}${path}`, type });
  const api = `${origin}/api/v1`;
  const linkset = [
    { anchor: `${origin}${CATALOG_PATH}`, item: [{ href: api }] },
    {
      anchor: api,
      'service-desc': [to('/api/v1/openapi.json', 'application/json')],
      'service-doc': [to('/docs', 'text/html'), to('/llms.txt', 'text/plain')],
      status: [to('/api/v1/status', 'application/json')],
    },
  ];
  return c.body(JSON.stringify({ linkset }), 200, {
    ...CACHED,
    'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    Link: `<${CATALOG_PATH}>; rel="api-catalog"`,
  });
});

/** Whom to tell of a weakness (RFC 9116). Nothing while the operator has named nobody. */
wellKnown.get(SECURITY_PATH, (c) => {
  if (config.SECURITY_CONTACT === '') return sendProblem(c, refuse('not_found', 'There is nothing at this path.'));
  const { origin } = new URL(c.req.url);
  const lines = [
    `Contact: ${config.SECURITY_CONTACT}`,
    `Expires: ${new Date(Date.now() + CONTACT_LIFETIME_MS).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}${SECURITY_PATH}`,
  ];
  return c.body(`${lines.join('\n')}\n`, 200, { ...CACHED, 'Content-Type': 'text/plain; charset=utf-8' });
});
