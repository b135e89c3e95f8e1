import { expect, test } from 'vitest';
import { VenueClock } from '../../../src/markets/streams/venue-clock.ts';

/** A clock whose way is 20 ms. */
function createClock(): VenueClock {
  const clock = new VenueClock();
  clock.notePing(0);
  clock.notePong(40);
  return clock;
}

test('a message is as of its receipt less the way, however far the venue’s clock is off', () => {
  for (const skew_ms of [-3_600_000, -1_000, 0, 1_000, 3_600_000]) {
    expect(createClock().asOf(980 + skew_ms, 1_000)).toBe(980);
  }
});

test('what a message takes longer than the fastest is its delay', () => {
  const clock = createClock();
  clock.asOf(980, 1_000);
  expect(clock.asOf(1_180, 2_000)).toBe(1_180);
  expect(clock.delay_ms).toBe(800);
});

test('a message without a time is as late as the newest with one', () => {
  const clock = createClock();
  clock.asOf(980, 1_000);
  clock.asOf(1_180, 1_500);
  expect(clock.asOf(null, 1_600)).toBe(1_280);
});

test('a clock that jumps ahead makes no message newer than its receipt, and one that jumps back makes them old', () => {
  const clock = createClock();
  clock.asOf(980, 1_000);
  expect(clock.asOf(1_980 + 500, 2_000)).toBe(1_980);
  expect(clock.asOf(2_980, 3_000)).toBe(2_480);
});

test('nothing is known before the way and the venue’s clock are', () => {
  expect(createClock().asOf(null, 1_000)).toBe(-Infinity);
  expect(new VenueClock().asOf(980, 1_000)).toBe(-Infinity);
});

test('a pong that nobody asked for is no measure of the way', () => {
  const clock = new VenueClock();
  clock.notePong(5);
  expect(clock.asOf(980, 1_000)).toBe(-Infinity);
});

test('times are whole milliseconds, as orders store them, and rather too early', () => {
  const clock = new VenueClock();
  clock.notePing(0);
  clock.notePong(41);
  expect(clock.asOf(980, 1_000)).toBe(979);
});
