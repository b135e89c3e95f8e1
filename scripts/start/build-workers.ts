import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWorker } from '../build-worker.ts';

/** The console's configuration, beside the exchange's. */
export const CONSOLE_CONFIG = 'console/wrangler.toml';

export interface Bundles {
  readonly exchange: string;
  readonly console: string;
}

/** Everything that the bundles and the pages are made of. */
const SOURCES = [
  'src',
  'console/src',
  'console/pages',
  'console/public',
  'clients/bureau-client/src',
  'docs',
  'scripts/site',
  'scripts/openapi',
];
const FILES = [
  'wrangler.toml',
  CONSOLE_CONFIG,
  'console/index.html',
  'console/desk.html',
  'console/vite.config.ts',
  'package-lock.json',
];

const PAGES = ['dist/site', 'console/dist'];

/**
 * Bundles the exchange, with its site, and the console, with its pages, into folders below `directory`, as they would be
 * deployed. Bundles of an earlier call are kept if nothing has changed since.
 */
export async function buildWorkers(directory: string): Promise<Bundles> {
  const bundles = { exchange: join(directory, 'exchange'), console: join(directory, 'console') };
  const note = join(directory, 'made-of');
  const sources = describeSources();
  const isKept = [...PAGES, note].every(existsSync) && readFileSync(note, 'utf8') === sources;
  if (isKept) return bundles;
  await Promise.all([buildWorker('', bundles.exchange), buildWorker('', bundles.console, { config: CONSOLE_CONFIG })]);
  writeFileSync(note, sources);
  return bundles;
}

function describeSources(): string {
  const found = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const digest = createHash('sha256');
  for (const file of [...found, ...FILES].toSorted()) {
    const { size, mtimeMs } = statSync(file);
    digest.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}
