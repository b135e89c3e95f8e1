import type { VenueReport } from '../../../src/dealing/contract.ts';
import { VENUE_NAME } from '../db/house-money.ts';
import { MARKET } from './market.ts';

/** What a dealer reports of the played venue, which holds so much. */
export const reportOf = (balances: VenueReport['balances']): VenueReport => ({
  venue: VENUE_NAME,
  at: '2026-11-27T12:00:00.000Z',
  lateness_ms: 20_000,
  clockOffset_ms: 0,
  balances,
  markets: [MARKET],
  unresolved: [],
  dealt: [],
  ordersSince: '2026-11-27T12:00:00.000Z',
  orders: [],
});
