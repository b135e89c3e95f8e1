import { MarketState, type MoveMarket, moveMarket, untouchedMarket } from './market.ts';

const MARKET = 'sandbox market';

/** The sandbox's market, as the hub of prices stores it. A stored one in another shape, from an older version, is ignored. */
export class MarketMemory {
  readonly #storage: DurableObjectStorage;
  #market: MarketState;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#market = MarketState.catch(untouchedMarket).parse(storage.kv.get(MARKET));
  }

  read(): MarketState {
    return this.#market;
  }

  /** Moves the market from now on, and stores it. Throws when it cannot be stored, and then nothing has moved. */
  move(change: MoveMarket): MarketState {
    const moved = moveMarket(this.#market, change, Date.now());
    this.#storage.kv.put(MARKET, moved);
    this.#market = moved;
    return moved;
  }
}
