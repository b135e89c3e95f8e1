import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/markets/aggregate.ts';
import { FILL_MAX_AGE_MS } from '../../src/markets/firm-price.ts';
import { type HubMemory, emptyMemory, recordRound } from '../../src/markets/record-round.ts';
import { HOLD_MS, isInWindow, windowAfter } from '../../src/markets/round-window.ts';

const NOON_MS = Date.parse('2026-11-21T12:00:00Z');
const NO_WINDOW = { from_ms: 0, until_ms: 0 };

describe('the window of a round', () => {
  it('begins at once when no other round holds', () => {
    expect(windowAfter(NO_WINDOW, NOON_MS)).toEqual({ from_ms: NOON_MS, until_ms: NOON_MS + HOLD_MS });
  });

  it('begins when that of the round before is over', () => {
    const before = windowAfter(NO_WINDOW, NOON_MS);
    const { from_ms } = windowAfter(before, NOON_MS + 1_000);
    expect(from_ms).toBe(before.until_ms);
  });

  it('never meets that of another round, however soon after each other rounds end', () => {
    const windows = [];
    let [now_ms, window] = [NOON_MS, NO_WINDOW];
    for (const gap_ms of [1_000, 900, 1_250, 0, 3, 40, 2_000, 700, 1, 1_000]) {
      now_ms += gap_ms;
      window = windowAfter(window, now_ms);
      windows.push(window);
    }
    for (let at_ms = NOON_MS; at_ms < now_ms + 2 * HOLD_MS; at_ms += 1) {
      expect(windows.filter((one) => isInWindow(one, at_ms)).length).toBeLessThanOrEqual(1);
    }
  });

  it('ends before the round’s prices are too old to fill at, when the venues answered within half a second', () => {
    expect(HOLD_MS + 500).toBeLessThan(FILL_MAX_AGE_MS);
  });

  it('does not wait for one that was made before the clock went back', () => {
    const ahead = windowAfter(NO_WINDOW, NOON_MS + 3_600_000);
    expect(windowAfter(ahead, NOON_MS).from_ms).toBe(NOON_MS);
  });
});

describe('a hub', () => {
  const answer: Observation = {
    source: 'venue',
    received_ms: NOON_MS,
    isRepeat: false,
    ticker: { coin: 'BTC', price: 65_000n, book: null, open24h: null, volume24h: null, venueTime_ms: null },
  };
  const windowOf = ({ snapshot }: HubMemory) => snapshot.window;

  it('that forgot its rounds gives none out that holds before the earlier ones are over', () => {
    const over_ms = NOON_MS + HOLD_MS;
    const memory = recordRound(emptyMemory, [answer], NOON_MS + 200, { round: 0, from_ms: over_ms });
    expect(windowOf(memory).from_ms).toBe(over_ms);
  });

  it('leaves the window as it was after a round that nobody answered', () => {
    const memory = recordRound(emptyMemory, [answer], NOON_MS);
    expect(windowOf(recordRound(memory, [], NOON_MS + 1_000))).toEqual(windowOf(memory));
  });
});
