import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { buildWorker } from './build-worker.ts';
import { type Start, measureStart } from '../lab/profile/measure-start.ts';
import { spread } from '../lab/spread.ts';

/**
 * `npm run check:deploy` bundles the Worker as `wrangler deploy` would, for the sandbox and for production. It fails on
 * a warning and on a bundle that is too large. It prints the CPU time of a start, which depends on the machine and so
 * never fails.
 */

/** What only the sandbox has: the header that names a scenario, and the operator's routes of src/sandbox/. */
const sandboxMarks = ['X-Sandbox-Scenario', '/operator/v1/sandbox/'];

const MOST_BYTES = 330_000;
const STARTS = 9;

for (const environment of ['', 'production'] as const) {
  const name = environment || 'sandbox';
  const output = await buildWorker(environment, `dist/${name}`);
  console.log(`${name}: ${/Total Upload: .*/.exec(output)?.[0] ?? 'no size'}`);
}

// The sandbox is production’s code with more, of which production's bundle must hold nothing.
const hasMark = (name: string, mark: string) => readFileSync(`dist/${name}/index.js`, 'utf8').includes(mark);
for (const mark of sandboxMarks) {
  if (!hasMark('sandbox', mark)) throw new Error(`${mark} is not to be found in the bundle of the sandbox`);
  if (hasMark('production', mark)) throw new Error(`production’s bundle holds ${mark}, which is the sandbox’s`);
}
const bundle = 'dist/production';
const size = gzipSync(readFileSync(`${bundle}/index.js`)).length;
console.log(`size: ${size.toLocaleString('en-US')} bytes of gzip, of ${MOST_BYTES.toLocaleString('en-US')}`);
if (size >= MOST_BYTES) throw new Error('the bundle is too large');

const starts: Start[] = [];
while (starts.length < STARTS) starts.push(await measureStart(bundle));
const show = (part: keyof Start) => {
  const { median, low, high } = spread(starts.map((start) => start[part]));
  return `${median.toFixed(0)} ms (${low.toFixed(0)} to ${high.toFixed(0)})`;
};
console.log(
  `CPU of ${STARTS} starts: at most ${show('parse_ms')} to parse the bundle, and ${show('globalScope_ms')} in its global scope`,
);
