import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Mistake, copyDealer } from '../dealer/test/support/mutate-dealer.ts';
import { startDealer } from '../dealer/test/support/dealer-process.ts';
import { DEALING_KEY } from '../dealer/test/support/sign.ts';
import { VENUE_TERMS } from '../src/sandbox/demo.ts';
import { runVenueKills } from '../test/kills/run-venue-kills.ts';
import { startFaultyNetwork } from '../test/support/node/exchange/faulty-network.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from './build-worker.ts';
import { readSecret, writeSecrets } from './local-secrets.ts';
import { operate } from './start/operate.ts';
import { type Place, readPlace } from './start/place.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run start:venue` is `npm start` with another Bureau as the venue: a second exchange, the dealer, and a network between
 * them that loses orders and answers. Both exchanges are empty at every start.
 *
 * `-- --orders 600 --kills 25` is a campaign in its place: orders at the first, and kills of the dealer and of both
 * exchanges; in the end both ledgers must agree to the atom. `--seed 7` is another run. With `--control new-id` the dealer
 * asks under a new id after silence, and the run fails.
 */

const { values } = parseArgs({
  options: {
    orders: { type: 'string' },
    kills: { type: 'string', default: '25' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    control: { type: 'string' },
  },
});

/** What the dealer must not do, by name. */
const controls: Readonly<Record<string, Mistake>> = {
  'new-id': [
    ['venues/bureau.ts', 'const PAGE = 200;', 'const PAGE = 200;\nconst asked = new Set<string>();'],
    [
      'venues/bureau.ts',
      'place: async (order): Promise<Outcome> => {',
      `place: async (planned): Promise<Outcome> => {
      const order = asked.has(planned.id) ? { ...planned, id: crypto.randomUUID() } : planned;
      asked.add(planned.id);`,
    ],
  ],
};

async function campaign(orders: number): Promise<void> {
  const mistake = values.control === undefined ? undefined : controls[values.control];
  if (values.control !== undefined && !mistake) throw new Error(`there is no control ${values.control}`);
  const seed = Number(values.seed);
  using temporary = makeTemporaryFolder('venue');
  const begun_ms = Date.now();
  console.log(`seed ${seed}`);
  const bundle = join(temporary.path, 'bundle');
  await buildWorker('', bundle);
  const dealerSource = mistake && copyDealer(mistake);
  try {
    const { figures, violations } = await runVenueKills({
      bundle,
      storage: join(temporary.path, 'storage'),
      seed,
      orders,
      kills: Number(values.kills),
      ...(dealerSource !== undefined && { dealerSource }),
      report: (line) => console.log(line),
    });
    console.table(figures);
    console.log(`${Math.round((Date.now() - begun_ms) / 1_000)} s, seed ${seed}`);
    for (const violation of violations.slice(0, 20)) console.error(`VIOLATION: ${violation}`);
    if (violations.length === 0) return;
    console.error(`${violations.length} violations`);
    process.exitCode = 1;
  } finally {
    if (dealerSource !== undefined) rmSync(join(dealerSource, '..', '..'), { recursive: true });
  }
}

/** The name of the venue at the dealer, and what the house has there. */
const VENUE = 'other';
const LOOK_MS = 250;
const FUNDS = { BTC: '2', USDT: '100000' } as const;

async function start(): Promise<void> {
  writeSecrets();
  await using started = new AsyncDisposableStack();
  const folder = started.use(makeTemporaryFolder('venue')).path;
  console.log('Building the venue.');
  await buildWorker('', join(folder, 'bundle'));
  const venue = await startServedExchange({ bundle: join(folder, 'bundle'), storage: join(folder, 'venue') }, false);
  started.defer(() => venue.stop());
  const account = await new Operator(venue.url).openClient(FUNDS, { scopes: ['read', 'trade'] });
  const network = await startFaultyNetwork({ target: () => venue.url, seed: Number(values.seed) });
  started.defer(() => network.stop());
  const dealer = await startDealer(join(folder, 'dealer.db'), [
    { name: VENUE, kind: 'bureau', url: network.url, coins: ['BTC'], isTestnet: false, key: account.token, secret: '' },
  ]);
  started.defer(async () => {
    dealer.kill();
    await dealer.ended;
  });
  console.log(`venue: ${venue.url}/api/v1\nits key of the house's account: ${account.token}\ndealer: ${dealer.url}`);
  await serve(folder, dealer.url);
}

/** Runs the exchange until it ends or this process is interrupted. */
async function serve(folder: string, dealerUrl: string): Promise<void> {
  const place = readPlace({ ...process.env, BUREAU_STORAGE: join(folder, 'exchange') });
  if ('refusal' in place) throw new Error(place.refusal);
  const dealing = { DEALER_URL: dealerUrl, DEALER_KEY_ID: DEALING_KEY.keyId, DEALER_SECRET: DEALING_KEY.secret };
  const words = Object.entries(dealing).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
  const exchange = spawn(process.execPath, ['scripts/start.cjs', ...words], {
    env: { ...process.env, BUREAU_STORAGE: place.storage },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => exchange.kill(signal));
  const ended = once(exchange, 'exit') as Promise<[number | null]>;
  const ending = new AbortController();
  const covered = cover(place, ending.signal);
  const [code] = await ended;
  ending.abort();
  await covered;
  process.exitCode = code ?? 0;
}

/** Enters what the house has at the venue, and has it hedged there as at the sandbox's own, once the exchange answers. */
async function cover(place: Place, signal: AbortSignal): Promise<void> {
  const isReady = () =>
    fetch(`${place.origin}/api/v1/markets/tickers`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!signal.aborted && !(await isReady())) await sleep(LOOK_MS);
  if (signal.aborted) return;
  const token = readSecret('OPERATOR_TOKEN');
  for (const [asset, amount] of Object.entries(FUNDS)) {
    const funding = { ledger: 0, from: 'owner', to: VENUE, asset, amount, reference: `${VENUE}-${asset}` };
    await operate(place, token, 'POST', '/fundings', funding);
  }
  // The venue's spread is 20 bps.
  const hedging = { ...VENUE_TERMS, venue: VENUE, limitBps: 50 };
  await operate(place, token, 'PATCH', '/settings', { coinTerms: { BTC: { hedging } } });
}

await (values.orders === undefined ? start() : campaign(Number(values.orders)));
