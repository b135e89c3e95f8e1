import type { Outcome } from '../http/answer.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import type { Actor } from '../db/audit.ts';
import { listBrokenLedgers } from '../db/copy-settings.ts';
import { listLedgers } from '../db/database.ts';
import type { OpeningWeights } from '../db/opening-weights.ts';
import { copyToLedgers } from './copy-to-ledgers.ts';
import {
  type ChangeSettings,
  type ExchangeSettings,
  type SettingDefaults,
  changeSettings,
  violationStands,
} from './settings.ts';
import { refuseLedger } from './find-records.ts';

/**
 * Changes the settings of the exchange: in ledger 0, and then in the copies of all others. No halt is lifted while any
 * ledger has a violation that is not cleared. Refuses as `changeSettings` does, with `invalid_request` a weight of a
 * ledger that does not exist, and with `service_unavailable` when a copy was not confirmed; the keepers then make it
 * within a minute. Throws when D1 cannot be read.
 */
export async function changeExchangeSettings(
  bindings: LedgerBindings,
  change: ChangeSettings,
  defaults: SettingDefaults,
  actor: Actor,
): Promise<Outcome<ExchangeSettings>> {
  const unknown = findUnknownLedger(bindings, change.openingWeights);
  if (unknown !== undefined) return refuseLedger(`/openingWeights/${unknown}`);
  const isLift = change.tradingHalted === false || change.withdrawalsHalted === false;
  if (isLift && (await listBrokenLedgers(bindings)).length > 0) return violationStands;
  const changed = await changeSettings(bindings, change, defaults, actor);
  if (!changed.ok) return changed;
  return (await copyToLedgers(bindings, actor.now_ms)) ?? changed;
}

/** The first number of the weights that is the one of no ledger. */
function findUnknownLedger(bindings: LedgerBindings, weights: OpeningWeights = {}): string | undefined {
  const ledgers = listLedgers(bindings).map(String);
  return Object.keys(weights).find((ledger) => !ledgers.includes(ledger));
}
