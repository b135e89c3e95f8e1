import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { join, relative } from 'node:path';
import { type CallFrame, type FunctionTime, timeFunctions } from '../profile/cpu-profile.ts';
import { recordProfile } from '../profile/record-profile.ts';
import { Connections } from './load.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subjects.ts';

const WARM_MS = 1_500;
const PROFILED_MS = 5_000;

/** How many functions are worth a line. */
const LINES = 40;

/**
 * Sends one kind of request while V8's profiler watches the exchange, and gives lines that say where a request's time
 * goes: in each function itself, and in it with all that it calls. The runtime's own work is `(program)`; time in which
 * the exchange waits for D1 or for the next request is `(idle)`.
 */
export async function profileSubject(stage: Stage, subject: Subject, connections: number): Promise<string[]> {
  if (stage.inspectorUrl === undefined) throw new Error('the exchange was not started to be profiled');
  const load = new Connections(subject.exchange.origin, connections);
  try {
    await load.measure(subject.exchange, WARM_MS);
    let throughput = 0;
    const profile = await recordProfile(stage.inspectorUrl, async () => {
      throughput = await load.measure(subject.exchange, PROFILED_MS);
    });
    const window_us = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0);
    const request_us = 1_000_000 / throughput;
    const placeOf = readPlaces(stage.bundle);
    const list = (time: 'self_us' | 'inclusive_us') =>
      timeFunctions(profile)
        .filter(({ frame }) => frame.functionName !== '(root)')
        .toSorted((one, other) => other[time] - one[time])
        .slice(0, LINES)
        .map((each) => showLine((each[time] / window_us) * request_us, each, placeOf));
    return [
      `${subject.name}, ${connections} at once: ${throughput.toFixed(0)} a second, one every ${request_us.toFixed(0)} µs`,
      '\nµs of a request in the function itself',
      ...list('self_us'),
      '\nµs of a request in the function and in what it calls',
      ...list('inclusive_us'),
    ];
  } finally {
    await load.close();
  }
}

function showLine(time_us: number, { frame }: FunctionTime, placeOf: (frame: CallFrame) => string): string {
  return `${time_us.toFixed(0).padStart(7)}  ${(frame.functionName || '(anonymous)').padEnd(40)} ${placeOf(frame)}`.trimEnd();
}

/** Finds where a function is written; what is the runtime's own is written nowhere. */
function readPlaces(bundle: string): (frame: CallFrame) => string {
  const map = new SourceMap(JSON.parse(readFileSync(join(bundle, 'index.js.map'), 'utf8')) as SourceMapPayload);
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.endsWith('index.js')) return url;
    const { originalSource, originalLine = 0 }: Partial<SourceMapping> = map.findEntry(lineNumber, columnNumber);
    if (originalSource === undefined) return url;
    const file = relative('.', join(bundle, originalSource));
    return `${file.slice(Math.max(0, file.indexOf('node_modules/')))}:${originalLine + 1}`;
  };
}
