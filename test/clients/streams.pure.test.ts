import { describe, expect, it } from 'vitest';
import { BureauClient, BureauError, type Clock, type Socket } from '../../clients/bureau-client/src/index.ts';

const HOUR_MS = 3_600_000;

/** A clock that jumps to the next thing that is due, so that a day takes as long as its events. */
class VirtualClock implements Clock {
  #now = 0;
  #place = 0;
  readonly #due: { at: number; place: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): void {
    this.#due.push({ at: this.#now + milliseconds, place: (this.#place += 1), run });
  }

  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const stop = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', stop, { once: true });
      this.after(milliseconds, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
    });
  }

  /** Lets time pass until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // What was woken does all that it does before the time goes on.
      for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
      this.#due.sort((one, other) => one.at - other.at || one.place - other.place);
      const next = this.#due.shift();
      if (!next) return;
      this.#now = next.at;
      next.run();
    }
  }
}

function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Fault = 'none' | 'cut' | 'mute' | 'unreachable' | 'torn' | 'doubled' | 'skipped' | 'overloaded';

/** The exchange's side of one socket, by the protocol, with a fault of its own. */
class PlayedSocket implements Socket {
  readonly #listeners = new Map<string, (event: object) => void>();
  readonly #exchange: PlayedExchange;
  readonly #fault: Fault;
  #sent: number | undefined;
  #isOpen = true;
  #messages = 0;

  constructor(exchange: PlayedExchange, fault: Fault) {
    this.#exchange = exchange;
    this.#fault = fault;
    exchange.clock.after(20, () => (fault === 'unreachable' ? this.end(1006) : this.#tell('open', {})));
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    const { method, params } = JSON.parse(text) as { method: string; params: { after?: number } };
    if (!this.#isOpen || this.#fault === 'mute') return;
    this.#exchange.clock.after(10, () => {
      if (method === 'ping') this.#tell('message', { data: '{"type":"pong"}' });
      if (method !== 'subscribe') return;
      if (this.#fault === 'overloaded') {
        const problem = { code: 'service_unavailable', status: 503, retryable: true, detail: '' };
        this.#tell('message', { data: JSON.stringify({ type: 'problem', problem }) });
        return this.end(1013);
      }
      this.#sent = params.after ?? this.#exchange.newest;
      this.push('snapshot');
    });
  }

  close(): void {
    this.end(1000);
  }

  push(type: 'snapshot' | 'update' = 'update'): void {
    if (!this.#isOpen || this.#sent === undefined) return;
    this.#messages += 1;
    if (this.#fault === 'cut' && this.#messages === 3) return this.end(1006);
    const isOdd = this.#messages > 2;
    const skipped = this.#fault === 'skipped' && isOdd ? 1 : 0;
    const doubled = this.#fault === 'doubled' && isOdd ? 1 : 0;
    const first = this.#sent + 1 + skipped - doubled;
    const { newest } = this.#exchange;
    const data = Array.from({ length: Math.max(0, newest - first + 1) }, (_, at) => ({ sequence: first + at }));
    if (data.length === 0 && type === 'update') return;
    this.#sent = newest;
    this.#tell('message', { data: JSON.stringify({ channel: 'events', type, sequence: newest, newest, data }) });
    if (this.#fault === 'torn' && isOdd) this.end(4408);
  }

  end(code: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#tell('close', { code });
  }

  #tell(type: string, event: object): void {
    this.#listeners.get(type)?.(event);
  }
}

/** An exchange whose account has events, some of them in bursts, and whose sockets fail by chance. */
class PlayedExchange {
  readonly clock = new VirtualClock();
  readonly draw: () => number;
  newest = 0;
  opened = 0;
  readonly #sockets: PlayedSocket[] = [];

  constructor(seed: number) {
    this.draw = drawFrom(seed);
  }

  begin(end_ms: number): void {
    this.newest += this.draw() < 0.1 ? 50 : 1;
    for (const socket of this.#sockets) socket.push();
    // A deployment cuts every socket.
    if (this.draw() < 0.08) for (const socket of this.#sockets.splice(0)) socket.end(1012);
    if (this.clock.now() < end_ms) this.clock.after(this.draw() * 60_000, () => this.begin(end_ms));
  }

  open(): PlayedSocket {
    const faults: Fault[] = ['cut', 'mute', 'unreachable', 'torn', 'doubled', 'skipped', 'overloaded'];
    const fault = this.draw() < 0.3 ? 'none' : (faults[Math.floor(this.draw() * faults.length)] ?? 'none');
    const socket = new PlayedSocket(this, fault);
    this.opened += 1;
    this.#sockets.push(socket);
    return socket;
  }
}

describe('the iterator of a stream', () => {
  it.each([1, 2, 3, 4])('leaves out no event of a day of faults and gives none twice (%i)', async (seed) => {
    const exchange = new PlayedExchange(seed);
    const client = new BureauClient({
      origin: 'https://exchange.example',
      apiKey: 'bk_test_1',
      clock: exchange.clock,
      random: exchange.draw,
      openSocket: () => exchange.open(),
      fetch: () => Promise.reject(new Error('unreachable')),
    });
    const seen: number[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    const reading = (async () => {
      for await (const { data } of client.stream({ channel: 'events', after: 0, signal })) {
        seen.push(...data.map(({ sequence }) => sequence));
      }
    })();
    exchange.begin(24 * HOUR_MS);
    await exchange.clock.run(() => exchange.clock.now() > 26 * HOUR_MS);
    controller.abort(new Error('over'));
    await expect(reading).rejects.toThrow('over');
    expect(exchange.newest).toBeGreaterThan(2_000);
    expect(exchange.opened).toBeGreaterThan(100);
    expect(seen).toEqual(Array.from({ length: exchange.newest }, (_, at) => at + 1));
  });

  it('ends with what the exchange refuses for good', async () => {
    const exchange = new PlayedExchange(1);
    const problem = { code: 'invalid_api_key', status: 401, retryable: false, detail: 'revoked', title: '', type: '' };
    const client = new BureauClient({
      origin: 'https://exchange.example',
      apiKey: 'bk_test_1',
      clock: exchange.clock,
      openSocket: () => new PlayedSocket(exchange, 'unreachable'),
      fetch: async () => Response.json({ ...problem, instance: '/', requestId: '1' }, { status: 401 }),
    });
    const next = client.stream({ channel: 'events' }).next();
    const refused = expect(next).rejects.toThrow(BureauError);
    await exchange.clock.run(() => exchange.clock.now() > HOUR_MS);
    await refused;
  });
});
