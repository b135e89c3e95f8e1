import type { KeyRights, Market, Venue } from './venues/venue.ts';

const MARKETS_FOR_MS = 300_000;
const RIGHTS_FOR_MS = 600_000;

/** Something that is read from a venue and remembered for a while. Those who ask at once share one request. */
class Remembered<T> {
  readonly #read: () => Promise<T>;
  readonly #for_ms: number;
  readonly #now: () => number;
  #last: { readonly value: Promise<T>; readonly until_ms: number } | undefined;

  constructor(read: () => Promise<T>, for_ms: number, now: () => number) {
    this.#read = read;
    this.#for_ms = for_ms;
    this.#now = now;
  }

  /** Rejects when the venue does not say it; the next call asks again. */
  get(): Promise<T> {
    const now_ms = this.#now();
    if (this.#last && now_ms < this.#last.until_ms) return this.#last.value;
    const last = { value: this.#read(), until_ms: now_ms + this.#for_ms };
    this.#last = last;
    last.value.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return last.value;
  }
}

/** A venue, and what changes seldom there. */
export class VenueFacts {
  readonly venue: Venue;
  readonly #markets: Remembered<readonly Market[]>;
  readonly #rights: Remembered<KeyRights | undefined>;

  constructor(venue: Venue, now: () => number) {
    this.venue = venue;
    this.#markets = new Remembered(() => venue.readMarkets(), MARKETS_FOR_MS, now);
    this.#rights = new Remembered(() => venue.readKeyRights(), RIGHTS_FOR_MS, now);
  }

  readMarkets(): Promise<readonly Market[]> {
    return this.#markets.get();
  }

  async readMarket(coin: string): Promise<Market> {
    const market = (await this.readMarkets()).find((one) => one.coin === coin);
    if (!market) throw new Error(`the venue does not list ${coin}`);
    return market;
  }

  /** Why nothing may be sent with this key; `undefined` when it may trade, and cannot take anything away. */
  async findKeyFault(): Promise<string | undefined> {
    const rights = await this.#rights.get();
    if (rights?.mayWithdraw === true) return 'key: the key may withdraw, so nothing is sent with it';
    return rights?.mayTrade === false ? 'key: the key may not trade' : undefined;
  }
}
