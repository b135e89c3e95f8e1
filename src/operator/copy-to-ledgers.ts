import { type Refusal, refuse } from '../http/answer.ts';
import { copySettingsToAll } from '../db/copy-settings.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';

const notCopied = refuse(
  'service_unavailable',
  'The change is made, and holds in every ledger within a minute. Send it again to have that confirmed.',
  { retryAfterSeconds: 1 },
);

/**
 * Copies a change of ledger 0, of the settings, the shares or the staff, to all other ledgers; `undefined` once each
 * copy is confirmed and each ledger may use its share. Refuses with `service_unavailable` when one was not: its keeper
 * makes it within a minute.
 */
export async function copyToLedgers(bindings: LedgerBindings, now_ms: number): Promise<Refusal | undefined> {
  try {
    return (await copySettingsToAll(bindings, now_ms)) ? undefined : notCopied;
  } catch (error) {
    logFault('settings_not_copied', { error: describeError(error) });
    return notCopied;
  }
}
