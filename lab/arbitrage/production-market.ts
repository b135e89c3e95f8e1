import { unstable_readConfig } from 'wrangler';
import { type VenueName, venueNames } from '../../test/support/node/venues/venue-state.ts';

/** The variables that decide a fill. */
const SHARED = [
  'PRICE_SOURCES',
  'PRICE_STREAMS',
  'PRICE_MARGIN_MS',
  'ORDER_MIN_USDT',
  'ORDER_MAX_USDT',
  'ORDER_BOUNDS',
] as const;

/** Production's configuration of trading, as in wrangler.toml. */
export interface ProductionMarket {
  readonly spread_bps: number;
  readonly sources: readonly VenueName[];
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Reads production's spread, price sources and order bounds. Throws when a source is not a venue that can be simulated.
 */
export function readProductionMarket(): ProductionMarket {
  const { vars } = unstable_readConfig({ config: 'wrangler.toml', env: 'production' });
  const variables = Object.fromEntries(SHARED.map((name) => [name, String(vars[name])]));
  const sources = String(vars['PRICE_SOURCES']).split(',');
  const played = venueNames.filter((name) => sources.includes(name));
  if (played.length < sources.length) throw new Error(`not all of ${sources.join()} can be played`);
  return { spread_bps: Number(vars['SPREAD_BPS']), sources: played, variables };
}
