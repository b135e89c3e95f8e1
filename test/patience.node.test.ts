import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What lets the speed of a machine decide a test. */
const impatience: Readonly<Record<string, RegExp>> = {
  'waits for a condition for as long as it chose itself': /\bvi\.wait(For|Until)\(/,
  'measures time': /\bperformance\.now\(/,
  'expects that something took less than a time': /expect\((Date|performance)\.now\(\) - \w+\)\.toBeLessThan/,
  'has less time than any other test': /^\s*\}, (\d|[1-9]\d|1[01]\d)_\d{3}\);$/m,
};

const exempt = new Set(['test/support/wait-for.ts', 'test/patience.node.test.ts']);

const files = globSync('{test,clients/*/test,{custodian,dealer}/test/pure}/**/*.ts').filter(
  (file) => !exempt.has(file),
);

it.each(Object.entries(impatience))('no test %s: the suite passes on a machine four times as slow', (_, pattern) => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => pattern.test(readFileSync(file, 'utf8')))).toEqual([]);
});
