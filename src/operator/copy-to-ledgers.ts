import { type Refusal, refuse } from '../http/refusal.ts';
import { copySettingsToAll } from '../ledger/copy-settings.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';

const notCopied = refuse(
  'service_unavailable',
  'The change is made, and holds in every ledger within a minute. Send it again to have that confirmed.',
  { retryAfterSeconds: 1 },
);

/**
 * Copies a change of ledger 0, of the settings or the staff, to all other ledgers; `undefined` once each copy is confirmed.
 * Refuses with `service_unavailable` when one was not: its keeper makes it within a minute.
 */
export async function copyToLedgers(bindings: LedgerBindings, now_ms: number): Promise<Refusal | undefined> {
  try {
    await copySettingsToAll(bindings, now_ms);
    return undefined;
  } catch (error) {
    logFault('settings_not_copied', { error: describeError(error) });
    return notCopied;
  }
}
