// @runtime outside
import { describe, expect, it } from 'vitest';
import { readCandles } from '../../../src/markets/candles/read-candles.ts';
import type { VenueMode } from '../../support/node/venues/venue-state.ts';
import { env } from '../../support/runtime/test-env.ts';
import { useVenues, venues } from '../../support/markets/venues.ts';
import { atOnce } from '../../support/at-once.ts';

useVenues();

describe('candles', () => {
  const hour_ms = Math.floor(Date.now() / 3_600_000) * 3_600_000;

  // The requests end in the past, so that a new hour during the tests does not matter.
  const question = { coin: 'BTC', interval: '1h', limit: 100, endTime_ms: hour_ms } as const;

  it('are the venue’s newest, in ascending order, from one request for 50 readers', async () => {
    const answers = await atOnce(50, () => readCandles(env, question));
    for (const answer of answers) {
      expect(answer.ok && answer.value.candles).toHaveLength(100);
      expect(answer.ok && answer.value.candles.at(-1)).toEqual({
        start_ms: hour_ms,
        open: '65000.12',
        high: '65650.1212',
        low: '64350.1188',
        close: '65325.1206',
        volume: '1000',
      });
    }
    expect((await venues.count()).binance.klines).toBe(1);
  });

  it('of MATIC are the venues’ candles of POL', async () => {
    const answer = await readCandles(env, { ...question, coin: 'MATIC', interval: '1M' as const });
    expect(answer.ok && answer.value.candles.at(-1)?.open).toBe('0.2112');
  });

  it('start at a given start, and end at a given end', async () => {
    const startTime_ms = hour_ms - 10 * 3_600_000 - 1;
    const from = await readCandles(env, { ...question, limit: 2, startTime_ms });
    expect(from.ok && from.value.candles.map(({ start_ms }) => (hour_ms - start_ms) / 3_600_000)).toEqual([10, 9]);
    const until = await readCandles(env, { ...question, limit: 2, endTime_ms: startTime_ms });
    expect(until.ok && until.value.candles.map(({ start_ms }) => (hour_ms - start_ms) / 3_600_000)).toEqual([12, 11]);
  });

  it('with an impossible row are refused with upstream_unavailable', async () => {
    await venues.set('binance', { klines: [[hour_ms, '1', '2', '1.5', '2', '3', 0]] });
    expect(await readCandles(env, question)).toMatchObject({
      ok: false,
      code: 'upstream_unavailable',
    });
  });

  it.each<VenueMode>(['error', 'html', 'truncated', 'huge', 'reset', 'hang'])(
    'are refused in time when the venue’s mode is %s, and asked for anew when it is back',
    async (mode) => {
      await venues.set('binance', { mode });
      expect(await readCandles(env, question)).toMatchObject({
        ok: false,
        code: 'upstream_unavailable',
      });
      await venues.set('binance', { mode: 'ok' });
      expect((await readCandles(env, question)).ok).toBe(true);
    },
  );
});
