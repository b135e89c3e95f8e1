/**
 * Mixes a seed and a number into 32 well-spread bits. Integer operations only, so that every machine and every
 * version of the runtime gives the same sandbox.
 */
export function mixBits(seed: number, value: number): number {
  let bits = Math.imul(seed ^ value, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export function seedFrom(text: string): number {
  return text.split('').reduce((seed, letter) => mixBits(seed, letter.charCodeAt(0)), 0);
}

/** A sequence of numbers in [0, 1) that the seed alone determines (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), bits | 61)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Smooth noise in [-1, 1]: random values at every multiple of `period`, eased from one to the next. */
export function smoothNoise(seed: number, position: number, period: number): number {
  const cell = Math.floor(position / period);
  const way = position / period - cell;
  const eased = way * way * (3 - 2 * way);
  const valueAt = (index: number) => (mixBits(seed, index) / 2 ** 32) * 2 - 1;
  return valueAt(cell) * (1 - eased) + valueAt(cell + 1) * eased;
}
