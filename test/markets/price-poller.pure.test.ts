import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PricePoller } from '../../src/markets/price-poller.ts';
import { CircuitBreakers } from '../../src/markets/sources/circuit-breakers.ts';
import type { PriceSource, SourceTicker } from '../../src/markets/sources/price-source.ts';
import { SourceError, type SourceFault } from '../../src/markets/sources/source-error.ts';
import { waitFor } from '../support/wait-for.ts';

const ticker: SourceTicker = {
  coin: 'BTC',
  price: 1n,
  book: null,
  open24h: null,
  volume24h: null,
  venueTime_ms: null,
};

function createSource(name: string, answer: () => Promise<SourceTicker[]> = () => Promise.resolve([ticker])) {
  const fetchTickers = vi.fn<PriceSource['fetchTickers']>(answer);
  return { name, leastInterval_ms: 0, fetchTickers };
}

function followLog() {
  const { calls } = vi.spyOn(console, 'error').mockReturnValue().mock;
  return () => calls.map(([line]) => JSON.parse(String(line)) as Record<string, string>);
}

const hang = () => new Promise<never>(() => {});
const fail = (fault: SourceFault = 'unavailable') => Promise.reject(new SourceError('failed', { fault }));

function createPoller(...sources: PriceSource[]) {
  const onChange = vi.fn<() => void>();
  const breakers = new CircuitBreakers({}, onChange);
  return { poller: new PricePoller(sources, breakers), breakers, onChange };
}

const namesOf = async (poller: PricePoller) => (await poller.ask()).map(({ source }) => source);

afterEach(() => void vi.useRealTimers());

describe('a round', () => {
  it('returns the answers in the order of the sources, whichever was first', async () => {
    const slow = Promise.withResolvers<SourceTicker[]>();
    const second = createSource('b', () => {
      setTimeout(() => slow.resolve([ticker]));
      return Promise.resolve([ticker]);
    });
    const { poller } = createPoller(
      createSource('a', () => slow.promise),
      second,
    );
    expect(await namesOf(poller)).toEqual(['a', 'b']);
  });

  it('is as of its question, and where a source gathers its answers before, as of their own time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
    const answer = (venueTime_ms: number | null) => () => Promise.resolve([{ ...ticker, venueTime_ms }]);
    const gathered = (name: string, time: number | null) => ({ ...createSource(name, answer(time)), isGathered: true });
    const { poller } = createPoller(
      createSource('a', answer(8_500)),
      gathered('b', 8_500),
      gathered('c', 10_500),
      gathered('d', null),
    );
    expect((await poller.ask()).map(({ asOf_ms }) => asOf_ms)).toEqual([10_000, 8_500, 10_000, -Infinity]);
  });

  it('does not wait for a source that hangs when more than half have answered', async () => {
    const { poller } = createPoller(createSource('a', hang), createSource('b'), createSource('c'));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const round = namesOf(poller);
    await vi.advanceTimersByTimeAsync(249);
    let isOver = false;
    void round.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await round).toEqual(['b', 'c']);
  });

  it('waits for its 2 s when only half have answered', async () => {
    const { poller } = createPoller(
      createSource('a', hang),
      createSource('b', hang),
      createSource('c'),
      createSource('d'),
    );
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const round = namesOf(poller);
    let isOver = false;
    void round.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await round).toEqual(['c', 'd']);
  });

  it('does not ask a source whose last request is still open', async () => {
    const slow = createSource('a', hang);
    const { poller } = createPoller(slow, createSource('b'), createSource('c'));
    await poller.ask();
    await poller.ask();
    expect(slow.fetchTickers).toHaveBeenCalledOnce();
  });
});

describe('a source that fails', () => {
  const rounds = async (poller: PricePoller, times: number) => {
    for (let index = 0; index < times; index++) await poller.ask();
  };

  it('is suspended after three failures, and one good answer clears its record', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    let answer: () => Promise<SourceTicker[]> = () => fail();
    const bad = createSource('bad', () => answer());
    const { poller, breakers, onChange } = createPoller(bad, createSource('b'), createSource('c'), createSource('d'));
    await rounds(poller, 10);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(3);
    expect(onChange).toHaveBeenCalledTimes(1);
    vi.setSystemTime(30_000);
    await rounds(poller, 10);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(4);
    vi.setSystemTime(90_000);
    answer = () => Promise.resolve([ticker]);
    await rounds(poller, 10);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(14);
    expect(breakers.list()).toEqual({});
    expect(onChange).toHaveBeenCalledTimes(3);
  });

  it('is tried every 2 s when fewer than three other sources are left', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const bad = createSource('bad', () => fail());
    const { poller } = createPoller(bad, createSource('b'), createSource('c'));
    await rounds(poller, 10);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(3);
    vi.setSystemTime(1_999);
    await rounds(poller, 1);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(3);
    vi.setSystemTime(2_000);
    await rounds(poller, 10);
    expect(bad.fetchTickers).toHaveBeenCalledTimes(4);
  });

  it.each<SourceFault>(['rate_limited', 'geo_blocked'])(
    'with %s is asked once, however few sources are left',
    async (fault) => {
      const bad = createSource('bad', () => fail(fault));
      const { poller } = createPoller(bad, createSource('b'));
      await rounds(poller, 5);
      expect(bad.fetchTickers).toHaveBeenCalledOnce();
    },
  );

  it('after the round has ended counts as well', async () => {
    const late = Promise.withResolvers<SourceTicker[]>();
    const { poller, breakers } = createPoller(
      createSource('late', () => late.promise),
      createSource('b'),
      createSource('c'),
    );
    await poller.ask();
    late.reject(new SourceError('limited', { fault: 'rate_limited' }));
    await waitFor(() => expect(breakers.standingOf('prices/late', Date.now())).toBe('suspended'));
  });

  it('is logged in our own words, and so is its return', async () => {
    const log = followLog();
    const answers = [() => Promise.reject(new Error('secret text of a venue')), () => Promise.resolve([ticker])];
    const flaky = createSource('flaky', () => answers.shift()?.() ?? Promise.resolve([ticker]));
    const { poller, breakers } = createPoller(flaky);
    await poller.ask();
    breakers.recordFailure('prices/flaky', new SourceError('blocked', { fault: 'geo_blocked' }), Date.now());
    breakers.recordAnswer('prices/flaky');
    const lines = log();
    expect(lines.map(({ event, fault }) => [event, fault])).toEqual([
      ['source_failed', 'unavailable'],
      ['source_failed', 'geo_blocked'],
      ['source_suspended', 'geo_blocked'],
      ['source_recovered', undefined],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('by answering with none of the coins is logged, and suspended after three failures', async () => {
    const log = followLog();
    const empty = createSource('empty', () => Promise.resolve([]));
    const { poller, breakers } = createPoller(empty, createSource('b'), createSource('c'), createSource('d'));
    await rounds(poller, 5);
    expect(empty.fetchTickers).toHaveBeenCalledTimes(3);
    expect(breakers.standingOf('prices/empty', Date.now())).not.toBe('good');
    const [line] = log();
    expect(line).toMatchObject({
      event: 'source_failed',
      source: 'prices/empty',
      reason: 'answered with none of the coins that were asked for',
    });
  });

  it('by refusing one request is logged, and asked again', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const picky = createSource('picky', () => fail('question_refused'));
    const { poller, breakers } = createPoller(picky, createSource('b'), createSource('c'), createSource('d'));
    await rounds(poller, 5);
    expect(picky.fetchTickers).toHaveBeenCalledTimes(5);
    expect(breakers.list()).toEqual({});
    expect(log.mock.calls.join()).toContain('source_refused_question');
  });
});

describe('a source with a least interval between requests', () => {
  const slow = (answer?: () => Promise<SourceTicker[]>) => ({
    ...createSource('slow', answer),
    leastInterval_ms: 1_500,
  });
  const ask = async (poller: PricePoller) =>
    (await poller.ask()).map(({ source, isRepeat, received_ms }) => [source, isRepeat, received_ms]);

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 10_000 }));

  it('is asked no earlier, and its last answer is repeated with its own time', async () => {
    const source = slow();
    const { poller } = createPoller(source, createSource('b'));
    expect(await ask(poller)).toEqual([
      ['slow', false, 10_000],
      ['b', false, 10_000],
    ]);
    vi.setSystemTime(11_499);
    expect(await ask(poller)).toEqual([
      ['slow', true, 10_000],
      ['b', false, 11_499],
    ]);
    vi.setSystemTime(11_500);
    expect(await ask(poller)).toEqual([
      ['slow', false, 11_500],
      ['b', false, 11_500],
    ]);
    expect(source.fetchTickers).toHaveBeenCalledTimes(2);
  });

  it('has nothing to repeat when it failed, and is asked no earlier', async () => {
    const source = slow(() => fail());
    const { poller } = createPoller(source, createSource('b'));
    await ask(poller);
    vi.setSystemTime(11_000);
    expect(await ask(poller)).toEqual([['b', false, 11_000]]);
    expect(source.fetchTickers).toHaveBeenCalledOnce();
  });

  it('is asked when the clock went back, because the time since its last request is unknown', async () => {
    const source = slow();
    const { poller } = createPoller(source, createSource('b'));
    await ask(poller);
    vi.setSystemTime(9_000);
    await ask(poller);
    expect(source.fetchTickers).toHaveBeenCalledTimes(2);
  });
});
