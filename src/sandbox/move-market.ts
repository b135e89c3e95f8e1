import { type Outcome, accept, refuse } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { firstLedger } from '../db/database.ts';
import { FILL_MAX_AGE_MS } from '../markets/firm-price.ts';
import { type HubBindings, reachHub, readSnapshot } from '../markets/read-hub.ts';
import { coinSymbols } from '../money/assets.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { type MarketState, type MoveMarket, type MovedMarket, showMarket } from './market.ts';

/** How often it is looked whether a change is in force, and for how long. */
const LOOK_INTERVAL_MS = 250;
const LONGEST_LOOK_MS = 5_000;

/** What the sandbox's hub of prices does beyond production's. */
export interface MarketKeeper {
  /** Moves the market from the next round of prices on. */
  moveMarket(change: MoveMarket): Promise<MarketState>;
  readMarket(): Promise<MarketState>;
}

type MarketBindings = LedgerBindings & HubBindings;

/** The hub, which keeps the market. A stub fails after its object was reset, so every call takes a new one. */
export function reachMarket(bindings: MarketBindings): MarketKeeper {
  return reachHub(bindings) as unknown as MarketKeeper;
}

/**
 * Moves the market for everybody, with a row in the audit, and waits until no order can fill at a price from before:
 * some two seconds, at most five. Refuses with `service_unavailable` when the audit or the hub did not confirm it: it is
 * safe to repeat the call.
 */
export async function changeMarket(
  bindings: MarketBindings,
  change: MoveMarket,
  actor: Actor,
): Promise<Outcome<MovedMarket>> {
  const ledger = firstLedger(bindings);
  const audited = await commit(ledger, [insertAudit(ledger, actor, 'move_market', 'sandbox', change)]);
  if (audited.kind !== 'committed') return notMoved;
  return tryOrLog('sandbox_market_not_moved', {}, notMoved, async () => {
    const market = await reachMarket(bindings).moveMarket(change);
    await waitUntilInForce(bindings, market, Date.now());
    return accept(showMarket(market));
  });
}

const notMoved = refuse('service_unavailable', 'The market may not have moved. Send the same again.', {
  retryAfterSeconds: 1,
});

/**
 * Waits until every agreed price is of a round after the change, or none is where the sources shall not agree. Where the
 * sources are real venues that do not answer, it gives up.
 */
async function waitUntilInForce(bindings: MarketBindings, market: MarketState, moved_ms: number): Promise<void> {
  for (let waited_ms = 0; waited_ms < LONGEST_LOOK_MS; waited_ms = Date.now() - moved_ms) {
    await scheduler.wait(LOOK_INTERVAL_MS);
    const snapshot = await readSnapshot(bindings, 0);
    const isAgreed = coinSymbols.every((coin) => (snapshot?.markets[coin].agreed?.received_ms ?? 0) >= moved_ms);
    if (waited_ms > FILL_MAX_AGE_MS && isAgreed === (market.sources === 'up')) return;
  }
}
