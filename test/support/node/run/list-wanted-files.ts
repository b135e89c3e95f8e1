import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseCLI } from 'vitest/node';

/**
 * The test files that a command line of vitest asks for, as paths from the project's root. All files when only the run
 * itself can tell (in watch mode, by a project's name, by what changed).
 */
export function listWantedFiles(commandLine: readonly string[]): string[] {
  const all = globSync('{test,{custodian,dealer}/test/pure}/**/*.test.ts');
  const { filter, options } = parseCLI(['vitest', ...commandLine], { allowUnknownOptions: true });
  if (options.run !== true || options.project !== undefined) return all;
  const parts = filter.map(readFilter);
  const wanted = all.filter((file) => parts.some((part) => resolve(file).includes(part)));
  return wanted.length > 0 ? wanted : all;
}

/** A filter is a part of a path, or a path from the present folder, and may name a line after a colon. */
function readFilter(filter: string): string {
  const path = filter.replace(/(:\d+)+$/, '');
  return /^\.{1,2}\//.test(path) ? resolve(path) : path;
}
