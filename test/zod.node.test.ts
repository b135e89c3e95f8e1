import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as names from '../src/zod/names.ts';

const TYPES = new Set(['ZodArray', 'ZodObject', 'ZodRawShape', 'input', 'output', 'infer']);

it('the part of zod that is bundled has every name that the Worker uses, and no other', () => {
  const called = new Set<string>();
  for (const file of globSync('src/**/*.ts')) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/\bz\s*\.\s*(\w+)/g)) called.add(name);
  }
  expect([...called].filter((name) => !TYPES.has(name)).toSorted()).toEqual(Object.keys(names).toSorted());
});
