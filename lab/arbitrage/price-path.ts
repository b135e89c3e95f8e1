import { Draw } from '../../test/support/draw.ts';
import { type VenueName, venueNames } from '../../test/support/node/venues/venue-state.ts';

/** One second of a market, relative to its beginning. All coins follow the same path, each from its own price. */
export interface Frame {
  /** The true mid price, as a multiple of the first one. */
  readonly truth: number;
  /** How far each venue's mid lies from the true one, as a fraction. */
  readonly offsets: Readonly<Record<VenueName, number>>;
}

/** Parameters of drawn paths. A basis point (bps) is a hundredth of a percent. */
const WALK_BPS = 4;
const JUMP_PROBABILITY = 0.25;
const SMALLEST_JUMP_BPS = 15;
const LARGEST_JUMP_BPS = 200;
const VENUE_NOISE_BPS = 2;

/**
 * Draws a path of `steps` seconds from the seed alone: a random walk with a standard deviation of 4 bps a second, and
 * in about one second of four a jump of 15 to 200 bps, up or down. The logarithm of a jump's size is uniform. Each
 * venue stays within 2 bps of the true price.
 */
export function drawPath(seed: number, steps: number): Frame[] {
  const draw = new Draw(seed);
  let truth = 1;
  return Array.from({ length: steps }, (_, step) => {
    if (step > 0) truth *= 1 + (drawNormal(draw) * WALK_BPS + drawJump(draw)) / 10_000;
    return { truth, offsets: drawOffsets(draw) };
  });
}

/** A path of given true mids, which every venue shows exactly. */
export function followTruth(truths: readonly number[]): Frame[] {
  return truths.map((truth) => ({ truth, offsets: forEachVenue(() => 0) }));
}

/** The median of the venues' mids, as a multiple of the first true mid. */
export function shownBy({ truth, offsets }: Frame): number {
  const sorted = Object.values(offsets).toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? 0;
  const middle = (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
  return truth * (1 + middle);
}

/** The change of the venues' median mid from one frame to another, in basis points. */
export function moveBetween(before: Frame, after: Frame): number {
  return (shownBy(after) / shownBy(before) - 1) * 10_000;
}

/** Standard normal (Box and Muller, 1958). */
export function drawNormal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());
}

function drawJump(draw: Draw): number {
  const [happens, size, isUp] = [draw.happens(JUMP_PROBABILITY), draw.next(), draw.happens(0.5)];
  if (!happens) return 0;
  return (isUp ? 1 : -1) * SMALLEST_JUMP_BPS * (LARGEST_JUMP_BPS / SMALLEST_JUMP_BPS) ** size;
}

function drawOffsets(draw: Draw): Frame['offsets'] {
  return forEachVenue(() => ((draw.next() * 2 - 1) * VENUE_NOISE_BPS) / 10_000);
}

function forEachVenue(make: () => number): Frame['offsets'] {
  return Object.fromEntries(venueNames.map((name) => [name, make()])) as Record<VenueName, number>;
}
