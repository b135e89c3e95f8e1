import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CallFrame, type CpuProfile, recordProfile } from '../profile/record-profile.ts';
import { Connections } from './load.ts';
import type { BenchRuntime } from './start-runtime.ts';
import type { Subject } from './subjects.ts';

const WARM_MS = 1_500;
const PROFILED_MS = 5_000;

export interface SubjectProfile {
  /** Answers per second while the profiler ran. */
  readonly throughput: number;
  /** The profile, in which each function has its place in the sources instead of in the bundle. */
  readonly profile: CpuProfile;
}

/**
 * Sends one kind of request for five seconds while V8's profiler watches the exchange. In the profile the runtime's own
 * work is `(program)`; time in which the exchange waits for D1 or for the next request is `(idle)`.
 */
export async function profileSubject(
  runtime: BenchRuntime,
  subject: Subject,
  connections: number,
): Promise<SubjectProfile> {
  if (runtime.inspectorUrl === undefined) throw new Error('the exchange was not started to be profiled');
  await using load = new Connections(subject.exchange.origin, connections);
  await load.measure(subject.exchange, WARM_MS);
  let throughput = 0;
  const profile = await recordProfile(runtime.inspectorUrl, async () => {
    throughput = await load.measure(subject.exchange, PROFILED_MS);
  });
  const placeOf = readPlaces(runtime.bundle);
  const nodes = profile.nodes.map((node) => ({ ...node, callFrame: placeOf(node.callFrame) }));
  return { throughput, profile: { ...profile, nodes } };
}

/** Translates a frame of the bundle to its place in the sources. A frame of the runtime stays as it is. */
function readPlaces(bundle: string): (frame: CallFrame) => CallFrame {
  const map = new SourceMap(JSON.parse(readFileSync(join(bundle, 'index.js.map'), 'utf8')) as SourceMapPayload);
  return (frame) => {
    if (!frame.url.endsWith('index.js')) return frame;
    const found: Partial<SourceMapping> = map.findEntry(frame.lineNumber, frame.columnNumber);
    if (found.originalSource === undefined) return frame;
    return {
      ...frame,
      url: pathToFileURL(resolve(bundle, found.originalSource)).href,
      lineNumber: found.originalLine ?? 0,
      columnNumber: found.originalColumn ?? 0,
    };
  };
}
