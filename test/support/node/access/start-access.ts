import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import type { AccessProgramme } from './access-programme.ts';

/** The audience tag of the application, and the console's origin, as the Worker of these tests is configured. */
export const accessAudience = '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2';
export const consoleOrigin = 'https://console.bureau.test';

/**
 * Starts a team of Cloudflare Access on loopback, as far as the exchange sees it: the page of its certificates. A test
 * sets the page with `PUT /control` and reads how often it was fetched with `GET /control`.
 */
export default async function provideAccess(project: TestProject): Promise<() => Promise<void>> {
  let page: AccessProgramme = { status: 404, body: '' };
  let fetches = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/control') {
        if (request.method === 'PUT') page = JSON.parse(await text(request)) as AccessProgramme;
        response.end(JSON.stringify({ fetches }));
        return;
      }
      fetches += 1;
      const isPage = request.url === '/cdn-cgi/access/certs';
      response.writeHead(isPage ? page.status : 404, { 'Content-Type': 'application/json' }).end(page.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('accessServer', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
