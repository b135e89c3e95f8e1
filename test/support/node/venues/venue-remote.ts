import type { Coin } from '../../../../src/money/assets.ts';
import { type Venue as VenueName, priceVenues, venues as venueNames } from '../../../../src/money/venue-symbols.ts';
import {
  type CoinChanges,
  type Venue,
  type VenueChanges,
  type VenueMode,
  type VenueRequests,
  spellCoins,
} from './venue-state.ts';

export interface VenueChange extends Partial<Omit<Venue, 'markets'>> {
  readonly coins?: CoinChanges;
}

/** Controls a server that plays the venues, from any process or runtime. */
export class VenueRemote {
  readonly #server: string;

  constructor(server: string) {
    this.#server = server;
  }

  /** Resets all venues, and sets the counts of requests to zero. */
  async reset(): Promise<void> {
    await this.#call('DELETE');
  }

  async set(name: VenueName, change: VenueChange): Promise<void> {
    await this.#call('PATCH', { [name]: spellChange(name, change) } satisfies VenueChanges);
  }

  async setEach(change: VenueChange): Promise<void> {
    await this.#call('PATCH', Object.fromEntries(venueNames.map((name) => [name, spellChange(name, change)])));
  }

  /** Makes all venues answer, with exactly these prices: `setPrices({ BTC: '65000.12' })`. */
  async setPrices(prices: Partial<Record<Coin, string>>): Promise<void> {
    const coins = Object.fromEntries(Object.entries(prices).map(([coin, price]) => [coin, { price }]));
    await this.setEach({ mode: 'ok', coins });
  }

  async fail(mode: VenueMode = 'error'): Promise<void> {
    await this.setEach({ mode });
  }

  /** How often the venues were asked since the last `reset()`. */
  count(): Promise<VenueRequests> {
    return this.#call('GET');
  }

  async #call(method: string, body?: unknown): Promise<VenueRequests> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${this.#server}/control`, init);
    if (!response.ok) throw new Error(`the played venues: ${response.status}`);
    return (await response.json()) as VenueRequests;
  }
}

function spellChange(name: VenueName, { coins = {}, ...change }: VenueChange): NonNullable<VenueChanges[VenueName]> {
  return { ...change, markets: spellCoins(name, coins) };
}

/** The Worker's variables with the venues' addresses, when one server plays them all. */
export function venueUrlVariables(server: string): Record<string, string> {
  return Object.fromEntries(
    venueNames.flatMap((name) => [
      [`${name.toUpperCase()}_URL`, `${server}/${name}`],
      // KuCoin is asked there where its stream is.
      [`${name.toUpperCase()}_STREAM_URL`, `${name === 'kucoin' ? server : server.replace('http', 'ws')}/${name}`],
    ]),
  );
}

/** The Worker's variables for prices by the streams of all venues, with the margin of production. */
export function allVenuesByStreams(server: string): Record<string, string> {
  return {
    ...venueUrlVariables(server),
    PRICE_SOURCES: priceVenues.join(','),
    PRICE_STREAMS: 'orders',
    PRICE_MARGIN_MS: '150',
  };
}
