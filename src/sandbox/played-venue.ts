import { z } from 'zod';
import type { Deal, VenueReport } from '../dealing/contract.ts';
import type { DealState } from '../dealing/dealer.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { type Atoms, type Price, PRICE_SCALE, divideUp, floorAmount, formatAmount } from '../money/amounts.ts';
import { type Asset, QUOTE_ASSET, assetSymbols, scaleOf, toUsdt } from '../money/assets.ts';
import { SANDBOX_VENUE, VENUE_COINS, VENUE_FUNDS } from './demo.ts';

const BASIS = 10_000n;

/** How far its prices are from the market's middle, and its fee of the cost, in hundredths of a percent. */
const HALF_SPREAD_BPS = 1n;
const FEE_BPS = 10n;

const LISTED_MS = 48 * 3_600_000;

const HOLDINGS = 'venue holdings';
const ORDER = 'venue order ';

/** What the account there has, and what the deals of each ledger have moved, by `<ledger> <asset>`. */
const Holdings = z.object({
  balances: z.record(z.string(), z.bigint()),
  moved: z.record(z.string(), z.bigint()),
});

interface StoredDeal {
  readonly state: DealState;
  readonly order: VenueReport['orders'][number] | null;
}

const refuse = (reason: string): StoredDeal => ({ state: { kind: 'refused', reason }, order: null });

const write = (amount: Atoms, asset: Asset) => formatAmount(amount, scaleOf(asset));

/**
 * The venue of the sandbox and its dealer, as the hub of prices stores them: an order of as much as anybody wants, at the
 * market's price. It begins with the funds that `npm start` enters in the ledger. A deal's id is dealt once, and is answered
 * the same ever after.
 */
export class PlayedVenue {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Deals at the market's middle price, of which there may be none. Throws when nothing can be stored. */
  deal(deal: Deal, middle: Price | undefined, now_ms: number): DealState {
    const name = ORDER + deal.id;
    const known = this.#storage.kv.get<StoredDeal>(name);
    if (known) return known.state;
    const dealt = this.#fill(deal, middle, now_ms);
    this.#storage.kv.put(name, dealt);
    return dealt.state;
  }

  #fill(
    { id, ledger, coin: symbol, side, sendBy, ...order }: Deal,
    middle: Price | undefined,
    now_ms: number,
  ): StoredDeal {
    const coin = VENUE_COINS.find((one) => one === symbol);
    if (coin === undefined || middle === undefined) return refuse('paused: the market is not open');
    if (now_ms > Date.parse(sendBy)) return refuse('deadline_passed: before it was sent');
    const isBuy = side === 'BUY';
    const price = (middle * (BASIS + (isBuy ? HALF_SPREAD_BPS : -HALF_SPREAD_BPS))) / BASIS;
    const limit = floorAmount(order.limitPrice, PRICE_SCALE);
    if (isBuy ? price > limit : price < limit) return refuse('nothing_filled: the price is beyond the limit');
    const amount = floorAmount(order.amount, scaleOf(coin));
    const cost = toUsdt(coin, amount, price, isBuy ? 'up' : 'down');
    const fee = divideUp(cost * FEE_BPS, BASIS);
    const moves = new Map<Asset, Atoms>([
      [coin, isBuy ? amount : -amount],
      [QUOTE_ASSET, (isBuy ? -cost : cost) - fee],
    ]);
    const { balances, moved } = this.#read();
    for (const [asset, change] of moves) {
      balances[asset] = (balances[asset] ?? 0n) + change;
      moved[`${ledger} ${asset}`] = (moved[`${ledger} ${asset}`] ?? 0n) + change;
      if (balances[asset] < 0n) return refuse(`venue_refused: there is not so much ${asset}`);
    }
    this.#storage.kv.put(HOLDINGS, { balances, moved });
    const filled = { amount: order.amount, cost: write(cost, QUOTE_ASSET), reference: id.slice(-12) };
    return {
      state: { kind: 'dealt', ...filled, fee: { asset: QUOTE_ASSET, amount: write(fee, QUOTE_ASSET) } },
      order: { id, coin, side, ...filled, at: new Date(now_ms).toISOString() },
    };
  }

  #read(): z.output<typeof Holdings> {
    const stored = this.#storage.kv.get(HOLDINGS);
    if (stored !== undefined) return Holdings.parse(stored);
    const begun = Object.entries(VENUE_FUNDS).map(([asset, units]) => {
      return [asset, BigInt(units) * 10n ** BigInt(scaleOf(asset as Asset))] as const;
    });
    return { balances: Object.fromEntries(begun), moved: {} };
  }

  report(now_ms: number): VenueReport {
    const since_ms = now_ms - LISTED_MS;
    const { balances, moved } = this.#read();
    const start = ORDER + lowestRecordId(since_ms);
    const stored = [...this.#storage.kv.list<StoredDeal>({ prefix: ORDER, start })];
    return {
      venue: SANDBOX_VENUE,
      at: new Date(now_ms).toISOString(),
      lateness_ms: 0,
      clockOffset_ms: 0,
      balances: assetSymbols.flatMap((asset) => {
        const amount = balances[asset] ?? 0n;
        return amount > 0n ? [{ asset, amount: write(amount, asset) }] : [];
      }),
      markets: VENUE_COINS.map((coin) => ({
        coin,
        isOpen: true,
        amountStep: '0.00001',
        priceStep: '0.01',
        minAmount: '0.00001',
        minCost: '5',
        takerFee: formatAmount(FEE_BPS, 4),
      })),
      unresolved: [],
      dealt: Object.entries(moved).map(([name, amount]) => {
        const [ledger, asset = ''] = name.split(' ');
        return { ledger: Number(ledger), asset, amount: write(amount, asset as Asset) };
      }),
      ordersSince: new Date(since_ms).toISOString(),
      orders: stored.flatMap(([, { order }]) => order ?? []),
    };
  }
}
