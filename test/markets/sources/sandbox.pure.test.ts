import { expect, it } from 'vitest';
import { createSandboxPriceSource } from '../../../src/markets/sources/sandbox.ts';
import { coinSymbols } from '../../../src/money/assets.ts';
import { medianPrice } from '../../../src/money/amounts.ts';

const { signal } = new AbortController();
const now_ms = Date.parse('2026-11-21T06:07:08.900Z');
const venues = (['sandbox-a', 'sandbox-b', 'sandbox-c', 'sandbox-d'] as const).map(createSandboxPriceSource);

it('a sandbox venue gives the same answer at every call for the same instant', async () => {
  const [venue] = venues;
  expect(await venue?.fetchTickers(signal, now_ms)).toEqual(await venue?.fetchTickers(signal, now_ms));
});

it('the four venues list every coin, differ by hundredths of a percent, and their median is the market’s price', async () => {
  const [first, market, twin, last] = await Promise.all(venues.map((venue) => venue.fetchTickers(signal, now_ms)));
  expect(market?.map(({ coin }) => coin)).toEqual(coinSymbols);
  for (const [index, ticker] of (market ?? []).entries()) {
    const others = [first?.[index]?.price ?? 0n, last?.[index]?.price ?? 0n];
    expect(medianPrice([...others, ticker.price, twin?.[index]?.price ?? 0n])).toBe(ticker.price);
    const { bid, ask } = ticker.book ?? {};
    expect(medianPrice([bid ?? 0n, ask ?? 0n])).toBe(ticker.price);
    expect(ask).toBeGreaterThan(bid ?? 0n);
    for (const price of others) {
      expect(price).not.toBe(ticker.price);
      expect(Math.abs(Number(price) / Number(ticker.price) - 1)).toBeLessThan(0.0005);
    }
  }
});

it('a sandbox ticker has a rolling open, a day’s volume and its own time', async () => {
  const tickers = await venues[1]?.fetchTickers(signal, now_ms);
  for (const { open24h, volume24h, venueTime_ms } of tickers ?? []) {
    expect(open24h).toBeGreaterThan(0n);
    expect(Number(volume24h)).toBeGreaterThan(0);
    expect(venueTime_ms).toBe(now_ms);
  }
});
