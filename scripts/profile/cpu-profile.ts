/** Where a function begins in the text that V8 was given; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  /** Empty for what the runtime itself does. */
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** What V8's CPU profiler says: the type Profile of the DevTools protocol. Times are microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** Whose turn it was at each sample, by the node's id. */
  readonly samples: readonly number[];
  /** How long before each sample the one before it was taken. */
  readonly timeDeltas: readonly number[];
}

/** A function over the whole profile: what it took by itself, and with all that it called. */
export interface FunctionTime {
  readonly frame: CallFrame;
  readonly self_us: number;
  readonly inclusive_us: number;
}

/** What V8 calls the time that an isolate's garbage took. */
export const GARBAGE = '(garbage collector)';

/** The time of every sample, with the frames that were open then, innermost first. */
export function* readSamples({ nodes, samples, timeDeltas }: CpuProfile): Generator<{
  readonly stack: readonly CallFrame[];
  readonly time_us: number;
}> {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stacks = new Map<number, readonly CallFrame[]>();
  for (const [index, sampled] of samples.entries()) {
    let stack = stacks.get(sampled);
    if (!stack) {
      const open: CallFrame[] = [];
      for (let id: number | undefined = sampled; id !== undefined; id = parents.get(id)) {
        const node = nodesById.get(id);
        if (node) open.push(node.callFrame);
      }
      stack = open;
      stacks.set(sampled, stack);
    }
    yield { stack, time_us: timeDeltas[index] ?? 0 };
  }
}

/** The time of all samples whose stack is one of those that are meant. */
export function sumTime(profile: CpuProfile, isMeant: (stack: readonly CallFrame[]) => boolean): number {
  let sum_us = 0;
  for (const { stack, time_us } of readSamples(profile)) if (isMeant(stack)) sum_us += time_us;
  return sum_us;
}

/** Every function that was seen. One that calls itself is counted once for a sample. */
export function timeFunctions(profile: CpuProfile): FunctionTime[] {
  const functions = new Map<string, { frame: CallFrame; self_us: number; inclusive_us: number }>();
  for (const { stack, time_us } of readSamples(profile)) {
    const counted = new Set<string>();
    for (const [depth, frame] of stack.entries()) {
      const key = [frame.url, frame.lineNumber, frame.columnNumber, frame.functionName].join(' ');
      const time = functions.get(key) ?? { frame, self_us: 0, inclusive_us: 0 };
      functions.set(key, time);
      if (depth === 0) time.self_us += time_us;
      if (!counted.has(key)) time.inclusive_us += time_us;
      counted.add(key);
    }
  }
  return [...functions.values()];
}
