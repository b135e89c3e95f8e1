import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a program of the project with Node, and returns how it ended and what it wrote. */
export async function runProgram(words: readonly string[], options: SpawnOptions & { input?: string } = {}) {
  const child = spawn(process.execPath, words, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(options.input);
  const [[code], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, output, errors };
}
