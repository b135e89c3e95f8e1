import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expectThat } from '../local-exchange.ts';

const FOLDER = 'console/dist';

/** The most that each entry page may load of scripts, gzipped. */
const MOST_BYTES = { 'index.html': 75_000, 'desk.html': 90_000 };

/** The scripts of a page: those that it names, and those that they import. */
function findScripts(file: string, text: string, found = new Map<string, Buffer>()): Map<string, Buffer> {
  for (const [, name = ''] of text.matchAll(/["'`](?:\.\/|\/assets\/)([\w.-]+\.js)["'`]/g)) {
    if (found.has(name)) continue;
    const script = readFileSync(join(FOLDER, 'assets', name));
    found.set(name, script);
    findScripts(name, script.toString(), found);
  }
  if (found.size === 0) throw new Error(`${file} loads no script`);
  return found;
}

/** Throws when an entry page of the built console loads more script than it may. */
export function checkSizes(): void {
  for (const [file, most] of Object.entries(MOST_BYTES)) {
    const scripts = [...findScripts(file, readFileSync(join(FOLDER, file), 'utf8')).values()];
    const size = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
    expectThat(size <= most, `${file} loads ${size} bytes of script, gzipped, of ${most} at most`);
  }
}
