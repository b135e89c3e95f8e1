import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder that is removed after the tests of the file, or of the `describe` around the call. Returns its path. */
export function openFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `bureau-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
