import { app } from './app.ts';
import { config } from './env.ts';
import { listDuties, listOperations } from './features.ts';
import { WebhookSender as Sender } from './events/webhooks/webhook-sender.ts';
import { KeyLane as Lane } from './lane/key-lane.ts';
import { LedgerGate as Gate } from './orders/gate.ts';
import { LedgerHedger as Hedger } from './dealing/ledger-hedger.ts';
import { createTeller } from './dealing/reach-hedger.ts';
import { LedgerKeeper as Keeper } from './keeper/ledger-keeper.ts';
import { CandleHub as Candles } from './markets/candles/candle-hub.ts';
import { PriceHub as Prices } from './markets/price-hub.ts';
import type { Bindings } from './platform/bindings.ts';
import {
  chooseCandleSources,
  chooseCustodySettings,
  chooseDealer,
  chooseHubSettings,
  chooseLaneSettings,
  choosePriceSources,
  chooseSenderSettings,
  chooseStreamSettings,
  chooseTradingContext,
} from './providers.ts';
import { recordKinds } from './record-kinds.ts';
import { runScheduled } from './scheduled.ts';
import { AccountStream as OwnStream } from './streams/account-stream.ts';
import { MarketStream as PublicStream } from './streams/market-stream.ts';

/** The classes of the objects for the platform, each with the part of the configuration that it needs. */
export class KeyLane extends Lane {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, listOperations(bindings, chooseLaneSettings(config)));
  }
}

export class LedgerGate extends Gate {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseTradingContext(config), createTeller(bindings));
  }
}

export class LedgerHedger extends Hedger {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseDealer(config));
  }
}

export class CandleHub extends Candles {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseCandleSources(config));
  }
}

export class PriceHub extends Prices {
  constructor(state: DurableObjectState, bindings: Bindings) {
    const sources = choosePriceSources(config);
    super(state, bindings, sources, chooseHubSettings(config, sources));
  }
}

export class LedgerKeeper extends Keeper {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, listDuties(chooseCustodySettings(config)), recordKinds);
  }
}

export class WebhookSender extends Sender {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseSenderSettings(config));
  }
}

export class AccountStream extends OwnStream {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseStreamSettings(config));
  }
}

export class MarketStream extends PublicStream {
  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings, chooseStreamSettings(config));
  }
}

/** What the console's Worker reaches by a service binding; see `holder/`. */
export { HolderEntrypoint } from './holder/holder-entrypoint.ts';

export default {
  fetch: app.fetch,
  scheduled: (_controller, env) => runScheduled(env, config.DEALER_URL !== ''),
} satisfies ExportedHandler<Bindings>;
