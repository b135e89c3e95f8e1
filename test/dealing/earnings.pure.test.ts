import { describe, expect, it } from 'vitest';
import { BAND, drawOrders, playOrders } from '../../lab/liquidity/play-orders.ts';

const DAYS = 10;
const orders = drawOrders(1, DAYS);
const play = (feeBps: number, griefs?: number, all = orders) =>
  playOrders(all, { spread_bps: 20, hedging: { ...BAND, feeBps }, ...(griefs !== undefined && { griefs }) });

/** The short form of `npm run month`: ten days and not twenty months, so that what the price did is left out. */
describe('what the house earns in a day, at 717,000 USDT of orders and a spread of 20 bps', () => {
  it.each([
    [10, 1_325],
    [25, 1_176],
    [60, 830],
  ])('at a fee of %d bps, is what another program found', (feeBps, expected) => {
    const { profit, moves } = play(feeBps);
    expect((profit - moves) / expected).toBeCloseTo(1, 1);
  });

  it('is changed by jumps of the price through the position alone', () => {
    const [calm, jumpy] = [play(25), play(25, undefined, drawOrders(1, DAYS, true))];
    expect(jumpy.moves).not.toBeCloseTo(calm.moves, 0);
    expect((jumpy.profit - jumpy.moves) / (calm.profit - calm.moves)).toBeCloseTo(1, 1);
  });

  it('rises by a griefer whose orders are within the band, and is lost to one whose are not', () => {
    expect(play(25, Number(BAND.outer)).profit).toBeGreaterThan(play(25).profit);
    expect(play(25, 50_000).profit).toBeLessThan(0);
  });
});
