import type { Coin } from '../../src/money/assets.ts';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { startVenueServer } from '../../test/support/node/venues/start-venue-server.ts';
import { venueUrlVariables } from '../../test/support/node/venues/venue-remote.ts';
import type { VenueName } from '../../test/support/node/venues/venue-state.ts';
import { Holder, UNLIMITED } from './holder.ts';
import { PlayedMarket } from './played-market.ts';
import { readProductionMarket } from './production-market.ts';

/** The coins whose books are pushed are listed by six, by four and by three venues here. */
const LISTINGS = {
  ETH: ['binance', 'okx', 'coinbase', 'kucoin', 'kraken', 'gate'],
  MATIC: ['binance', 'okx', 'kucoin', 'gate'],
  LTC: ['binance', 'kucoin', 'gate'],
} as const satisfies Partial<Record<Coin, VenueName[]>>;

/** One strategy has an account in each ledger, all others one in ledger 0. */
const LEDGERS = 2;

/** The exchange as it is deployed, and the simulated venues that it asks for prices. */
export interface Arena {
  readonly operator: Operator;
  readonly market: PlayedMarket;
  readonly probe: ServedExchange['probe'];
  readonly spread_bps: number;
  /** The venues that list a coin, of those that the exchange asks. */
  readonly venuesOf: (coin: Coin) => readonly VenueName[];
  end(): Promise<void>;
}

/** Starts the venues and the bundled Worker, with production's price sources and order bounds and the given spread. */
export async function openArena(bundle: string, spread_bps: number): Promise<Arena> {
  const production = readProductionMarket();
  const venueServer = await startVenueServer();
  let exchange: ServedExchange | undefined;
  const end = async () => {
    await exchange?.kill();
    await venueServer.stop();
  };
  try {
    exchange = await startServedExchange({
      bundle,
      ledgers: LEDGERS,
      variables: { ...production.variables, ...venueUrlVariables(venueServer.url), SPREAD_BPS: String(spread_bps) },
      site: false,
    });
    const operator = new Operator(exchange.url);
    const {
      keys: [observer],
    } = await Holder.open(operator, { assets: ['DOGE'], keys: 1, trades: UNLIMITED });
    if (!observer) throw new Error('the observer has no key');
    const market = new PlayedMarket({
      venueServer: venueServer.url,
      observer,
      spread_bps,
      listings: LISTINGS,
    });
    const venuesOf = (coin: Coin) => production.sources.filter((name) => market.isListed(coin, name));
    return { operator, market, probe: exchange.probe, spread_bps, venuesOf, end };
  } catch (error) {
    await end();
    throw error;
  }
}
