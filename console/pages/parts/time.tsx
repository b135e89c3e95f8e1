import { showTime } from '../format.ts';

/** A point in time, given in ISO 8601. It breaks as a whole. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{showTime(at)}</time>;
}
