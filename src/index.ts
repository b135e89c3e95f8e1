import { app } from './app.ts';
import { type Bindings, config } from './env.ts';
import { openDatabase } from './ledger/database.ts';
import { chooseCustody } from './providers.ts';
import { sweepWithdrawals } from './wallet/withdrawals/sweep-withdrawals.ts';

export { KeyLane } from './lane/key-lane.ts';
export { PriceHub } from './markets/price-hub.ts';

export default {
  fetch: app.fetch,
  scheduled: async (_controller, env) => {
    await sweepWithdrawals(openDatabase(env.DB), chooseCustody(config), () => Date.now());
  },
} satisfies ExportedHandler<Bindings>;
