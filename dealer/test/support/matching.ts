import { expect } from 'vitest';

/** Text that fits a pattern. A bare pattern within `toMatchObject` would fit everything. */
export const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string;
