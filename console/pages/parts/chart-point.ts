/** A point of a chart: a time in seconds, and what was then. A chart draws; what must be exact is said in words. */
export interface ChartPoint {
  readonly at: number;
  readonly value: number;
}
