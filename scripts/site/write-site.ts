import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type SiteFile, composeSite } from './compose-site.ts';
import { SITE_FOLDER } from './site-folder.ts';

/**
 * Writes only files that have changed, so that two builds at once do not disturb each other and no watcher reacts
 * without need.
 */
function write(path: string, content: SiteFile): void {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** Writes the whole site into its folder, and removes files that are no part of it. */
export function writeSite(): void {
  const site = composeSite();
  const files = new Map([...site].map(([path, content]) => [join(SITE_FOLDER, path), content]));
  for (const [path, content] of files) write(path, content);
  for (const entry of readdirSync(SITE_FOLDER, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path)) rmSync(path);
  }
}
