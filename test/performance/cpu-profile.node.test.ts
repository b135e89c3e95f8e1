import { describe, expect, it } from 'vitest';
import { type CpuProfile, timeFunctions } from '../../scripts/profile/cpu-profile.ts';
import { readStart } from '../../scripts/profile/measure-start.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 1, columnNumber: 2 });

/** The entry imports the bundle, whose function calls itself; the runtime works, waits, and collects garbage. */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 5] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('(program)') },
    { id: 5, callFrame: frame('fetch', 'file:///bundle/entry.js'), children: [6] },
    { id: 6, callFrame: frame('', 'file:///bundle/index.js'), children: [7, 9, 10] },
    { id: 7, callFrame: frame('descend', 'file:///bundle/index.js'), children: [8] },
    { id: 8, callFrame: frame('descend', 'file:///bundle/index.js') },
    { id: 9, callFrame: frame('exec') },
    { id: 10, callFrame: frame('getRandomValues') },
  ],
  samples: [2, 5, 6, 7, 8, 9, 3, 4, 8, 10],
  timeDeltas: [50_000, 8_000, 1_000, 2_000, 4_000, 16_000, 32_000, 500, 4_000, 64_000],
};

describe('a CPU profile', () => {
  it('gives each function its own time, and once for each sample the time of what it calls', () => {
    const times = timeFunctions(profile).map(({ frame: { functionName, url }, self_us, inclusive_us }) => [
      functionName,
      url.split('/').at(-1),
      self_us,
      inclusive_us,
    ]);
    expect(new Set(times)).toEqual(
      new Set([
        ['(root)', '', 0, 181_500],
        ['(idle)', '', 50_000, 50_000],
        ['(garbage collector)', '', 32_000, 32_000],
        ['(program)', '', 500, 500],
        ['fetch', 'entry.js', 8_000, 99_000],
        ['', 'index.js', 1_000, 91_000],
        ['descend', 'index.js', 10_000, 10_000],
        ['exec', '', 16_000, 16_000],
        ['getRandomValues', '', 64_000, 64_000],
      ]),
    );
  });

  it('of a start tells reading the bundle from running it, and leaves out what the platform does not do there', () => {
    expect(readStart(profile)).toEqual({ parse_ms: 8, globalScope_ms: 27 + 32 });
  });
});
