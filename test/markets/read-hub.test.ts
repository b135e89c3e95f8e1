import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { firmPrice } from '../../src/markets/firm-price.ts';
import type { CandleHub } from '../../src/markets/candles/candle-hub.ts';
import { readCandles } from '../../src/markets/candles/read-candles.ts';
import type { PriceHub } from '../../src/markets/price-hub.ts';
import { readSnapshot } from '../../src/markets/read-hub.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { env } from '../support/test-env.ts';

/** Namespaces whose only object behaves as told. */
function pretendHubs(answer: () => Promise<never>) {
  const namespace = { getByName: () => ({ snapshot: answer, candles: answer }) };
  return {
    prices: namespace as unknown as DurableObjectNamespace<PriceHub>,
    candles: namespace as unknown as DurableObjectNamespace<CandleHub>,
  };
}

const question = { coin: 'BTC', interval: '1h', limit: 5 } as const;

describe('the hub of the sandbox', () => {
  it('gives a firm price of every coin', async () => {
    const snapshot = await readSnapshot(env.PRICE_HUB, 0);
    for (const coin of coinSymbols)
      expect(snapshot && firmPrice(snapshot, coin, Date.now())?.price).toBeGreaterThan(0n);
  });

  it('gives candles', async () => {
    const series = await readCandles(env.CANDLE_HUB, question);
    expect(series.ok && series.value.candles).toHaveLength(5);
  });

  it('is reached again after its object was reset', async () => {
    await abortAllDurableObjects();
    expect(await readSnapshot(env.PRICE_HUB, 0)).toBeDefined();
  });
});

describe('a hub that cannot be reached', () => {
  const broken = pretendHubs(() => Promise.reject(new Error('internal error')));
  const hanging = pretendHubs(() => new Promise(() => {}));

  it('is no exception to its readers', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    expect(await readSnapshot(broken.prices, 0)).toBeUndefined();
    expect(await readCandles(broken.candles, question)).toMatchObject({
      ok: false,
      refusal: { code: 'upstream_unavailable' },
    });
  });

  it('is not waited for for ever', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const begun_ms = Date.now();
    const [snapshot, candles] = await Promise.all([
      readSnapshot(hanging.prices, 0),
      readCandles(hanging.candles, question),
    ]);
    expect(snapshot).toBeUndefined();
    expect(candles).toMatchObject({ ok: false, code: 'upstream_unavailable' });
    expect(Date.now() - begun_ms).toBeLessThan(6_000);
  });
});
