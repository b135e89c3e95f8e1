import { env as workerEnv, exports } from 'cloudflare:workers';
import type { HolderCalls } from '../../../src/holder/holder-entrypoint.ts';
import type { LedgerHedger } from '../../../src/dealing/ledger-hedger.ts';
import type { WebhookSender } from '../../../src/events/webhooks/webhook-sender.ts';
import type { KeyLane } from '../../../src/lane/key-lane.ts';
import type { LedgerGate } from '../../../src/orders/gate.ts';
import type { LedgerKeeper } from '../../../src/keeper/ledger-keeper.ts';
import type { CandleHub } from '../../../src/markets/candles/candle-hub.ts';
import type { PriceHub } from '../../../src/markets/price-hub.ts';
import type { AccountStream } from '../../../src/streams/account-stream.ts';
import type { MarketStream } from '../../../src/streams/market-stream.ts';
import type { Bindings } from '../../../src/platform/bindings.ts';

/** The Worker's own bindings, and what vitest.config.ts adds for the tests. */
export interface TestEnv extends Omit<
  Bindings,
  | 'KEY_LANE'
  | 'LEDGER_GATE'
  | 'LEDGER_KEEPER'
  | 'LEDGER_HEDGER'
  | 'PRICE_HUB'
  | 'CANDLE_HUB'
  | 'WEBHOOK_SENDER'
  | 'ACCOUNT_STREAM'
  | 'MARKET_STREAM'
> {
  readonly KEY_LANE: Namespace<KeyLane>;
  readonly LEDGER_GATE: Namespace<LedgerGate>;
  readonly LEDGER_KEEPER: Namespace<LedgerKeeper>;
  readonly LEDGER_HEDGER: Namespace<LedgerHedger>;
  readonly PRICE_HUB: Namespace<PriceHub>;
  readonly CANDLE_HUB: Namespace<CandleHub>;
  readonly WEBHOOK_SENDER: Namespace<WebhookSender>;
  readonly ACCOUNT_STREAM: Namespace<AccountStream>;
  readonly MARKET_STREAM: Namespace<MarketStream>;
  /** SQL that makes an empty database what the migrations leave. */
  readonly DATABASE_TEXTS: readonly string[];
  /** The base address of the server that plays the venues, where the file’s runtime has some. */
  readonly VENUE_SERVER?: string;
  /** The base address of the reference custodian, in the runtime `outside`. */
  readonly CUSTODIAN_SERVER?: string;
  /** `3` where every test has three ledgers, and its accounts in all of them. */
  readonly TEST_LEDGERS: '1' | '3';
  /** `long` in `npm run test:long`. */
  readonly TEST_LENGTH: 'short' | 'long';
  readonly OPERATOR_TOKEN: string;
  readonly DEPOSIT_TOKEN: string;
  readonly AUDITOR_TOKEN: string;
  /** The platform's server of the site's files, which runs in front of the Worker. */
  readonly SITE: Fetcher;
  /** The seed and the number of steps of the simulation. */
  readonly SIMULATION_SEED: string;
  readonly SIMULATION_STEPS: string;
  /** How many rows of history the growth is measured with. */
  readonly GROWTH_ROWS: string;
}

/** Objects by their class, because tests read their internals. */
type Namespace<T extends Rpc.DurableObjectBranded> = DurableObjectNamespace<T> & DurableObjectNamespace;

export const env = workerEnv as unknown as TestEnv;

/** What the console's Worker reaches by a service binding. */
export const holderEntrypoint = (exports as unknown as { readonly HolderEntrypoint: HolderCalls }).HolderEntrypoint;

/** The Worker's own fetch handler. */
export const worker = (exports as unknown as { readonly default: Fetcher }).default;
