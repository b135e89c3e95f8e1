import type { MeasuredPass } from './measure-pass.ts';

/** The longest time of a pass over ten million orders. */
const MOST_MINUTES = 15;

/** The longest time of orders during a pass, as a multiple of their time without one. */
const MOST_MEDIAN = 1.3;
const MOST_P95 = 3;

const show = (title: string, value: unknown) => console.log(title.padEnd(60), String(value));
const minutes = (time_ms: number) => (time_ms / 60_000).toFixed(1);
const ms = (time_ms: number) => time_ms.toFixed(1);

/** Prints the times of a pass, and returns whether it was within the limits. */
export function printPass(orders: number, pass: MeasuredPass): boolean {
  const { calm, beside } = pass;
  // The better of before and after, so that other load on the machine is no excuse.
  const [median_ms, p95_ms] = [
    Math.min(...calm.map((one) => one.median_ms)),
    Math.min(...calm.map((one) => one.p95_ms)),
  ];
  const ratios = [beside.median_ms / median_ms, beside.p95_ms / p95_ms] as const;
  show('Orders / accounts', `${orders.toLocaleString('en')} / ${pass.accounts.toLocaleString('en')}`);
  show('Gigabytes of the database', (pass.bytes / 1e9).toFixed(2));
  show(
    'Orders a second: at most / sent / taken beside the pass',
    [pass.most, pass.perSecond, beside.perSecond].map(ms).join(' / '),
  );
  show(
    'Minutes: new transfers and the first pass / the pass alone',
    [pass.first_ms, pass.pass_ms].map(minutes).join(' / '),
  );
  show('What it found', pass.status);
  show(
    'Median of an order, ms: without / beside / ratio',
    [median_ms, beside.median_ms, ratios[0]].map(ms).join(' / '),
  );
  show('p95 of an order, ms: without / beside / ratio', [p95_ms, beside.p95_ms, ratios[1]].map(ms).join(' / '));
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
