import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which the node is unpacked. `npm ci` clears it. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'litecoind');

/** Libraries that every system has. Those of another release would not fit. */
const BASE = /^(libc6|libcrypt1|libgcc-s1|libstdc\+\+6|gcc-.*|libssl.*|debconf.*|cdebconf|dpkg|tar|adduser|passwd)$/;

/** Options for the package and its dependencies, without recommended packages. */
const CLOSURE =
  'depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances litecoind'.split(
    ' ',
  );

const MISSING = `There is no litecoind. On Debian, "apt-get update" lets this script fetch the package and unpack it,
without root. Elsewhere, put a litecoind (0.21) on the PATH.`;

/** How to start a litecoind. */
export interface Litecoind {
  readonly command: string;
  readonly libraries: string;
}

/**
 * Finds a litecoind: the one on the PATH, or Debian's package, which is fetched with its libraries from the machine's
 * package sources and unpacked into the project. Throws an error that says what to do when neither is possible.
 */
export function fetchLitecoind(): Litecoind {
  const onPath = tryRun('sh', ['-c', 'command -v litecoind']);
  if (onPath) return { command: onPath.trim(), libraries: '' };
  if (!existsSync(FOLDER)) unpack();
  const libraries = ['lib', 'usr/lib'].flatMap((root) => listFolders(join(FOLDER, root))).join(':');
  // The file in usr/bin is a script that works only for an installation by root.
  return { command: join(FOLDER, 'usr', 'lib', 'litecoin', 'litecoind'), libraries };
}

function unpack(): void {
  const closure = tryRun('apt-cache', CLOSURE);
  const names = (closure ?? '').split('\n').filter((line) => /^[a-z0-9]/.test(line));
  const wanted = [...new Set(names.map((name) => name.replace(/:.*/, '')))].filter((name) => !BASE.test(name));
  if (!wanted.includes('litecoind')) throw new Error(MISSING);
  const fresh = `${FOLDER}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    execFileSync('apt-get', ['download', ...wanted], { cwd: fresh, stdio: 'pipe' });
    for (const file of readdirSync(fresh).filter((name) => name.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', file, '.'], { cwd: fresh, stdio: 'pipe' });
      rmSync(join(fresh, file));
    }
    renameSync(fresh, FOLDER);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(`${MISSING}\n${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

function tryRun(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** A folder of libraries, and those of the architectures below it. */
function listFolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.name.endsWith('-linux-gnu'));
  return [folder, ...inner.map(({ name }) => join(folder, name))];
}
