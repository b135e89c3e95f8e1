import { describe, expect, it } from 'vitest';
import { type Griefed, findGriefed, tryGriefer } from '../../lab/arbitrage/griefer.ts';

const all = tryGriefer();
const [taken] = all.filter(({ isRefused }) => !isRefused);

describe('somebody who makes the house hedge', () => {
  it('gets nothing, and the house loses nothing at what the settings take and loses at what they refuse', () => {
    expect(findGriefed(all)).toEqual([]);
    expect(all.filter(({ griefer }) => griefer >= 0)).toEqual([]);
    const refused = all.filter(({ isRefused }) => isRefused);
    expect(refused.filter(({ house }) => house >= 0)).toEqual([]);
    expect(refused.length).toBeGreaterThan(6);
  });

  it('is found where the settings take terms at which the house loses, and where the refusal shows nothing', () => {
    const lost: Griefed = { ...taken!, house: -1.4 };
    expect(findGriefed([lost, ...all])).toEqual([
      'alternates, fee 10, spread 20 bps, orders of 50000: the house gets -1 USDT/min',
    ]);
    const harmless = all.map((one) => (one.pattern === 'alternates' && one.isRefused ? { ...one, house: 1 } : one));
    expect(findGriefed(harmless)).toEqual(['alternates: nothing that is refused loses']);
  });
});
