import { expect, it } from 'vitest';
import { FixedPathRouter } from '../../src/http/area.ts';

function namesOf(router: FixedPathRouter<string>, method: string, path: string): readonly string[] {
  return router.match(method, path)[0].map(([name]) => name);
}

/** Every request is matched twice, since the second answer may be a remembered one. */
function matchTwice(router: FixedPathRouter<string>, method: string, path: string): readonly string[] {
  const first = namesOf(router, method, path);
  expect(namesOf(router, method, path)).toEqual(first);
  return first;
}

it('finds the handlers of a fixed path in the order of their routes, with those of wildcards and parameters', () => {
  const router = new FixedPathRouter<string>();
  router.add('ALL', '*', 'first');
  router.add('ALL', '/markets/:symbol', 'of a symbol');
  router.add('GET', '/markets/tickers', 'tickers');
  router.add('POST', '/markets/tickers', 'posted');
  expect(matchTwice(router, 'GET', '/markets/tickers')).toEqual(['first', 'of a symbol', 'tickers']);
  expect(matchTwice(router, 'POST', '/markets/tickers')).toEqual(['first', 'of a symbol', 'posted']);
  expect(matchTwice(router, 'DELETE', '/markets/tickers')).toEqual(['first', 'of a symbol']);
  expect(matchTwice(router, 'GET', '/nothing')).toEqual(['first']);
});

it('gives each request its own parameters', () => {
  const router = new FixedPathRouter<string>();
  router.add('GET', '/markets/tickers', 'tickers');
  router.add('GET', '/markets/:symbol', 'of a symbol');
  const symbolIn = (path: string) => router.match('GET', path)[0].at(-1)?.[1];
  expect(symbolIn('/markets/tickers')).toEqual({ symbol: 'tickers' });
  expect(symbolIn('/markets/BTC')).toEqual({ symbol: 'BTC' });
  expect(symbolIn('/markets/ETH')).toEqual({ symbol: 'ETH' });
  expect(symbolIn('/markets/tickers')).toEqual({ symbol: 'tickers' });
});
