import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/**
 * `npm run check` holds format, lint and types. Its commands run beside each other, as they use one core each for most of
 * their time. Prints what those that failed printed, and fails when one did.
 */

const FOLDERS = 'src test scripts lab clients custodian dealer console';

const commands = [
  `oxlint --type-aware --deny-warnings ${FOLDERS}`,
  `oxfmt --check ${FOLDERS} vitest.config.ts`,
  'tsc --noEmit',
  'tsc --noEmit -p tsconfig.worker.json',
  'tsc --noEmit -p tsconfig.node.json',
  'tsc --noEmit -p console/tsconfig.json',
  'tsc --noEmit -p console/tsconfig.pages.json',
  'tsc --noEmit -p custodian/tsconfig.json',
  'tsc --noEmit -p dealer/tsconfig.json',
];

async function run(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, printed, failures] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (status === 0) return;
  console.error(`${command}\n${printed}${failures}`);
  process.exitCode = 1;
}

await Promise.all(commands.map(run));
