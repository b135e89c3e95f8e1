import type { Deal, DealAnswer } from '../../../src/dealing/contract.ts';
import type { Log } from '../../../custodian/src/log.ts';
import type { VenueSettings } from '../../src/config.ts';
import { type ContractAnswer, Dealer } from '../../src/dealer.ts';
import { Store } from '../../src/store.ts';
import { openVenue } from '../../src/venues/open-venue.ts';
import type { Venue } from '../../src/venues/venue.ts';
import { BINANCE_KEY, playBinance } from './played-binance.ts';
import { BUREAU_KEY, playBureau } from './played-bureau.ts';
import { PlayedExchange } from './played-exchange.ts';
import { KRAKEN_KEY, playKraken } from './played-kraken.ts';
import type { PlayedServer } from './played-server.ts';

/** A time that only tests move. */
export class Clock {
  now_ms = Date.UTC(2026, 10, 27, 12);

  readonly now = (): number => this.now_ms;

  pass(ms: number): void {
    this.now_ms += Math.round(ms);
  }
}

export const COINS = ['BTC', 'ETH'] as const;

export type Kind = VenueSettings['kind'];

const plays = { binance: playBinance, kraken: playKraken, bureau: playBureau };
const keys = { binance: BINANCE_KEY, kraken: KRAKEN_KEY, bureau: BUREAU_KEY };

export interface Played {
  readonly exchange: PlayedExchange;
  readonly server: PlayedServer & { readonly state: object };
  readonly settings: VenueSettings;
}

/** A played venue with 1 BTC, 10 ETH and 100,000 USDT, and a book around 60,000 and 2,000. */
export async function play(kind: Kind, now: () => number): Promise<Played> {
  const exchange = new PlayedExchange(now, { BTC: '1', ETH: '10', USDT: '100000', BNB: '5' });
  const server = await plays[kind](exchange, COINS);
  exchange.makeBook('BTC', '60000', '0.02');
  exchange.makeBook('ETH', '2000', '1');
  const settings = { name: kind, kind, url: server.url, coins: [...COINS], isTestnet: false, ...keys[kind] };
  return { exchange, server, settings };
}

/** A dealer in this process, over a database of its own. */
export interface Bench {
  readonly clock: Clock;
  readonly store: Store;
  readonly dealer: Dealer;
  readonly logged: { readonly event: string }[];
  submit(deal: Deal): Promise<ContractAnswer>;
  /** The state of a deal, and its reason. */
  stateOf(deal: Deal): DealAnswer;
  /** Lets time pass in steps of five seconds, with a look at the open deals after each. */
  pass(seconds: number): Promise<void>;
}

export function openDealer(venues: readonly Venue[], clock: Clock, store = new Store(':memory:')): Bench {
  const logged: { event: string }[] = [];
  const log: Log = (event, fields) => logged.push({ event, ...fields });
  const dealer = new Dealer({ store, venues, log, now: clock.now });
  return {
    clock,
    store,
    dealer,
    logged,
    submit: (deal) => dealer.submit(deal.id, JSON.stringify(deal)),
    stateOf: ({ id }) => dealer.lookUp(id).body,
    pass: async (seconds) => {
      for (let passed = 0; passed < seconds; passed += 5) {
        clock.pass(5_000);
        await dealer.resolveOpen();
      }
    },
  };
}

export const openPlayed = ({ settings }: Played, clock: Clock): Venue => openVenue(settings, clock.now);

let made = 0;

/** An id that no other deal of the tests has. */
export function newId(): string {
  made += 1;
  return `019ac5a4-7c00-7000-8000-${String(made).padStart(12, '0')}`;
}

/** A purchase of 0.03 BTC at up to 60,100, or another deal. */
export function makeDeal(clock: Clock, change: Partial<Deal> = {}): Deal {
  return {
    id: newId(),
    ledger: 0,
    venue: 'binance',
    coin: 'BTC',
    side: 'BUY',
    amount: '0.03',
    limitPrice: '60100',
    sendBy: new Date(clock.now_ms + 5_000).toISOString(),
    ...change,
  };
}
