import { setTimeout as sleep } from 'node:timers/promises';
import type { Operator } from '../../test/support/node/exchange/operator.ts';
import type { ServedExchange } from '../../test/support/node/exchange/served-exchange.ts';

/** What the operator is shown of the reconciliation, as far as it is looked at here. */
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

/** The schedule's own pace. */
const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;

/** How often it is told where the keeper stands, and how long it may take. */
const TELL_MS = 30_000;
const MOST_MS = 5_400_000;

/** What the operator is shown. */
export async function readReconciliation(operator: Operator): Promise<Reconciliation> {
  return (await operator.operate<{ reconciliation: Reconciliation }>('GET', '/reconciliation')).reconciliation;
}

/** Wakes the keeper as the schedule does, every minute, until the operator is shown what is waited for. */
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

/** Tells how a long measurement goes on, beside its figures. */
export function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}
