import { showTime, showZoned } from '../format.ts';

/** A point in time, given in ISO 8601. It breaks as a whole. One that somebody waits for is told with its zone. */
export function Time({ at, isZoned = false }: { readonly at: string; readonly isZoned?: boolean }) {
  return <time dateTime={at}>{isZoned ? showZoned(at) : showTime(at)}</time>;
}
