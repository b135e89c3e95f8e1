import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeRetries } from '../../../test/support/clients/describe-retries.ts';
import { describeTrading } from '../../../test/support/clients/describe-trading.ts';
import { ClientFault, type ClientLanguage } from '../../../test/support/clients/driven-client.ts';
import { PYTHON, SOURCE, openPython } from './python-client.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Operator } from '../../../test/support/node/exchange/operator.ts';
import { startExchange } from '../../../test/support/node/exchange/start-exchange.ts';

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

/** Runs a program that has the client, and returns what it prints. */
const run = async (...options: string[]) => {
  const env = { ...process.env, PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: '1' };
  return (await promisify(execFile)(PYTHON, ['-W', 'error', ...options], { env })).stdout;
};

describe('the iterator of a stream', () => {
  it('leaves out no event of a day of faults and gives none twice', async () => {
    const days = JSON.parse(await run('clients/bureau-python/test/stream_day.py', '1', '2', '3')) as {
      right: boolean;
      events: number;
      opened: number;
    }[];
    for (const { right, events, opened } of days) {
      expect([right, events > 2_000, opened > 30]).toEqual([true, true, true]);
    }
  });

  it('follows the account and the market over a WebSocket of its own', async () => {
    const exchange = await startExchange({ bundle: inject('workerBundle') });
    try {
      const client = await new Operator(exchange.urls[0] ?? '').openClient({ USDT: '100' });
      const script = `
import sys
from bureau_client import BureauClient
bureau = BureauClient(sys.argv[1], sys.argv[2])
events = bureau.stream("events", after=0)
first = next(events)
order = bureau.place_order({"coin": "BTC", "side": "BUY", "mode": "USDT_AMOUNT", "value": "10"})["order"]
second = next(events)
tickers = next(bureau.stream("tickers", symbols=["BTC"]))
print(first["sequence"], second["sequence"], second["data"][0]["data"]["order"]["id"] == order["id"], tickers["data"][0]["symbol"])`;
      expect((await run('-c', script, exchange.urls[0] ?? '', client.token)).trim()).toBe('1 2 True BTC');
    } finally {
      await exchange.dispose();
    }
  });
});
