import { keepSettings } from '../../../src/db/copy-settings.ts';
import { FIRST_LEDGER } from '../../../src/db/record-id.ts';
import type { LedgerBindings } from '../../../src/platform/bindings.ts';

export function shareLimits(bindings: LedgerBindings, now_ms: number): Promise<void> {
  return keepSettings(bindings, FIRST_LEDGER, now_ms);
}
