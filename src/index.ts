import { app } from './app.ts';

export { KeyLane } from './lane/key-lane.ts';
export { PriceHub } from './markets/price-hub.ts';

export default { fetch: app.fetch };
