import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/markets/aggregate.ts';
import { firmPrice } from '../../src/markets/firm-price.ts';
import { type HubMemory, emptyMemory, recordRound } from '../../src/markets/record-round.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';
import { parsePrice } from '../../src/money/amounts.ts';

const t0 = Date.parse('2026-11-21T12:00:00Z');

const price = (text: string) => parsePrice(text) ?? 0n;

function say(now_ms: number, coin: Coin, ...prices: string[]): Observation[] {
  return prices.map((text, index) => ({
    source: `venue-${index}`,
    asOf_ms: now_ms,
    received_ms: now_ms,
    isRepeat: false,
    ticker: { coin, price: price(text), book: null, open24h: null, volume24h: null, venueTime_ms: null },
  }));
}

const btc = ({ snapshot }: HubMemory) => snapshot.markets.BTC;

describe('after a round', () => {
  const memory = recordRound(emptyMemory, say(t0, 'BTC', '65000', '65010'), t0);

  it('a coin with answers is shown and agreed on', () => {
    expect(memory.snapshot.taken_ms).toBe(t0);
    expect(btc(memory).shown?.price).toBe(price('65005'));
    expect(firmPrice(memory.snapshot, 'BTC', t0)?.price).toBe(price('65005'));
  });

  it('every other coin is present without a price', () => {
    expect(Object.keys(memory.snapshot.markets)).toEqual(coinSymbols);
    expect(memory.snapshot.markets.ETH).toEqual({ shown: null, agreed: null });
  });

  it('a coin without answers keeps its last price, with its own time, marked as held', () => {
    const later = recordRound(recordRound(memory, [], t0 + 30_000), [], t0 + 60_000);
    expect(btc(later).shown).toEqual({ ...btc(memory).shown, isHeld: true });
    expect(btc(later).shown?.dataTime_ms).toBe(t0);
  });

  it('a round without any answer does not make the snapshot look newer', () => {
    expect(recordRound(memory, [], t0 + 1_000).snapshot.taken_ms).toBe(t0);
  });

  it('a firm price says how far apart the agreeing sources are', () => {
    expect(firmPrice(memory.snapshot, 'BTC', t0)?.dispersion).toBe(price('10'));
  });

  it('a round without answers ends the agreement at once, and marks the shown price as held until a source answers', () => {
    const silent = recordRound(memory, [], t0 + 1_000);
    expect(btc(silent).agreed).toBeNull();
    expect(btc(memory).shown?.isHeld).toBe(false);
    expect(btc(silent).shown?.isHeld).toBe(true);
    const back = recordRound(silent, say(t0 + 2_000, 'BTC', '65000'), t0 + 2_000);
    expect(btc(back).shown?.isHeld).toBe(false);
  });

  it('a price agreed on at a later time than now is firm only within the difference that two clocks may have', () => {
    expect(firmPrice(memory.snapshot, 'BTC', t0 - 1_000)?.price).toBe(price('65005'));
    expect(firmPrice(memory.snapshot, 'BTC', t0 - 1_001)).toBeUndefined();
  });

  it('a disagreement ends the agreement at once', () => {
    const disputed = recordRound(memory, say(t0 + 1_000, 'BTC', '65000', '65000000'), t0 + 1_000);
    expect(firmPrice(disputed.snapshot, 'BTC', t0 + 1_000)).toBeUndefined();
    expect(btc(disputed).shown?.price).toBe(price('65000'));
  });

  it('a single remaining source ends the agreement, and is shown', () => {
    const lonely = recordRound(memory, say(t0 + 1_000, 'BTC', '64000'), t0 + 1_000);
    expect(btc(lonely).agreed).toBeNull();
    expect(btc(lonely).shown?.price).toBe(price('64000'));
  });

  it('a jump is compared with the last accepted price, also through rounds without agreement, for a minute', () => {
    const disputed = recordRound(memory, say(t0 + 1_000, 'BTC', '65000', '1'), t0 + 1_000);
    const jump = (now_ms: number) => btc(recordRound(disputed, say(now_ms, 'BTC', '80000', '80000'), now_ms)).agreed;
    expect(jump(t0 + 59_999)).toBeNull();
    expect(jump(t0 + 60_000)?.price).toBe(price('80000'));
  });
});

it('before any price was shown, the fallback price decides between two sources that disagree', () => {
  expect(btc(recordRound(emptyMemory, say(t0, 'BTC', '65', '65000'), t0)).shown?.price).toBe(price('65000'));
});
