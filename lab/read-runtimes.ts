import { readFileSync, readdirSync } from 'node:fs';

/** The kernel counts CPU in hundredths of a second, and memory in pages, of 4 KiB on most machines. */
const [TICK_MS, PAGE_BYTES] = [10, 4_096];

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly cpu_ms: number;
  readonly memory_bytes: number;
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may hold any character, so the last one ends it (proc(5), "stat").
    const [opens, closes] = [stat.indexOf('('), stat.lastIndexOf(')')];
    const field = stat
      .slice(closes + 2)
      .split(' ')
      .map(Number);
    const at = (place: number) => field[place] ?? 0;
    const name = stat.slice(opens + 1, closes);
    return { pid, name, parent: at(1), cpu_ms: (at(11) + at(12)) * TICK_MS, memory_bytes: at(21) * PAGE_BYTES };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** All processes of workerd below this one. */
function listRuntimes(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
  const own = new Set([process.pid]);
  // A process may be listed before its parent.
  for (let size = 0; size < own.size;) {
    size = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  return processes.filter(({ pid, name }) => own.has(pid) && name.startsWith('workerd'));
}

/** The resident memory of the runtimes that this process started, in bytes. */
export function readMemory(): number {
  return listRuntimes().reduce((sum, { memory_bytes }) => sum + memory_bytes, 0);
}

/** The CPU time so far of the runtimes that this process started, in milliseconds. */
export function readCpu_ms(): number {
  return listRuntimes().reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
}
