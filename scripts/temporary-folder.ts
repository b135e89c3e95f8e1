import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that is removed, with all that is in it, at the end of the scope that uses it. */
export function makeTemporaryFolder(name: string): Disposable & { readonly path: string } {
  return mkdtempDisposableSync(join(tmpdir(), `bureau-${name}-`));
}
