import { quantiles } from '../spread.ts';
import type { MeasuredPass } from './measure-pass.ts';

/** The longest time of a pass over ten million orders. */
const MOST_MINUTES = 15;

/** The longest time of orders during a pass, as a multiple of their time without one. */
const MOST_MEDIAN = 1.3;
const MOST_P95 = 3;

const show = (title: string, value: unknown) => console.log(title.padEnd(60), String(value));
const minutes = (time_ms: number) => (time_ms / 60_000).toFixed(1);
const ms = (time_ms: number) => time_ms.toFixed(1);

/** Prints the times of a pass, and returns whether they are within the promised ones. */
export function printPass(pass: MeasuredPass): boolean {
  const { calm, beside, batches_ms } = pass;
  // The better of the times before and after, so that a disturbance of the machine does not excuse a slow pass.
  const [median_ms, p95_ms] = [
    Math.min(...calm.map((one) => one.median_ms)),
    Math.min(...calm.map((one) => one.p95_ms)),
  ];
  const ratios = [beside.median_ms / median_ms, beside.p95_ms / p95_ms] as const;
  show('Orders / accounts', `${pass.orders.toLocaleString('en')} / ${pass.accounts.toLocaleString('en')}`);
  show('Gigabytes of the database', (pass.bytes / 1e9).toFixed(2));
  show(
    'Orders a second: at most / sent / taken beside the pass',
    [pass.most, pass.perSecond, beside.perSecond].map(ms).join(' / '),
  );
  show('Minutes of the pass', minutes(pass.pass_ms));
  const inDatabase_ms = batches_ms.reduce((sum, one) => sum + one, 0);
  show(
    'Seconds of it in D1 / slices',
    `${(inDatabase_ms / 1_000).toFixed(1)} / ${batches_ms.length.toLocaleString('en')}`,
  );
  const at = quantiles(batches_ms);
  show('A slice, ms of D1: median / p95 / p99 / longest', [at(0.5), at(0.95), at(0.99), at(1)].map(ms).join(' / '));
  show('What it found', pass.status);
  show(
    'Median of an order, ms: without / beside / ratio',
    [ms(median_ms), ms(beside.median_ms), ratios[0].toFixed(2)].join(' / '),
  );
  show(
    'p95 of an order, ms: without / beside / ratio',
    [ms(p95_ms), ms(beside.p95_ms), ratios[1].toFixed(2)].join(' / '),
  );
  show('Minutes of the pass after faults were planted', minutes(pass.planted_ms));
  show('Invariants found broken in it', `${pass.broken.length}, missed: ${pass.missed.join(', ') || 'none'}`);
  return (
    pass.status === 'ok' &&
    pass.pass_ms < MOST_MINUTES * 60_000 &&
    ratios[0] <= MOST_MEDIAN &&
    ratios[1] <= MOST_P95 &&
    beside.refused === 0 &&
    pass.missed.length === 0
  );
}
