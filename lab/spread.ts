export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Summarises measurements. Empty input gives NaN. */
export function spread(values: readonly number[]): Spread {
  const at = quantiles(values);
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Gives the measurement below which a share of all is, such as 0.95. Empty input gives NaN. */
export function quantiles(values: readonly number[]): (share: number) => number {
  const sorted = values.toSorted((one, other) => one - other);
  return (share) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}
