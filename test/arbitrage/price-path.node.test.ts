import { describe, expect, it } from 'vitest';
import { drawPath, followTruth, moveBetween, shownBy } from '../../lab/arbitrage/price-path.ts';

describe('a random price path', () => {
  it('depends only on its seed', () => {
    expect(drawPath(7, 50)).toEqual(drawPath(7, 50));
    expect(drawPath(8, 50)).not.toEqual(drawPath(7, 50));
    expect(drawPath(7, 50).slice(0, 20)).toEqual(drawPath(7, 20));
  });

  it('moves in small steps, and jumps by up to 2 % in about one second of four', () => {
    const path = drawPath(1, 4_001);
    const moves = path.slice(1).map((frame, at) => Math.abs(frame.truth / (path[at]?.truth ?? 0) - 1) * 10_000);
    const jumps = moves.filter((move) => move > 4 * 4);
    expect(jumps.length / moves.length).toBeGreaterThan(0.2);
    expect(jumps.length / moves.length).toBeLessThan(0.3);
    expect(Math.max(...moves)).toBeGreaterThan(150);
    expect(Math.max(...moves)).toBeLessThan(200 + 5 * 4);
  });

  it('keeps every venue within 2 bps of the true price', () => {
    const offsets = drawPath(1, 500).flatMap((frame) => Object.values(frame.offsets));
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(0.0002);
    expect(new Set(offsets).size).toBe(offsets.length);
  });
});

describe('the price of all venues together', () => {
  it('is the median of the venues’ prices', () => {
    const [frame] = drawPath(3, 1);
    if (!frame) throw new Error('no frame');
    const sorted = Object.values(frame.offsets).toSorted((one, other) => one - other);
    expect(sorted).toHaveLength(7);
    expect(shownBy(frame)).toBe(1 + (sorted[3] ?? 0));
  });

  it('is the true price when all venues show it exactly, and moves by the difference between two of them', () => {
    const [first, second] = followTruth([1, 1.01]);
    if (!first || !second) throw new Error('no frames');
    expect([shownBy(first), shownBy(second)]).toEqual([1, 1.01]);
    expect(moveBetween(first, second)).toBeCloseTo(100);
    expect(moveBetween(second, first)).toBeCloseTo(-99.01);
  });
});
