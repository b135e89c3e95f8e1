import { BureauError } from '../../../clients/bureau-client/src/errors.ts';
import type { OperatorEvent, OperatorEventPage } from './schema.d.ts';

/** The first leap over events, which doubles as long as the feed goes on. */
const LEAP = 2_000;

/** Reads a page of the operator's feed after a number; from its beginning when none is given. */
export type ReadFeed = (after: number | undefined, limit: number) => Promise<OperatorEventPage>;

/**
 * The newest events, newest first, at most `count` of them. The feed is read forwards and refuses a number that no event
 * has yet, so its end is sought by leaps: three reads of a short feed, about two for each doubling of a long one.
 */
export async function readNewest(read: ReadFeed, count: number): Promise<readonly OperatorEvent[]> {
  const { nextAfter, since } = await read(undefined, count);
  const newest = await findEnd(read, nextAfter, count);
  const { events } = await read(Math.max(since, newest - count), count);
  return [...events].toReversed();
}

/** The number of the newest event, which is at least `from`. */
async function findEnd(read: ReadFeed, from: number, count: number): Promise<number> {
  let known = from;
  let leap = 0;
  let isLonger = true;
  for (;;) {
    const page = await readUnlessPast(read, known + leap, count);
    if (page && page.events.length < count) return page.nextAfter;
    if (page) known = page.nextAfter;
    else isLonger = false;
    if (isLonger) leap = leap === 0 ? LEAP : leap * 2;
    else leap = leap > count ? Math.floor(leap / 2) : 0;
  }
}

/** `undefined` when no event has this number yet. */
async function readUnlessPast(read: ReadFeed, after: number, count: number): Promise<OperatorEventPage | undefined> {
  try {
    return await read(after, count);
  } catch (error) {
    if (error instanceof BureauError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}
