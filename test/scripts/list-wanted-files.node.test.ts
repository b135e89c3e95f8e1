import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listWantedFiles } from '../support/node/run/list-wanted-files.ts';
import { beginning, longest } from '../support/node/run/longest-first.ts';

const all = globSync('{test,{custodian,dealer}/test/pure}/**/*.test.ts');
const below = (folder: string) => all.filter((file) => file.startsWith(folder));

it.each([...beginning, ...longest])('%s, which runs before other files, exists', (file) => {
  expect(all).toContain(file);
});

describe('the test files of a run', () => {
  it.each([
    ['a file', ['run', 'test/zod.node.test.ts']],
    ['a file and a line of it', ['run', 'test/zod.node.test.ts:7']],
    ['a file by its path from here', ['run', './test/zod.node.test.ts']],
    ['a file by its whole path', ['run', resolve('test/zod.node.test.ts')]],
    ['a part of its name, between options', ['run', '--bail=1', 'zod.node', '-t', 'money']],
  ])('are those that the filter names: %s', (_, words) => {
    expect(listWantedFiles(words)).toEqual(['test/zod.node.test.ts']);
  });

  it('are those of every filter, and of a whole folder', () => {
    const wanted = listWantedFiles(['run', 'test/money', 'test/http/']);
    expect(wanted.toSorted()).toEqual([...below('test/money'), ...below('test/http/')].toSorted());
    expect(wanted.length).toBeGreaterThan(8);
  });

  it.each([
    ['no filter', ['run']],
    ['the name of a test', ['run', '-t', 'test/money']],
    ['watch mode, where the filter may change', ['test/money']],
    ['a project, which must be there to be chosen', ['run', '--project', 'sandbox', 'test/money']],
    ['a filter that names none, which vitest then says', ['run', 'test/nothing']],
  ])('are all when only the run itself can tell: %s', (_, words) => {
    expect(listWantedFiles(words)).toEqual(all);
  });
});
