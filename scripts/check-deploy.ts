import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { buildWorker } from './build-worker.ts';
import { type Start, measureStart } from './profile/measure-start.ts';
import { spread } from './spread.ts';

/**
 * `npm run check:deploy`: bundles the Worker as `wrangler deploy` would, for the sandbox and for production, and fails on
 * a warning, on a bundle that is too large, and on one whose global scope takes too long.
 */

const MOST_BYTES = 300_000;
const MOST_MS = 50;

/** A busy machine slows a start and never speeds one up: the best counts, and is looked for longer where it is slow. */
const LEAST_STARTS = 9;
const MOST_STARTS = 40;

for (const environment of ['', 'production'] as const) {
  const name = environment || 'sandbox';
  const output = await buildWorker(environment, `dist/${name}`);
  console.log(`${name}: ${/Total Upload: .*/.exec(output)?.[0] ?? 'no size'}`);
}

// Environments differ in bindings and variables, never in the code.
const bundle = 'dist/sandbox';
const size = gzipSync(readFileSync(`${bundle}/index.js`)).length;
console.log(`size: ${size.toLocaleString('en-US')} bytes of gzip, of ${MOST_BYTES.toLocaleString('en-US')}`);
if (size >= MOST_BYTES) throw new Error('the bundle is too large');

const starts: Start[] = [];
const best = () => Math.min(...starts.map(({ globalScope_ms }) => globalScope_ms));
while (starts.length < LEAST_STARTS || (best() > MOST_MS && starts.length < MOST_STARTS)) {
  starts.push(await measureStart(bundle));
}
const show = (part: keyof Start) => {
  const { median, low, high } = spread(starts.map((start) => start[part]));
  return `${median.toFixed(0)} ms (${low.toFixed(0)} to ${high.toFixed(0)})`;
};
console.log(
  `CPU of ${starts.length} starts: ${show('whole_ms')}, of it ${show('parse_ms')} to parse the bundle and ` +
    `${show('globalScope_ms')} in its global scope, at best ${best().toFixed(0)} of ${MOST_MS}`,
);
if (best() > MOST_MS) throw new Error('the global scope takes too long, or something else keeps the machine busy');
