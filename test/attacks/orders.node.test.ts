import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Client, readRefusal } from '../support/client.ts';

const ENTRY = 'held-gate.js';

/** How many of one account's orders may be in the gate at once. */
const ACCOUNT_ROOM = 25;

/** The bundle, whose gate sends nothing before the expected number of orders has come, and counts what it sends. */
const HELD_GATE = `import exchange from './index.js';
export * from './index.js';
import { LedgerGate as Gate } from './index.js';

let [expected, come, batches] = [0, 0, 0];

const hold = (database) => new Proxy(database, {
  get(target, name) {
    if (name !== 'batch') return typeof target[name] === 'function' ? target[name].bind(target) : target[name];
    return async (statements) => {
      batches += 1;
      while (come < expected) await scheduler.wait(1);
      return target.batch(statements);
    };
  },
});

export class LedgerGate extends Gate {
  constructor(state, bindings) {
    super(state, { ...bindings, DB: hold(bindings.DB) });
  }

  placeOrder(call) {
    come += 1;
    return super.placeOrder(call);
  }
}

export default {
  fetch(request, bindings, context) {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/sent') return new Response(String(batches));
    if (pathname !== '/expect') return exchange.fetch(request, bindings, context);
    [expected, come, batches] = [Number(search.slice(1)), 0, 0];
    return new Response();
  },
  scheduled: exchange.scheduled,
};
`;

const directory = mkdtempSync(join(tmpdir(), 'bureau-attack-'));
cpSync(inject('workerBundle'), directory, { recursive: true });
writeFileSync(join(directory, ENTRY), HELD_GATE);
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const { exchange, operator } = await openExchange({ bundle: directory, entry: ENTRY });
let honest: readonly Client[];

beforeAll(async () => {
  honest = await Promise.all(Array.from({ length: 30 }, () => operator.openClient({ USDT: '1000' })));
  // The first orders have the lanes read their keys, and the gate its prices.
  for (const client of honest) await client.trade({ value: '10' });
});

beforeEach(() => expectOrders(0));

const ask = async (path: string) => (await fetch(`${operator.origin}${path}`)).text();
const expectOrders = (count: number) => ask(`/expect?${count}`);

/** An account without money, and so many keys of it whose lanes are awake. */
async function openEmpty(keys: number): Promise<Client[]> {
  const accountId = await operator.openAccount();
  const clients: Client[] = [];
  while (clients.length < keys) clients.push(await operator.createClient(accountId));
  for (const client of clients) await client.get('/api/v1/orders');
  return clients;
}

/** Places an order with each client at once, and says how each was answered. */
const placeAll = (clients: readonly Client[]) =>
  Promise.all(
    clients.map(async (client) => {
      const response = await client.order({ value: '10' });
      return response.status === 201 ? 'filled' : (await readRefusal(response))[1];
    }),
  );

const crooked = () =>
  exchange.probe.query('SELECT asset, sum(amount) FROM balances GROUP BY asset HAVING sum(amount) != 0');

describe('an account without money', () => {
  it('costs those who trade beside it no call of the database, with an order of each of its keys', async () => {
    const empty = await openEmpty(ACCOUNT_ROOM - 1);
    await expectOrders(honest.length + empty.length);
    const answers = await Promise.all([placeAll(honest), placeAll(empty)]);
    expect(answers).toEqual([honest.map(() => 'filled'), empty.map(() => 'insufficient_balance')]);
    // Were each refused order to send its batch again, there would be one for each of them.
    expect(Number(await ask('/sent'))).toBeLessThan(empty.length);
    expect(await crooked()).toEqual([]);
  });

  it('has its own half of the gate at most, with all keys that an account may have', async () => {
    const empty = await openEmpty(50);
    await expectOrders(honest.length + empty.length);
    const [others, own] = await Promise.all([placeAll(honest), placeAll(empty)]);
    expect(others).toEqual(honest.map(() => 'filled'));
    expect(Object.fromEntries([...Map.groupBy(own, (code) => code)].map(([code, all]) => [code, all.length]))).toEqual({
      insufficient_balance: ACCOUNT_ROOM,
      rate_limited: 50 - ACCOUNT_ROOM,
    });
    expect(await crooked()).toEqual([]);
  });
});
