import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeRetries } from '../../../test/support/clients/describe-retries.ts';
import { describeTrading } from '../../../test/support/clients/describe-trading.ts';
import { ClientFault, type ClientLanguage } from '../../../test/support/clients/driven-client.ts';
import { openPython } from './python-client.ts';

describeRetries(openPython);
describeTrading(inject('workerBundle'), openPython);

describe('an attempt over Python’s own HTTP', () => {
  const DRIP_MS = 20;
  let server: Server;
  let origin: string;
  let language: ClientLanguage;
  let seen: { url: string | undefined; agent: string | undefined }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ url: request.url, agent: request.headers['authorization'] });
      if (request.url?.startsWith('/moved')) response.writeHead(302, { Location: '/elsewhere' }).end();
      else {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        // Never silent for long, and never done.
        const timer = setInterval(() => response.write(' '), DRIP_MS);
        response.on('close', () => clearInterval(timer));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    language = openPython();
  });

  afterAll(async () => {
    await language.close();
    server.closeAllConnections();
    server.close();
  });

  it('ends in time, also while bytes go on arriving', async () => {
    const client = language.connect({ origin });
    const call = client.call({ operation: 'listTickers', options: { attempts: 2, timeoutMs: 200 } });
    const fault = await call.catch((error: unknown) => error);
    expect(fault instanceof ClientFault && fault.details).toMatchObject({
      kind: 'lost',
      attempts: 2,
      cause: expect.stringMatching(/^TimeoutError: /) as unknown,
    });
  });

  it('follows no redirect, so that a key goes nowhere else', async () => {
    seen = [];
    const client = language.connect({ origin: `${origin}/moved`, apiKey: 'bk_test_key' });
    await expect(client.call({ operation: 'listTickers' })).rejects.toThrow('status 302');
    expect(seen).toHaveLength(1);
  });
});
