import { vi } from 'vitest';

/** Nobody waits so long for what comes; a test that fails may. */
const PATIENCE_MS = 60_000;

/** Waits until `check` no longer throws, however slow the machine is. Returns what it returned. */
export function waitFor<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
}
