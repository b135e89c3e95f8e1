import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PICTURES = 'docs/pictures';

/** A file of the site that never changes under its path. */
export type StaticFile = readonly [path: string, content: Uint8Array];

export function nameStatic(name: string, content: Uint8Array): StaticFile {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return [`/docs/static/${name.replace('.', `.${digest}.`)}`, content];
}

export function readPictures(): Map<string, StaticFile> {
  const files = readdirSync(PICTURES).map((file) => join(PICTURES, file));
  return new Map(files.map((file) => [file, nameStatic(file.slice(PICTURES.length + 1), readFileSync(file))]));
}
