import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** More than the databases and objects of a run of the tests need. */
const ENOUGH_BYTES = 2 ** 31;

/**
 * Has temporary files of this process and those that it starts kept in memory, where the system has as much room there.
 * Tests write tens of thousands of transactions, and each would wait for the disk. Nothing is stored for longer than a
 * run; tests that kill an exchange kill its processes, and not the machine.
 */
export function storeInMemory(enough: number = ENOUGH_BYTES): void {
  if (process.env['TMPDIR'] !== undefined) return;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < enough) return;
    const folder = mkdtempSync(join(MEMORY, 'bureau-tests-'));
    process.env['TMPDIR'] = folder;
    // What tests leave behind would stay in memory.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  } catch {
    // Another system: its usual folder for temporary files.
  }
}
