import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mistake, copyDealer } from '../dealer/test/support/mutate-dealer.ts';
import { runVenueKills } from '../test/kills/run-venue-kills.ts';
import { buildWorker } from './build-worker.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run start:venue -- --orders 600 --kills 25` is a campaign with another Bureau as the venue: orders at the first, and
 * kills of the dealer and of both exchanges, behind a network that loses things. `--seed 7` is another run. With
 * `--control new-id` the dealer asks under a new id after silence, and the run fails.
 */

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '600' },
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

async function campaign(): Promise<void> {
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
      orders: Number(values.orders),
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

await campaign();
