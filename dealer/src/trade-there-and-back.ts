import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { type Finding, check } from '../../custodian/src/check.ts';
import { SCALE, readAmount, writeAmount } from './amounts.ts';
import { type VenueSettings, isLoopback } from './config.ts';
import type { Fill, Market, Outcome, Venue, VenueOrder } from './venues/venue.ts';

/** How long the venue has to take an order, and how often it is asked what became of it, a second apart. */
const SEND_WITHIN_MS = 10_000;
const LOOKS = 20;

/** How much worse than the named price the orders may be, in hundredths. */
const LIMIT = 2n;

const UNIT = 10n ** BigInt(SCALE);

/**
 * Buys the smallest amount of a coin and sells it again, and compares the balances with what the venue says that it did. Only
 * at a testnet, or a venue of this machine, since an order that no hedge has is a violation at a venue that is hedged at.
 * `price` is what the coin costs there, in USDT. Rejects never.
 */
export function tradeThereAndBack(
  settings: VenueSettings,
  venue: Venue,
  coin: string,
  price: string,
  now: () => number,
): Promise<Finding> {
  return check(`${venue.name}: ${coin} is bought and sold again`, async () => {
    if (!settings.isTestnet && !isLoopback(settings.url)) throw new Error('this is no testnet: nothing was ordered');
    const market = (await venue.readMarkets()).find((one) => one.coin === coin);
    if (!market) throw new Error('it is not traded there');
    const before = await venue.readBalances();
    const place = (side: 'BUY' | 'SELL', amount: bigint) => {
      const limit = (readAmount(price) * (100n + (side === 'BUY' ? LIMIT : -LIMIT))) / 100n;
      const limitPrice = writeAmount(floorTo(limit, market.priceStep));
      const order = { id: randomUUID(), coin, side, limitPrice, sendBy_ms: now() + SEND_WITHIN_MS };
      return fill(venue, { ...order, amount: writeAmount(amount) });
    };
    const bought = await place('BUY', leastAmount(market, readAmount(price)));
    const had = readAmount(bought.amount) - feeOf(bought, coin);
    const sold = await place('SELL', floorTo(had, market.amountStep));
    const expected = {
      [coin]: had - readAmount(sold.amount) - feeOf(sold, coin),
      USDT: readAmount(sold.cost) - readAmount(bought.cost) - feeOf(bought, 'USDT') - feeOf(sold, 'USDT'),
    };
    const after = await venue.readBalances();
    for (const [asset, change] of Object.entries(expected)) {
      const moved = (after.get(asset) ?? 0n) - (before.get(asset) ?? 0n);
      if (moved !== change) throw new Error(`${asset} moved by ${show(moved)}, and ${show(change)} was said`);
    }
    return `${tell(bought)}, ${tell(sold)}; USDT moved by ${show(expected['USDT'] ?? 0n)}`;
  });
}

/** Places an order and waits for its end. Rejects unless something was filled. */
async function fill(venue: Venue, order: VenueOrder): Promise<Fill> {
  let outcome: Outcome | { readonly kind: 'absent' } = await venue.place(order);
  for (let look = 0; look < LOOKS && outcome.kind !== 'dealt' && outcome.kind !== 'refused'; look += 1) {
    await rest(1_000);
    outcome = await venue.find(order);
  }
  if (outcome.kind === 'dealt') return outcome.fill;
  const why = outcome.kind === 'refused' ? outcome.reason : outcome.kind;
  throw new Error(`${order.side} ${order.amount} at ${order.limitPrice}, order ${order.id}: ${why}`);
}

/** The least that may be bought so that what is left after a fee may be sold, a fifth above the venue's smallest order. */
function leastAmount({ minAmount, minCost, amountStep }: Market, price: bigint): bigint {
  const byCost = (readAmount(minCost) * UNIT) / price;
  const least = readAmount(minAmount) > byCost ? readAmount(minAmount) : byCost;
  return floorTo((least * 6n) / 5n, amountStep) + 2n * readAmount(amountStep);
}

function floorTo(amount: bigint, step: string): bigint {
  return amount - (amount % readAmount(step));
}

const feeOf = ({ fees }: Fill, asset: string) =>
  fees.reduce((sum, fee) => sum + (fee.asset === asset ? readAmount(fee.amount) : 0n), 0n);

const show = (amount: bigint) => (amount < 0n ? `-${writeAmount(-amount)}` : writeAmount(amount));

const tell = ({ amount, cost, fees, reference }: Fill) =>
  `${amount} for ${cost} USDT, fee ${fees.map((fee) => `${fee.amount} ${fee.asset}`).join(' and ') || 'none'}, order ${reference}`;
