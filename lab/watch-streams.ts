import { setTimeout as sleep } from 'node:timers/promises';
import { BureauClient, type Socket } from '../clients/bureau-client/src/index.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { Draw } from '../test/support/draw.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { readOptions } from './read-options.ts';
import { quantiles } from './spread.ts';

/**
 * `npm run test:watching` has clients watch while others trade, sockets are cut and the runtime is killed, and compares what
 * each client saw with the outbox. It fails when an event is missing, doubled, or out of order, when one event in a hundred
 * comes later than 250 ms after its commit to a socket that was open then, and when a round of prices comes to the last
 * socket a second later than to the first. By default 1,000 sockets for ten minutes beside 50 orders a second, of which 100 are cut a
 * minute, with five SIGKILLs: `-- --sockets 100 --minutes 1 --orders 10 --cuts 20 --kills 1` is shorter.
 */

const defaults = { sockets: 1_000, minutes: 10, orders: 50, cuts: 100, kills: 5, seed: 1 };
const { sockets, minutes, orders, cuts, kills, seed } = readOptions(defaults);

/** Of ten sockets two are the market's. */
const IN_MARKET = 0.2;
const WATCHERS_PER_ACCOUNT = 8;
const OWN_EVENT_MS = 250;
const ROUND_MS = 1_000;
/** After a start events are late that had to wait for it, and the machine is busy with a thousand upgrades. */
const AFTER_START_MS = 20_000;
const PATIENCE_MS = 180_000;

const draw = new Draw(seed);
using bundle = makeTemporaryFolder('watch');
using storage = makeTemporaryFolder('watch-storage');
await buildWorker('', bundle.path);

let exchange = undefined as unknown as ServedExchange;
let isUp = false;
let started_ms = 0;

async function start(): Promise<void> {
  exchange = await startServedExchange(
    {
      bundle: bundle.path,
      storage: storage.path,
      site: false,
      variables: { STREAM_SOCKETS_PER_KEY: '10000', STREAM_SOCKETS_PER_ADDRESS: '10000' },
      rateLimits: { ANONYMOUS_READS: 1_000_000, ANONYMOUS_NETWORKS: 1_000_000 },
    },
    false,
  );
  started_ms = Date.now();
  isUp = true;
}

/** When the first socket of all was sent a round, by its number. */
const firstOfRounds = new Map<number, number>();

/** A client, what it saw, and the socket that it has now. */
class Watcher {
  readonly seen: { readonly sequence: number; readonly type: string; readonly subject: string }[] = [];
  /** How late each event came that happened while its socket was open. */
  readonly delays_ms: number[] = [];
  readonly #controller = new AbortController();
  #socket: WebSocket | undefined;
  #live_ms = Infinity;

  cut(): void {
    this.#live_ms = Infinity;
    this.#socket?.close();
  }

  end(): void {
    this.#controller.abort(new Error('over'));
  }

  async watch(token: string | undefined, note: (watcher: Watcher) => void): Promise<void> {
    const client = new BureauClient({
      origin: 'http://127.0.0.1',
      ...(token !== undefined && { apiKey: token }),
      // The address is another one after each start.
      fetch: (url, init) => fetch(`${exchange.url}${new URL(url).pathname}`, init),
      openSocket: (url, headers): Socket => {
        this.#live_ms = Infinity;
        const { pathname } = new URL(url);
        const options = { headers } as unknown as string[];
        this.#socket = new WebSocket(`${exchange.url.replace('http', 'ws')}${pathname}`, options);
        return this.#socket;
      },
    });
    const { signal } = this.#controller;
    try {
      if (token === undefined) await this.#watchMarket(client, signal);
      else await this.#watchEvents(client, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    note(this);
  }

  async #watchEvents(client: BureauClient, signal: AbortSignal): Promise<void> {
    for await (const message of client.stream({ channel: 'events', after: 0, signal })) {
      const now_ms = Date.now();
      for (const event of message.data) {
        const [record] = Object.values(event.data) as { id: string }[];
        this.seen.push({ sequence: event.sequence, type: event.type, subject: record?.id ?? '' });
        const told_ms = Date.parse(event.timestamp);
        if (message.type === 'update' && told_ms > this.#live_ms && isSettled(told_ms)) {
          this.delays_ms.push(now_ms - told_ms);
        }
      }
      if (message.balances && this.#live_ms === Infinity) this.#live_ms = now_ms;
    }
  }

  async #watchMarket(client: BureauClient, signal: AbortSignal): Promise<void> {
    for await (const { round, type } of client.stream({ channel: 'tickers', signal })) {
      const now_ms = Date.now();
      if (type !== 'update' || !isSettled(now_ms)) continue;
      const first_ms = firstOfRounds.get(round) ?? now_ms;
      firstOfRounds.set(round, first_ms);
      this.delays_ms.push(now_ms - first_ms);
    }
  }
}

function isSettled(time_ms: number): boolean {
  return isUp && time_ms > started_ms + AFTER_START_MS;
}

await start();
const operator = () => new Operator(exchange.url);
const accountCount = Math.max(1, Math.round((sockets * (1 - IN_MARKET)) / WATCHERS_PER_ACCOUNT));
const accounts: { accountId: string; token: string; watchers: Watcher[] }[] = [];
for (let opened = 0; opened < accountCount; opened += 1) {
  const { accountId, token } = await operator().openClient({ USDT: '1000000' });
  accounts.push({ accountId, token, watchers: [] as Watcher[] });
}
const market: Watcher[] = [];
const running: Promise<void>[] = [];
for (let opened = 0; opened < sockets; opened += 1) {
  const watcher = new Watcher();
  const account = opened < sockets * IN_MARKET ? undefined : accounts[opened % accounts.length];
  (account?.watchers ?? market).push(watcher);
  running.push(watcher.watch(account?.token, () => undefined));
  if (opened % 20 === 0) await sleep(20);
}
console.log(
  `${sockets} sockets of ${accounts.length} accounts; ${orders} orders/s, ${cuts} cuts a minute, ${kills} kills`,
);

const end_ms = Date.now() + minutes * 60_000;
const figures = { sent: 0, filled: 0, cut: 0, killed: 0 };

async function order(): Promise<void> {
  const account = draw.pick(accounts);
  figures.sent += 1;
  try {
    const response = await fetch(`${exchange.url}/api/v1/orders`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' }),
    });
    if (response.status === 201) figures.filled += 1;
    await response.arrayBuffer();
  } catch {
    // The exchange was killed.
  }
}

async function repeat(perSecond: number, act: () => void): Promise<void> {
  const begun_ms = Date.now();
  for (let done = 0; Date.now() < end_ms;) {
    const due = Math.floor(((Date.now() - begun_ms) / 1_000) * perSecond);
    for (; done < due; done += 1) if (isUp) act();
    await sleep(20);
  }
}

async function killAtTimes(): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    await sleep((minutes * 60_000) / (kills + 1));
    isUp = false;
    await exchange.kill();
    figures.killed += 1;
    await start();
  }
}

const all = [...market, ...accounts.flatMap(({ watchers }) => watchers)];
await Promise.all([
  repeat(orders, () => void order()),
  repeat(cuts / 60, () => {
    figures.cut += 1;
    draw.pick(all).cut();
  }),
  killAtTimes(),
]);

/** What the outbox has of each account. */
async function readOutbox() {
  const rows = await exchange.probe.query<{ account_id: string; sequence: number; type: string; subject: string }>(
    'SELECT account_id, sequence, type, subject FROM events ORDER BY account_id, sequence',
  );
  return Map.groupBy(rows, ({ account_id: owner }) => owner);
}

// The schedule of a minute makes good what a kill has lost.
const faults: string[] = [];
const patience_ms = Date.now() + PATIENCE_MS;
for (;;) {
  await exchange.probe.schedule();
  const outbox = await readOutbox();
  const behind = accounts.flatMap(({ accountId, watchers }) => {
    const told = outbox.get(accountId)?.length ?? 0;
    return watchers.filter(({ seen }) => seen.length < told);
  });
  if (behind.length === 0) break;
  if (Date.now() > patience_ms) {
    faults.push(`${behind.length} clients are behind at the end`);
    break;
  }
  await sleep(5_000);
}
const outbox = await readOutbox();
let compared = 0;
for (const { accountId, watchers } of accounts) {
  const told = outbox.get(accountId) ?? [];
  for (const { seen } of watchers) {
    const place = told.findIndex(
      ({ sequence, type, subject }, at) =>
        seen[at]?.sequence !== sequence || seen[at].type !== type || seen[at].subject !== subject,
    );
    if (seen.length !== told.length || place >= 0) {
      faults.push(`a client of ${accountId} saw ${seen.length} of ${told.length}, other at ${place}`);
    }
    compared += seen.length;
  }
}
const own = accounts.flatMap(({ watchers }) => watchers.flatMap(({ delays_ms }) => delays_ms));
const rounds = market.flatMap(({ delays_ms }) => delays_ms);
const [ownAt, roundAt] = [quantiles(own), quantiles(rounds)];
console.log(JSON.stringify(figures));
console.log(
  `${compared} events were seen; of ${own.length} at open sockets p50 ${ownAt(0.5)} ms, p99 ${ownAt(0.99)} ms`,
);
console.log(`${rounds.length} rounds came; p50 ${roundAt(0.5)} ms, the last after ${roundAt(1)} ms`);
if (own.length === 0 || rounds.length === 0) faults.push('nothing was measured');
if (ownAt(0.99) > OWN_EVENT_MS) faults.push(`own events come later than ${OWN_EVENT_MS} ms`);
if (roundAt(1) > ROUND_MS) faults.push(`a round came later than ${ROUND_MS} ms`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
for (const watcher of all) watcher.end();
await Promise.all(running);
await exchange.kill();
