import { createApp } from '../app.ts';
import { config } from '../env.ts';
import { listDuties, listOperations } from '../features.ts';
import { type AdmitCall, KeyLane as Lane, type KeyedCall } from '../lane/key-lane.ts';
import { LedgerKeeper as Keeper } from '../keeper/ledger-keeper.ts';
import type { BucketLimits, BucketName } from '../keys/rights.ts';
import type { KeyRecord } from '../keys/record.ts';
import { CandleHub as Candles } from '../markets/candles/candle-hub.ts';
import { PriceHub as Prices } from '../markets/price-hub.ts';
import { replaceLedgers } from '../db/database.ts';
import { reachKeeper } from '../reconciliation/reach-keeper.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';
import {
  chooseCandleSources,
  chooseCustody,
  chooseCustodySettings,
  chooseDealer,
  chooseHubSettings,
  chooseLaneSettings,
  choosePriceSources,
} from '../providers.ts';
import type { Deal, VenueReport } from '../dealing/contract.ts';
import type { DealState } from '../dealing/dealer.ts';
import { LedgerHedger as Hedger } from '../dealing/ledger-hedger.ts';
import { FILL_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import type { Coin } from '../money/assets.ts';
import type { MarketState, MoveMarket } from './market.ts';
import { MarketMemory } from './market-memory.ts';
import { type MarketKeeper, reachMarket } from './move-market.ts';
import { openWhenEmpty } from './open-when-empty.ts';
import { sandboxRoutes } from './operator-routes.ts';
import { playCustody, type PayoutMemory, type PlayedPayout } from './play-custody.ts';
import { playDatabase } from './play-database.ts';
import { type VenueKeeper, playDealer } from './play-dealer.ts';
import { PlayedVenue } from './played-venue.ts';
import { playCandleSources, playPriceSources } from './play-market.ts';
import { playGate } from './play-gate.ts';
import { type Scenario, type Staged, currentScene, play } from './scenario.ts';
import { stageRequest } from './stage-request.ts';
import { recordKinds } from '../record-kinds.ts';
import { runScheduled } from '../scheduled.ts';

/**
 * The Worker of the sandbox: production's, in which a request may name a scenario that goes wrong, and the operator moves
 * the market. Each of its objects is production's with other connections: what answers is the code of production.
 */

const app = createApp([sandboxRoutes]);

export { HolderEntrypoint } from '../holder/holder-entrypoint.ts';

/** How many Idempotency-Keys a lane remembers to have played a scenario with. */
const MOST_PLAYED = 1_000;

/** The keeper of a withdrawal's ledger has the payouts of scenarios, since lanes and the sweep ask for them. */
function memoryOf(bindings: Bindings): PayoutMemory {
  const keeperOf = (id: string) => reachKeeper(bindings, ledgerNumberOf(id)) as unknown as PayoutMemory;
  return {
    notePayout: (id, payout) => keeperOf(id).notePayout(id, payout),
    readPayout: (id) => keeperOf(id).readPayout(id),
  };
}

export class KeyLane extends Lane {
  readonly #played = new Set<string>();

  constructor(state: DurableObjectState, bindings: Bindings) {
    const played = {
      ...replaceLedgers(bindings, playDatabase),
      LEDGER_GATE: playGate(bindings.LEDGER_GATE),
    };
    const custody = playCustody(chooseCustody(config), memoryOf(bindings));
    super(state, played, listOperations(played, { ...chooseLaneSettings(config), custody }));
  }

  override admit(call: AdmitCall & Staged) {
    return play(call.scenario, () => super.admit(call));
  }

  override execute(call: KeyedCall & Staged) {
    return play(this.#take(call), () => super.execute(call));
  }

  protected override limitsFor(record: KeyRecord, bucket: BucketName): BucketLimits {
    const limits = super.limitsFor(record, bucket);
    return currentScene()?.scenario === 'rate_limited' ? { ...limits, perMinute: 0 } : limits;
  }

  /**
   * A scenario is played once for each Idempotency-Key: the same request again, scenario and all, is answered as after a
   * real failure. So a client's own retries come to an end.
   */
  #take({ request, scenario }: KeyedCall & Staged): Scenario | undefined {
    if (scenario === undefined || !request) return scenario;
    if (this.#played.has(request.idempotencyKey)) return undefined;
    if (this.#played.size >= MOST_PLAYED) this.#played.clear();
    this.#played.add(request.idempotencyKey);
    return scenario;
  }
}

export class PriceHub extends Prices implements MarketKeeper, VenueKeeper {
  readonly #market: MarketMemory;
  readonly #venue: PlayedVenue;

  constructor(state: DurableObjectState, bindings: Bindings) {
    const market = new MarketMemory(state.storage);
    const sources = playPriceSources(choosePriceSources(config), () => market.read());
    super(state, bindings, sources, chooseHubSettings(config, sources));
    this.#market = market;
    this.#venue = new PlayedVenue(state.storage);
  }

  async moveMarket(change: MoveMarket): Promise<MarketState> {
    return this.#market.move(change);
  }

  async readMarket(): Promise<MarketState> {
    return this.#market.read();
  }

  async dealAtVenue(deal: Deal): Promise<DealState> {
    const snapshot = await this.snapshot({ maxAge_ms: FILL_MAX_AGE_MS });
    return this.#venue.deal(deal, firmPrice(snapshot, deal.coin as Coin, Date.now())?.price, Date.now());
  }

  async reportVenue(): Promise<VenueReport> {
    return this.#venue.report(Date.now());
  }
}

/** Where no dealer is set, the sandbox's own venue is dealt with. */
export class LedgerHedger extends Hedger {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseDealer(config) ?? playDealer(bindings));
  }
}

export class CandleHub extends Candles {
  constructor(state: DurableObjectState, bindings: Bindings) {
    const readMarket = () => reachMarket(bindings).readMarket();
    super(state, bindings, playCandleSources(chooseCandleSources(config), readMarket));
  }
}

export class LedgerKeeper extends Keeper implements PayoutMemory {
  constructor(state: DurableObjectState, bindings: Bindings) {
    const settings = chooseCustodySettings(config);
    const custody = playCustody(settings.custody, {
      notePayout: (id, payout) => this.notePayout(id, payout),
      readPayout: (id) => this.readPayout(id),
    });
    super(state, bindings, listDuties({ ...settings, custody }), recordKinds);
  }

  async notePayout(withdrawalId: string, payout: PlayedPayout): Promise<void> {
    await this.ctx.storage.put(`payout ${withdrawalId}`, payout);
  }

  readPayout(withdrawalId: string): Promise<PlayedPayout | undefined> {
    return this.ctx.storage.get<PlayedPayout>(`payout ${withdrawalId}`);
  }
}

export { AccountStream, LedgerGate, MarketStream, WebhookSender } from '../index.ts';

export default {
  async fetch(request, bindings, context) {
    await openWhenEmpty(bindings);
    const staged = stageRequest(request, bindings);
    return staged instanceof Response ? staged : app.fetch(request, staged, context);
  },
  scheduled: (_controller, bindings) => runScheduled(bindings, true),
} satisfies ExportedHandler<Bindings>;
