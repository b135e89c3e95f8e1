import { text } from 'node:stream/consumers';
import { type PlayedServer, serveOnLoopback } from '../run/serve-on-loopback.ts';
import type { AccessProgramme } from './access-programme.ts';

/** The audience tag of the application, and the console's origin, as the Worker of these tests is configured. */
export const accessAudience = '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2';
export const consoleOrigin = 'https://console.bureau.test';

/**
 * Starts a team of Cloudflare Access on loopback, as far as the exchange sees it: the page of its certificates. A test
 * sets the page with `PUT /control` and reads how often it was fetched with `GET /control`.
 */
export function startAccess(): Promise<PlayedServer> {
  let page: AccessProgramme = { status: 404, body: '' };
  let fetches = 0;
  return serveOnLoopback(async (request, response) => {
    if (request.url === '/control') {
      if (request.method === 'PUT') page = JSON.parse(await text(request)) as AccessProgramme;
      response.end(JSON.stringify({ fetches }));
      return;
    }
    fetches += 1;
    const isPage = request.url === '/cdn-cgi/access/certs';
    response.writeHead(isPage ? page.status : 404, { 'Content-Type': 'application/json' }).end(page.body);
  });
}
