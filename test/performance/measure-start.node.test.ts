import { describe, expect, it } from 'vitest';
import { readStart } from '../../lab/profile/measure-start.ts';
import type { CpuProfile } from '../../lab/profile/record-profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 1, columnNumber: 2 });

/** The entry imports the bundle, whose function calls itself. The runtime works, waits, and collects garbage. */
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

describe('the profile of a start', () => {
  it('separates reading the bundle from running it, and leaves out work that the platform does not allow there', () => {
    expect(readStart(profile)).toEqual({ parse_ms: 8, globalScope_ms: 27 + 32 });
  });
});
