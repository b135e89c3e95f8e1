import { setTimeout as sleep } from 'node:timers/promises';
import type { Operator } from '../../test/support/node/exchange/operator.ts';
import type { ServedExchange } from '../../test/support/node/exchange/served-exchange.ts';

/** The part of the operator's view of the reconciliation that is read here. */
export interface Reconciliation {
  readonly status: string;
  readonly invariants: readonly { readonly name: string; readonly status: string }[];
  readonly lastPass: { readonly pass: number; readonly startedAt: string; readonly completedAt: string } | null;
  readonly progress: {
    readonly startedAt: string | null;
    readonly transfersRead: string;
    readonly walks: Readonly<Record<string, string>>;
  };
}

/** The pace of the schedule. */
const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;

/** How often progress is printed, and how long a wait may take. */
const TELL_MS = 30_000;
const MOST_MS = 5_400_000;

export async function readReconciliation(operator: Operator): Promise<Reconciliation> {
  return (await operator.operate<{ reconciliation: Reconciliation }>('GET', '/reconciliation')).reconciliation;
}

/** Wakes the keeper every minute, as the schedule does, until the operator sees the expected state. */
export async function driveKeeper(
  { probe }: ServedExchange,
  operator: Operator,
  isDone: (shown: Reconciliation) => boolean,
): Promise<Reconciliation> {
  const begun_ms = Date.now();
  let [woken_ms, told_ms] = [0, begun_ms];
  while (Date.now() - begun_ms < MOST_MS) {
    if (Date.now() - woken_ms >= MINUTE_MS) {
      await probe.schedule();
      woken_ms = Date.now();
    }
    await sleep(LOOK_MS);
    const shown = await readReconciliation(operator);
    if (isDone(shown)) return shown;
    if (Date.now() - told_ms < TELL_MS) continue;
    say(`transfers read: ${shown.progress.transfersRead}, pass: ${JSON.stringify(shown.progress.walks)}`);
    told_ms = Date.now();
  }
  throw new Error(`the keeper was not done after ${MOST_MS / 60_000} minutes`);
}

export function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}
