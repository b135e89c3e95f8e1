import { describe, expect, it } from 'vitest';
import { BureauError } from '../../clients/bureau-client/src/errors.ts';
import { type ReadFeed, readNewest } from '../../console/pages/desk/find-newest.ts';
import type { OperatorEvent } from '../../console/pages/desk/schema.d.ts';

/** A feed that keeps the events above `since` up to `newest`, by the rules of `GET /operator/v1/events`. */
function keepFeed(since: number, newest: number) {
  const feed = { reads: 0, read: undefined as unknown as ReadFeed };
  feed.read = async (after = since, limit) => {
    feed.reads += 1;
    if (after > newest) {
      const problem = { type: '', title: '', status: 400, detail: '', instance: '', requestId: '', retryable: false };
      throw new BureauError({ ...problem, code: 'invalid_request' }, { attempts: 1 });
    }
    const length = Math.min(limit, newest - after);
    const events = Array.from({ length }, (_, at) => ({ sequence: after + at + 1 }) as OperatorEvent);
    return { events, nextAfter: after + length, since };
  };
  return feed;
}

describe('the newest events of the operator’s feed', () => {
  it.each([
    [0, 0, 3],
    [0, 7, 3],
    [700, 750, 3],
    [0, 51, 3],
    [30, 2_500, 16],
    [0, 100_000, 30],
    [900_000, 2_000_000, 40],
  ])('are found with few reads: above %i up to %i in at most %i', async (since, newest, most) => {
    const feed = keepFeed(since, newest);
    const numbers = (await readNewest(feed.read, 50)).map(({ sequence }) => sequence);
    const length = Math.min(50, newest - since);
    expect(numbers).toEqual(Array.from({ length }, (_, at) => newest - at));
    expect(feed.reads).toBeLessThanOrEqual(most);
  });

  it('are not shown when the feed is refused for another reason', async () => {
    const refuse: ReadFeed = () => Promise.reject(new TypeError('no answer'));
    await expect(readNewest(refuse, 50)).rejects.toThrow('no answer');
  });
});
