import { writeEntry } from '../entry.ts';
import { SLOW_DATABASE } from '../slow-database.ts';

/** Where the entry tells the waits since the last call, and forgets those that have ended. */
const WAITS_PATH = '/bench/waits';

/** How long an object's write takes until it is durable, and what a call of D1 takes beside the work in it. */
export const [WRITE_MS, DATABASE_MS] = [10, 8];

/** The whole of a request, among the waits. */
const REQUEST = 'request';

/** A wait: its name, and when it began and ended in the order of all beginnings and ends. One under way has no end. */
export interface Wait {
  readonly name: string;
  readonly from: number;
  readonly to?: number;
}

/**
 * The exchange with the platform's time. Writes of one turn of an object are durable together, `WRITE_MS` later, and the
 * object's output gate is as the platform's: until then it holds every call, of D1 or another object, and every answer.
 */
const SCRIPT = `${SLOW_DATABASE}

let [waits, moments] = [[], 0];

async function wait(name, ms) {
  const noted = { name, from: (moments += 1) };
  waits.push(noted);
  await scheduler.wait(ms);
  noted.to = moments += 1;
}

const callDatabase = (name) => (kind) => wait('D1 ' + kind + ' of ' + name, ${DATABASE_MS});
const isDatabase = (binding) => typeof binding?.prepare === 'function';
const isNamespace = (binding) => typeof binding?.getByName === 'function';
const change = (bindings, matches, made) =>
  Object.fromEntries(Object.entries(bindings).map(([name, one]) => [name, matches(one) ? made(one) : one]));

/** Has an object's calls and answers wait for its writes. */
function slowObject(name, state, bindings) {
  let [durable, isOpen] = [Promise.resolve(), false];
  const written = () => {
    if (isOpen) return;
    isOpen = true;
    setTimeout(() => (isOpen = false), 0);
    durable = Promise.all([durable, wait('write of ' + name, ${WRITE_MS})]);
  };
  const noting = (target, names) => new Proxy(target, {
    get(_, name) {
      if (!names.includes(name)) return bound(target, name);
      return (...values) => {
        const done = target[name](...values);
        if (name !== 'exec' || done.rowsWritten > 0) written();
        return done;
      };
    },
  });
  const [sql, kv] = [noting(state.storage.sql, ['exec']), noting(state.storage.kv, ['put', 'delete'])];
  const keeps = noting(state.storage, ['put', 'delete', 'deleteAll', 'setAlarm', 'deleteAlarm']);
  const storage = new Proxy(keeps, {
    get(target, name) {
      if (name === 'sync') return () => durable;
      return name === 'sql' ? sql : name === 'kv' ? kv : target[name];
    },
  });
  Object.defineProperty(state, 'storage', { value: storage });
  const held = (stub) => new Proxy(stub, {
    get: (target, method) => async (...values) => {
      await durable;
      return target[method](...values);
    },
  });
  const lend = (namespace) => new Proxy(namespace, {
    get(target, name) {
      if (name !== 'get' && name !== 'getByName') return bound(target, name);
      return (...values) => held(target[name](...values));
    },
  });
  const call = callDatabase(name);
  const slowed = change(bindings, isDatabase, (one) => slowDatabase(one, (kind) => durable.then(() => call(kind))));
  return { bindings: change(slowed, isNamespace, lend), settle: () => durable };
}

function slow(name, methods) {
  const Slow = class extends own[name] {
    constructor(state, bindings) {
      const { bindings: slowed, settle } = slowObject(name, state, bindings);
      super(state, slowed);
      this.settle = settle;
    }
  };
  for (const method of methods) {
    Slow.prototype[method] = async function (...values) {
      try {
        return await own[name].prototype[method].apply(this, values);
      } finally {
        await this.settle();
      }
    };
  }
  return Slow;
}

export const KeyLane = slow('KeyLane', ['admit', 'execute']);
export const LedgerGate = slow('LedgerGate', ['placeOrder']);
export const PriceHub = slow('PriceHub', ['snapshot']);
export const LedgerKeeper = slow('LedgerKeeper', []);
export const WebhookSender = slow('WebhookSender', []);

let slowed;

export default {
  async fetch(request, bindings, context) {
    if (new URL(request.url).pathname === '${WAITS_PATH}') {
      const told = waits;
      waits = told.filter(({ to }) => to === undefined);
      return Response.json(told);
    }
    slowed ??= change(bindings, isDatabase, (one) => slowDatabase(one, callDatabase('the Worker')));
    const noted = { name: '${REQUEST}', from: (moments += 1) };
    waits.push(noted);
    const answer = await exchange.fetch(request, slowed, context);
    noted.to = moments += 1;
    return answer;
  },
  scheduled: exchange.scheduled,
};
`;

/** Writes the entry next to a bundle, and returns its name for `startExchange`. */
export function writePlatformEntry(bundle: string): string {
  return writeEntry(bundle, SCRIPT);
}

/** The waits of the requests since the last call that had ended when they were answered. */
export async function takeWaits(url: string): Promise<Wait[]> {
  return (await (await fetch(`${url}${WAITS_PATH}`)).json()) as Wait[];
}

/**
 * The waits of the newest request in their order: those of a step are under way at the same time. One that had not ended
 * when the answer came held nobody up. Pure.
 */
export function listSteps(waits: readonly Wait[]): string[] {
  const { from: begun = 0, to: answered = 0 } = waits.findLast(({ name }) => name === REQUEST) ?? {};
  const steps: string[][] = [];
  let end = 0;
  for (const { name, from, to = Infinity } of waits) {
    if (to < begun || to >= answered) continue;
    if (from > end) steps.push([]);
    steps.at(-1)?.push(name);
    end = Math.max(end, to);
  }
  return steps.map((names) => [...new Set(names)].join(' beside '));
}
