import type { Bindings, LedgerBindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { isSilent } from '../db/custody-standing.ts';
import { listLedgers, openLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { type Halts, mergeHalts, readSettings } from '../db/settings.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type KeeperBindings, reachKeeper } from '../reconciliation/reach-keeper.ts';
import { type PayoutHealth, judgeStatus } from './judge-status.ts';
import type { Status } from './schemas.ts';

/** The status of the exchange now, with these prices; a payout is late after so long. Never rejects. */
export async function readStatus(
  bindings: Bindings,
  snapshot: Promise<MarketSnapshot | undefined>,
  lateAfter_ms: number,
): Promise<Status> {
  const [settings, prices, payouts] = await Promise.all([
    findHalts(bindings),
    snapshot,
    findPayoutHealth(bindings, lateAfter_ms),
  ]);
  return judgeStatus(settings, prices, payouts, Date.now());
}

/** What the keeper knows about the custodian, or `undefined` when it does not answer. */
async function findPayoutHealth(bindings: KeeperBindings, lateAfter_ms: number): Promise<PayoutHealth | undefined> {
  return tryOrLog('keeper_unreachable', {}, undefined, async () => {
    const standing = await reachKeeper(bindings, FIRST_LEDGER).readCustody();
    return { isSilent: isSilent(standing, Date.now()), oldestPayoutAt: standing.oldestPayoutAt, lateAfter_ms };
  });
}

/** What is halted in any ledger, or `undefined` when one cannot be read: that is an answer here, not a failure. */
async function findHalts(bindings: LedgerBindings): Promise<Halts | undefined> {
  return tryOrLog('settings_unreadable', {}, undefined, async () => {
    const ledgers = listLedgers(bindings).map((ledger) => openLedger(bindings, ledger));
    return mergeHalts(await Promise.all(ledgers.map(readSettings)));
  });
}
