import { app } from './app.ts';
import type { Bindings } from './env.ts';
import { runScheduled } from './scheduled.ts';

export { KeyLane } from './lane/key-lane.ts';
export { LedgerGate } from './lane/ledger-gate.ts';
export { CandleHub } from './markets/candles/candle-hub.ts';
export { PriceHub } from './markets/price-hub.ts';

export default {
  fetch: app.fetch,
  scheduled: (_controller, env) => runScheduled(env, () => Date.now()),
} satisfies ExportedHandler<Bindings>;
