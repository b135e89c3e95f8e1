import { Inspector } from './inspector.ts';

/** Where a function begins in the text that V8 was given; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The output of V8's CPU profiler: the type Profile of the DevTools protocol. Times are microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** The node that ran at each sample, by its id. */
  readonly samples: readonly number[];
  /** The time between each sample and the one before it. */
  readonly timeDeltas: readonly number[];
}

const INTERVAL_US = 1_000;

/**
 * Runs `work` while V8's CPU profiler watches a Worker of a local runtime and its objects, which share its isolate.
 * `url` is the address of that Worker's inspector. Time spent in other isolates, such as D1's, counts as idle. Throws
 * what the work throws.
 */
export async function recordProfile(url: string, work: () => Promise<void>): Promise<CpuProfile> {
  using inspector = await Inspector.open(url);
  await inspector.ask('Profiler.enable');
  await inspector.ask('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await inspector.ask('Profiler.start');
  await work();
  const { profile } = (await inspector.ask<{ readonly profile?: CpuProfile }>('Profiler.stop')) ?? {};
  if (!profile) throw new Error('the profiler gave no profile');
  return profile;
}
