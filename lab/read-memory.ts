import { readFileSync, readdirSync } from 'node:fs';

/** The resident memory of all processes of workerd below this one, in bytes. */
export function readMemory(): number {
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      const status = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
      const read = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
      return status === ''
        ? []
        : [{ pid: Number(pid), parent: Number(read('PPid')), name: read('Name'), kilobytes: Number(read('VmRSS')) }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
  const own = new Set([process.pid]);
  // A process may be listed before its parent.
  for (let size = 0; size < own.size;) {
    size = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  const runtimes = processes.filter(({ pid, name }) => own.has(pid) && name.startsWith('workerd'));
  return runtimes.reduce((sum, { kilobytes }) => sum + kilobytes * 1_024, 0);
}
