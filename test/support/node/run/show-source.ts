import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { ParsedStack } from 'vitest';
import { CACHE } from './bundle-source.ts';

const maps = new Map<string, SourceMap>();

/**
 * Shows a frame of the bundle of `src` at its file and line of `src`. The runtime names modules without the first slash,
 * so vitest takes their paths for others and does not find their source maps.
 */
export function showSource(_error: unknown, frame: ParsedStack): void {
  const name = frame.file.split('/.cache/test-source/')[1];
  if (name === undefined) return;
  const path = join(CACHE, name);
  const origin = readMap(path).findOrigin(frame.line, frame.column);
  if (!('fileName' in origin)) return;
  frame.file = resolve(dirname(path), origin.fileName);
  frame.line = origin.lineNumber;
  frame.column = origin.columnNumber;
}

function readMap(path: string): SourceMap {
  const map = maps.get(path) ?? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  maps.set(path, map);
  return map;
}
