import { setTimeout as sleep } from 'node:timers/promises';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { spread } from '../spread.ts';
import { ADDED_MS, writeSlowEntry } from './flooded-entry.ts';

/** What honest orders may take beside refused ones, as a multiple of what they take beside filled ones. */
const MOST_SLOWDOWN = 1.5;

/** How many orders a second are sent beside the honest ones, and from how many accounts with how many keys each. */
const PER_SECOND = 75;
const ACCOUNTS = 5;
const KEYS = 20;
/** The share of them that must have been answered as they are meant to be, or nothing was measured. */
const LEAST_ANSWERED = 0.9;

/** How many honest clients there are. Each places an order, and pauses when it is answered. */
const HONEST = 16;
const PAUSE_MS = 100;

/** How often and how long orders are placed beside refused ones and beside filled ones, in turns. */
const TURNS = 3;
const TURN_MS = 8_000;

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5' };

type Answer = (token: string) => Promise<number>;

/** How orders fared beside others. */
interface Beside {
  readonly honest_ms: number[];
  readonly refusedHonest: number[];
  sent: number;
  /** Those beside that were answered as meant. */
  answered: number;
}

const nothing = (): Beside => ({ honest_ms: [], refusedHonest: [], sent: 0, answered: 0 });

/**
 * Measures what orders that the database refuses for want of money cost those who have it: `PER_SECOND` of them, while
 * each call of the database takes `ADDED_MS` longer, against as many that are filled. The control is the same at an
 * exchange where a refused order costs its batch one call more; it must fail. Returns what is wrong.
 */
export async function floodWithRefused(bundle: string): Promise<string[]> {
  const { faults } = await compare(bundle, 0, 'Refused row by row');
  const control = await compare(bundle, 1, 'The control, where each refused order costs a call');
  return [
    ...faults,
    ...(control.slowdown > MOST_SLOWDOWN ? [] : ['the control slowed nobody down, so this measures nothing']),
  ];
}

/** How many times as long honest orders took beside refused ones, and what is wrong with that. */
interface Comparison {
  readonly slowdown: number;
  readonly faults: readonly string[];
}

async function compare(bundle: string, callsOfRefusal: 0 | 1, title: string): Promise<Comparison> {
  const entry = writeSlowEntry(bundle, callsOfRefusal);
  const exchange = await startServedExchange({ bundle, entry, site: false }, false);
  try {
    const operator = new Operator(exchange.url);
    const place: Answer = async (token) => {
      const response = await fetch(`${exchange.url}/api/v1/orders`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(ORDER),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const honest = await openKeys(operator, HONEST, 1, '100000');
    const [empty, rich] = [
      await openKeys(operator, ACCOUNTS, KEYS),
      await openKeys(operator, ACCOUNTS, KEYS, '100000'),
    ];
    const [filled, refused] = [nothing(), nothing()];
    // The first orders have lanes read their keys, and the gate its prices.
    await Promise.all([...honest, ...empty, ...rich].map(place));
    for (let turn = 0; turn < TURNS; turn += 1) {
      await measure(place, honest, rich, 201, filled);
      await measure(place, honest, empty, 422, refused);
    }
    return judge(title, filled, refused);
  } finally {
    await exchange.stop();
  }
}

/** Opens accounts, with USDT or empty, and gives the tokens of their keys, an account after the other in turns. */
async function openKeys(operator: Operator, accounts: number, keys: number, usdt?: string): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < accounts) ids.push(await operator.openAccount(usdt === undefined ? {} : { USDT: usdt }));
  const tokens: string[] = [];
  while (tokens.length < accounts * keys) {
    tokens.push(await operator.createKey(ids[tokens.length % accounts] ?? ''));
  }
  return tokens;
}

/** Places honest orders for a turn, beside others at an even rate, which are meant to get this status. */
async function measure(
  place: Answer,
  honest: readonly string[],
  others: readonly string[],
  meant: number,
  beside: Beside,
): Promise<void> {
  const begun_ms = performance.now();
  const isOver = () => performance.now() - begun_ms >= TURN_MS;
  const open: Promise<void>[] = [];
  const sendOthers = async () => {
    for (let sent = 0; !isOver(); await sleep(1)) {
      for (; sent < ((performance.now() - begun_ms) / 1_000) * PER_SECOND; sent += 1) {
        beside.sent += 1;
        const answered = place(others[sent % others.length] ?? '').then((status) => {
          if (status === meant) beside.answered += 1;
        });
        open.push(answered);
      }
    }
  };
  const placeHonest = async (token: string) => {
    while (!isOver()) {
      const sent_ms = performance.now();
      const status = await place(token);
      beside.honest_ms.push(performance.now() - sent_ms);
      if (status !== 201) beside.refusedHonest.push(status);
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all([sendOthers(), ...honest.map(placeHonest)]);
  await Promise.all(open);
}

function judge(title: string, filled: Beside, refused: Beside): Comparison {
  const [slow, fast] = [spread(refused.honest_ms), spread(filled.honest_ms)];
  const slowdown = slow.median / fast.median;
  console.log(`${title}, with ${ADDED_MS} ms added to each call of the database:`);
  for (const [what, { median, low, high }, { honest_ms, refusedHonest, answered, sent }] of [
    ['filled', fast, filled],
    ['refused', slow, refused],
  ] as const) {
    const times = [median, low, high].map((ms) => ms.toFixed(0));
    console.log(
      `  beside ${PER_SECOND} a second that are ${what}: median ${times[0]} ms, quartiles ${times[1]} and ${times[2]}, ` +
        `of ${honest_ms.length} honest orders, ` +
        `of which ${refusedHonest.length} were refused; ${answered} of ${sent} others were ${what}`,
    );
  }
  console.log(`  ${slowdown.toFixed(2)} times as long`);
  const isDelivered = [filled, refused].every(({ answered, sent }) => answered >= sent * LEAST_ANSWERED);
  const faults = [
    ...(slowdown <= MOST_SLOWDOWN ? [] : [`refused orders slow others down ${slowdown.toFixed(2)} times`]),
    ...(refused.refusedHonest.length === 0 ? [] : [`honest orders were refused, with ${refused.refusedHonest[0]}`]),
    ...(isDelivered ? [] : ['fewer of the others than meant were answered as meant']),
  ];
  return { slowdown, faults };
}
