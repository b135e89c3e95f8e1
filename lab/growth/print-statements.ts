import type { MeasuredStatement } from './measure-statement.ts';

/** How much more memory the longest statement may take than is in use before it. All of it as text is 8 MB. */
const MOST_BYTES = 64 * 1024 * 1024;

const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(1);

/** Prints the figures, and returns whether they are within the promised ones. */
export function printStatements(measured: readonly MeasuredStatement[]): boolean {
  for (const { movements, bytes, time_ms, before, peak, addsUp } of measured) {
    console.log(
      `${movements.toLocaleString('en')} movements: ${megabytes(bytes)} MiB in ${(time_ms / 1_000).toFixed(1)} s; ` +
        `the runtime had ${megabytes(before)} MiB before it and at most ${megabytes(peak)} MiB while it was sent; ` +
        (addsUp ? 'it adds up' : 'it does NOT add up'),
    );
  }
  return measured.every(({ addsUp, before, peak }) => addsUp && peak - before < MOST_BYTES);
}
