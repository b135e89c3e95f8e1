import { setTimeout as sleep } from 'node:timers/promises';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { spread } from '../spread.ts';
import { sendSteadily } from '../traders.ts';
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

/**
 * How often and how long orders are placed beside refused ones and beside filled ones. Each turn compares two such times
 * that follow each other, so a slow moment of the machine spoils one turn.
 */
const TURNS = 9;
const TURN_MS = 3_000;

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5' };

type Answer = (token: string) => Promise<number>;

/** How orders fared beside others, in one turn. */
interface Beside {
  /** How long the honest ones took, and the statuses of those that were refused. */
  readonly honest_ms: readonly number[];
  readonly refusedHonest: readonly number[];
  readonly sent: number;
  /** Those beside that were answered as meant. */
  readonly answered: number;
}

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
  await using exchange = await startServedExchange({ bundle, entry, site: false }, false);
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
  const [empty, rich] = [await openKeys(operator, ACCOUNTS, KEYS), await openKeys(operator, ACCOUNTS, KEYS, '100000')];
  // The first orders have lanes read their keys, and the gate its prices.
  await Promise.all([...honest, ...empty, ...rich].map(place));
  const [filled, refused]: [Beside[], Beside[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const isFirst = turn % 2 === 0;
    if (isFirst) filled.push(await measure(place, honest, rich, 201));
    refused.push(await measure(place, honest, empty, 422));
    if (!isFirst) filled.push(await measure(place, honest, rich, 201));
  }
  return judge(title, filled, refused);
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
): Promise<Beside> {
  const begun_ms = performance.now();
  const isOver = () => performance.now() - begun_ms >= TURN_MS;
  const [honest_ms, refusedHonest]: [number[], number[]] = [[], []];
  const sendOthers = () => sendSteadily(PER_SECOND, isOver, (index) => place(others[index % others.length] ?? ''));
  const placeHonest = async (token: string) => {
    while (!isOver()) {
      const sent_ms = performance.now();
      const status = await place(token);
      honest_ms.push(performance.now() - sent_ms);
      if (status !== 201) refusedHonest.push(status);
      await sleep(PAUSE_MS);
    }
  };
  const [statuses] = await Promise.all([sendOthers(), ...honest.map(placeHonest)]);
  const answered = statuses.filter((status) => status === meant).length;
  return { honest_ms, refusedHonest, sent: statuses.length, answered };
}

function judge(title: string, filled: readonly Beside[], refused: readonly Beside[]): Comparison {
  console.log(`${title}, with ${ADDED_MS} ms added to each call of the database:`);
  const medians = (turns: readonly Beside[]) => turns.map(({ honest_ms }) => spread(honest_ms).median);
  const sum = (turns: readonly Beside[], count: (turn: Beside) => number) =>
    turns.reduce((total, turn) => total + count(turn), 0);
  for (const [what, turns] of [
    ['filled', filled],
    ['refused', refused],
  ] as const) {
    const { median, low, high } = spread(medians(turns));
    console.log(
      `  beside ${PER_SECOND} a second that are ${what}: ${median.toFixed(0)} ms, quartiles of the turns ${low.toFixed(0)} ` +
        `and ${high.toFixed(0)}; ${sum(turns, ({ refusedHonest }) => refusedHonest.length)} of ` +
        `${sum(turns, ({ honest_ms }) => honest_ms.length)} honest orders were refused; ` +
        `${sum(turns, ({ answered }) => answered)} of ${sum(turns, ({ sent }) => sent)} others were ${what}`,
    );
  }
  const beside = medians(filled);
  const slowdowns = spread(medians(refused).map((ms, turn) => ms / (beside[turn] ?? Number.NaN)));
  const slowdown = slowdowns.median;
  console.log(
    `  ${slowdown.toFixed(2)} times as long, quartiles ${slowdowns.low.toFixed(2)} and ${slowdowns.high.toFixed(2)}`,
  );
  const isDelivered = [filled, refused].every(
    (turns) => sum(turns, ({ answered }) => answered) >= sum(turns, ({ sent }) => sent) * LEAST_ANSWERED,
  );
  const refusals = refused.flatMap(({ refusedHonest }) => refusedHonest);
  const faults = [
    ...(slowdown <= MOST_SLOWDOWN ? [] : [`refused orders slow others down ${slowdown.toFixed(2)} times`]),
    ...(refusals.length === 0 ? [] : [`${refusals.length} honest orders were refused, with ${refusals[0]}`]),
    ...(isDelivered ? [] : ['fewer of the others than meant were answered as meant']),
  ];
  return { slowdown, faults };
}
