import { describe, expect, test } from 'vitest';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { streamSources } from '../../../src/markets/streams/list-streams.ts';
import type { StreamSource } from '../../../src/markets/streams/stream-source.ts';
import { type PriceVenue, priceVenues } from '../../../src/money/venue-symbols.ts';
import { type PlayedSocket, PlayedStreams } from '../../support/markets/play-streams.ts';

const HOUR_MS = 3_600_000;

/** OKX's stream under another venue's name: the rules of sockets are the same for all. */
const at = (venue: PriceVenue): StreamSource => ({ ...streamSources.okx, venue, subscribe: (symbols) => symbols });

const book = (instId: string, price: string, ts: number) => ({
  arg: { instId },
  data: [{ bids: [[price]], asks: [[price]], ts: String(ts) }],
});

/** Answers a ping, and gives the book of bitcoin. */
function talk(socket: PlayedSocket, now_ms: number): void {
  if (socket.sent.at(-1) === 'ping') socket.say('pong');
  const symbol = socket.sent.find((text) => /BTC|XBT/.test(text)) ?? '';
  socket.say(book(symbol, '65000', now_ms));
}

function play(venues: readonly PriceVenue[] = ['okx']) {
  const played = new PlayedStreams(venues.map((venue) => ({ source: at(venue), url: `wss://${venue}` })));
  const talkOnAll = () => played.open.forEach((socket) => talk(socket, played.now_ms));
  const voteOf = () => played.streams.votes('BTC')[0];
  return { played, talkOnAll, voteOf };
}

describe('a venue’s stream', () => {
  test('votes with its books once its way and its clock are known', async () => {
    const { played, voteOf } = play();
    await played.pass(250);
    const [socket] = played.open;
    expect(socket?.sent).toEqual([...new Set(socket?.sent)]);
    expect(socket?.sent).toContain('BTC-USDT');
    socket?.say(book('BTC-USDT', '65000', played.now_ms));
    expect(voteOf()).toBeUndefined();
    socket?.say('pong');
    socket?.say(book('BTC-USDT', '65001', played.now_ms));
    expect(voteOf()).toEqual({
      venue: 'okx',
      bid: '65001',
      ask: '65001',
      own_ms: played.now_ms,
      vouched_ms: played.now_ms,
    });
    expect(played.heard).toBe(3);
  });

  test('vouches for its other books by each message, and for none of a market that was not asked for', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(500, talkOnAll);
    const { own_ms = 0 } = voteOf() ?? {};
    played.now_ms += 100;
    played.open[0]?.say(book('ETH-USDT', '2500', played.now_ms));
    expect(voteOf()).toMatchObject({ own_ms, vouched_ms: own_ms + 100 });
    played.open[0]?.say(book('SHIB-USDT', '7', played.now_ms));
    expect(played.streams.states(played.now_ms)['okx']?.books).toBe(2);
  });

  test('is cut after three silent seconds, and counts as alive for five more', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(1_000, talkOnAll);
    await played.pass(3_000);
    expect(played.open).toHaveLength(1);
    await played.pass(250);
    expect([played.open.length, voteOf()]).toEqual([0, undefined]);
    expect(played.streams.alive('BTC', played.now_ms)).toBe(1);
    played.refusal = new SourceError('is down');
    await played.pass(4_750);
    expect(played.streams.alive('BTC', played.now_ms)).toBe(1);
    await played.pass(250);
    expect(played.streams.alive('BTC', played.now_ms)).toBe(0);
  });

  test('is opened again at once when it was good, without the books of before', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(1_000, talkOnAll);
    played.open[0]?.cut();
    expect(voteOf()).toBeUndefined();
    await played.pass(250);
    expect(played.open).toHaveLength(1);
    expect(voteOf()).toBeUndefined();
    await played.pass(250, talkOnAll);
    expect(voteOf()).toBeDefined();
    expect(played.streams.states(played.now_ms)['okx']).toMatchObject({ standing: 'open', reconnects: 1 });
  });

  test('is tried again later each time while it is down, and then as its breaker says, unless too few are alive', async () => {
    const tryFor = async (venues: readonly PriceVenue[]) => {
      const { played, talkOnAll } = play(venues);
      await played.pass(1_000, talkOnAll);
      played.refusal = new SourceError('is down');
      played.open[0]?.cut();
      const before = played.tries;
      await played.pass(90_000, talkOnAll);
      return played.tries - before;
    };
    expect(await tryFor(['okx'])).toBeGreaterThan(15);
    expect(await tryFor(['okx', 'gate', 'kucoin', 'binance', 'bybit'])).toBeLessThan(12);
  });

  test.each(['geo_blocked', 'address_blocked', 'rate_limited'] as const)('%s suspends it at once', async (fault) => {
    const { played } = play();
    played.refusal = new SourceError('refused', { fault });
    await played.pass(30_000);
    expect(played.tries).toBe(1);
  });

  test.each(['<html>', 'x'.repeat(1_000_000)])('is cut when it says what cannot be read', async (text) => {
    const { played, talkOnAll } = play();
    await played.pass(1_000, talkOnAll);
    const [socket] = played.open;
    socket?.say(text);
    expect(socket?.isOpen).toBe(false);
  });

  test('is given up when it talks but gives no book', async () => {
    const { played } = play();
    const first = () => played.sockets[0];
    await played.pass(10_000, () => first()?.say('pong'));
    expect(first()?.isOpen).toBe(true);
    await played.pass(500, () => first()?.say('pong'));
    expect(first()?.isOpen).toBe(false);
  });

  test('that says it will end is replaced first, and what the old socket says after that counts no more', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(1_000, talkOnAll);
    const [old] = played.open;
    old?.say({ event: 'notice' });
    await played.pass(250, () => old && talk(old, played.now_ms));
    expect(played.open).toHaveLength(2);
    await played.pass(250, talkOnAll);
    expect([old?.isOpen, played.open.length]).toEqual([false, 1]);
    old?.say(book('BTC-USDT', '1', played.now_ms));
    expect(voteOf()?.bid).toBe('65000');
    expect(played.streams.states(played.now_ms)['okx']?.reconnects).toBe(0);
  });

  test('pings, so that no venue ends it, and waits for a welcome where there is one', async () => {
    const { played, talkOnAll } = play();
    await played.pass(60_000, talkOnAll);
    expect(played.open[0]?.sent.filter((text) => text === 'ping')).toHaveLength(4);
    const greeted = new PlayedStreams([{ source: { ...at('okx'), welcomes: true }, url: 'wss://okx' }]);
    await greeted.pass(250);
    expect(greeted.open[0]?.sent).toEqual([]);
  });

  test('is given up when it answers no ping at first, and keeps its way when it answers none later', async () => {
    const { played, talkOnAll, voteOf } = play();
    const sayBook = () => played.open[0]?.say(book('BTC-USDT', '65000', played.now_ms));
    await played.pass(10_250, sayBook);
    expect([played.sockets[0]?.isOpen, voteOf()]).toEqual([true, undefined]);
    await played.pass(250, sayBook);
    expect(played.sockets[0]?.isOpen).toBe(false);
    await played.pass(1_000, talkOnAll);
    await played.pass(60_000, sayBook);
    expect(voteOf()).toMatchObject({ own_ms: played.now_ms - 125 });
    expect(played.sockets).toHaveLength(2);
  });

  test('makes no book newer by an event that comes late or twice, and vouches for no less than before', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(1_000, talkOnAll);
    const { vouched_ms = 0 } = voteOf() ?? {};
    for (const late_ms of [600, 600, 300]) {
      played.open[0]?.say(book('BTC-USDT', '64000', played.now_ms - late_ms));
      expect(voteOf()).toMatchObject({ bid: '64000', own_ms: vouched_ms - late_ms, vouched_ms });
    }
  });

  test('that is refused a market, or has a book without one side, has all its other books', async () => {
    const { played, talkOnAll, voteOf } = play();
    await played.pass(1_000, talkOnAll);
    played.open[0]?.say({ event: 'error', code: '60018', msg: "instId:ETH-USDT doesn't exist." });
    await played.pass(1_000, talkOnAll);
    expect([played.sockets.length, voteOf()?.bid, played.streams.votes('ETH')]).toEqual([1, '65000', []]);
    played.open[0]?.say({ arg: { instId: 'BTC-USDT' }, data: [{ bids: [], asks: [['65001']], ts: played.now_ms }] });
    expect(voteOf()).toMatchObject({ bid: null, ask: '65001' });
  });

  test('has a book of one side only after a change without a whole book', async () => {
    const played = new PlayedStreams([{ source: streamSources.bybit, url: 'wss://bybit' }]);
    await played.pass(250);
    const [socket] = played.open;
    const say = (type: string, b: readonly unknown[], a: readonly unknown[]) =>
      socket?.say({ topic: 'orderbook.1.BTCUSDT', type, ts: played.now_ms, data: { s: 'BTCUSDT', b, a } });
    const sides = () => played.streams.votes('BTC').map(({ bid, ask }) => [bid, ask]);
    socket?.say({ op: 'pong' });
    say('delta', [['65000', '1']], []);
    expect(sides()).toEqual([['65000', null]]);
    say('snapshot', [['65000', '1']], [['65001', '1']]);
    say('delta', [], [['65002', '1']]);
    expect(sides()).toEqual([['65000', '65002']]);
  });

  test('an attempt that ends after the streams were closed is closed', async () => {
    const { played } = play();
    played.streams.advance();
    played.streams.close();
    await played.pass(0);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(played.sockets.map(({ isOpen }) => isOpen)).toEqual([false]);
  });
});

test('in 24 hours each of seven sockets is renewed once, one at a time, and none is missing', async () => {
  const { played, talkOnAll } = play(priceVenues);
  await played.pass(2_000, talkOnAll);
  let [fewest, most] = [Infinity, 0];
  await played.pass(
    24 * HOUR_MS,
    () => {
      most = Math.max(most, played.open.length);
      talkOnAll();
      fewest = Math.min(fewest, played.streams.votes('BTC').length);
    },
    2_000,
  );
  expect([fewest, most]).toEqual([priceVenues.length, priceVenues.length + 1]);
  const opened = priceVenues.map((venue) => played.sockets.filter(({ url }) => url === `wss://${venue}`).length);
  expect(opened).toEqual(priceVenues.map(() => 2));
});

describe('all venues’ streams', () => {
  test('that are cut every second, or all at once, are opened again, and all count as alive until they are', async () => {
    for (const every_ms of [1_000, 4_000]) {
      const { played, talkOnAll } = play(priceVenues);
      await played.pass(2_000, talkOnAll);
      for (let cut = 0; cut < 60; cut += 1) {
        played.open.forEach((socket) => socket.cut());
        expect(played.streams.votes('BTC')).toEqual([]);
        await played.pass(every_ms, () => {
          talkOnAll();
          expect(played.streams.alive('BTC', played.now_ms)).toBe(priceVenues.length);
        });
        expect(played.streams.votes('BTC')).toHaveLength(priceVenues.length);
      }
      expect(played.sockets).toHaveLength(61 * priceVenues.length);
    }
  });

  test('that are refused for a minute count as lost after five seconds, are not stormed, and all come back', async () => {
    const { played, talkOnAll } = play(priceVenues);
    await played.pass(2_000, talkOnAll);
    played.refusal = new SourceError('is down');
    played.open.forEach((socket) => socket.cut());
    const before = played.tries;
    await played.pass(60_000);
    expect(played.streams.alive('BTC', played.now_ms)).toBe(0);
    expect(played.tries - before).toBeLessThan(20 * priceVenues.length);
    played.refusal = undefined;
    await played.pass(8_000, talkOnAll);
    expect(played.streams.votes('BTC')).toHaveLength(priceVenues.length);
  });
});
