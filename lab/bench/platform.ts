import { setTimeout as sleep } from 'node:timers/promises';
import { LATE_WRITE_PAUSE_MS } from '../../src/platform/turns.ts';
import { formatTable, writeMeasured } from '../measured-section.ts';
import { spread } from '../spread.ts';
import { Connections } from './load.ts';
import { DATABASE_MS, WRITE_MS, listSteps, takeWaits } from './platform-entry.ts';
import { openTraders, startBenchRuntime } from './start-runtime.ts';
import { describeSubjects, loadOrders } from './subjects.ts';

/** How often each kind of request is sent: what is not warm yet, such as an old price, is seen in fewer than half. */
const SENDINGS = 9;

interface WaitsRow {
  readonly Request: string;
  readonly 'Waits, in order': string;
  readonly 'Added, ms': string;
  readonly 'Median, ms': string;
}

/**
 * Sends each kind of request alone, again and again, to the exchange with the platform's time, and returns the waits that
 * most of them had.
 */
export async function measurePlatform(directory: string): Promise<WaitsRow[]> {
  await using runtime = await startBenchRuntime(directory, { traders: 1, platform: true });
  await using connections = new Connections(runtime.exchange, 1);
  const rows: WaitsRow[] = [];
  const fresh = await openTraders(runtime.exchange, SENDINGS);
  const first = { origin: runtime.exchange, status: 201, next: () => firstOrder(fresh.pop()?.token ?? '') };
  const subjects = (await describeSubjects(runtime)).map(({ name, exchange }) => [name, exchange] as const);
  const loads = new Map([...subjects, ['an order, the first of its key', first] as const]);
  for (const [name, load] of loads) {
    const seen = new Map<string, number>();
    const taken_ms: number[] = [];
    for (let sending = 0; sending < SENDINGS; sending += 1) {
      await sleep(2 * (LATE_WRITE_PAUSE_MS + WRITE_MS));
      await takeWaits(runtime.exchange);
      const begun_ms = performance.now();
      await connections.sendOne(load);
      taken_ms.push(performance.now() - begun_ms);
      const steps = listSteps(await takeWaits(runtime.exchange)).join(', then ');
      seen.set(steps, (seen.get(steps) ?? 0) + 1);
    }
    const [[usual] = ['']] = [...seen].toSorted(([, one], [, other]) => other - one);
    rows.push({
      Request: name,
      'Waits, in order': usual || 'none',
      'Added, ms': String(sumUp(usual)),
      'Median, ms': spread(taken_ms).median.toFixed(0),
    });
  }
  return rows;
}

const firstOrder = (token: string) => loadOrders('', [token]).next(0);

function sumUp(steps: string): number {
  if (steps === '') return 0;
  return steps.split(', then ').reduce((sum, step) => sum + (step.includes('write of') ? WRITE_MS : DATABASE_MS), 0);
}

/** Replaces the waits of the last run in the document. Throws when it has no section for them. */
export function writePlatform(document: string, rows: readonly WaitsRow[], date: Date): string {
  const told = `Measured on ${date.toISOString().slice(0, 10)} with \`npm run bench -- --platform\`.`;
  return writeMeasured(document, 'The platform’s time', [told, '', ...formatTable(rows)]);
}
