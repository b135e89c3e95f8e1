/** The median and the quartiles of several measurements. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Summarises measurements. Empty input gives NaN. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
