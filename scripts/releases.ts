import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Runs git at the top of the project, and returns what it prints. Throws when it fails. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** The tag of the newest release, such as `v1.2.0`; `undefined` while there is none. */
export function newestRelease(): string | undefined {
  return git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || undefined;
}

/** Calls `act` with the files of a commit in a folder of their own, with this one's packages, and then removes it. */
export async function inCommit(commit: string, act: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bureau-commit-'));
  git('worktree', 'add', '--quiet', '--detach', '--force', folder, commit);
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    await act(folder);
  } finally {
    git('worktree', 'remove', '--force', folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
