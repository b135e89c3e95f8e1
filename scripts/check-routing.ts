import { type LocalExchange, expectThat } from './local-exchange.ts';

function typeOf(response: Response): string | undefined {
  return response.headers.get('Content-Type')?.split(';')[0];
}

/**
 * Checks that the documentation and the API share one address as they should. This needs the platform's router in front
 * of the Worker, which the runtime of the other tests does not have.
 */
export async function checkRouting({ origin }: LocalExchange): Promise<void> {
  const ask = (path: string, method = 'GET') => fetch(new URL(path, origin), { method, redirect: 'manual' });

  for (const path of ['/docs', '/docs/guides/first-order', '/errors', '/errors/insufficient_balance']) {
    const [page, head] = await Promise.all([ask(path), ask(path, 'HEAD')]);
    const isPage = page.status === 200 && typeOf(page) === 'text/html' && head.status === 200;
    expectThat(
      isPage && page.headers.get('Content-Security-Policy')?.startsWith("default-src 'none'") === true,
      `a page at ${path}`,
    );
  }
  expectThat((await ask('/')).headers.get('Location') === '/docs', 'the documentation behind /');
  expectThat((await ask('/docs/')).headers.get('Location') === '/docs', 'one address of each page');

  for (const [path, method, status] of [
    ['/api/v1/nothing', 'GET', 404],
    ['/operator/v1/nothing', 'GET', 404],
    ['/docs/nothing', 'GET', 404],
    ['/errors/nothing', 'GET', 404],
    ['/nothing', 'POST', 404],
    ['/api/v1/markets/tickers', 'POST', 405],
    ['/api/v1/orders', 'POST', 401],
  ] as const) {
    const response = await ask(path, method);
    const problem = (await response.json()) as { status: number; type: string };
    const isProblem = response.status === status && typeOf(response) === 'application/problem+json';
    expectThat(isProblem && problem.status === status, `${method} ${path} is a problem of ${status}`);
    const explained = await ask(problem.type);
    expectThat(explained.status === 200 && typeOf(explained) === 'text/html', `${problem.type} explains it`);
  }
  expectThat((await ask('/api/v1/markets/tickers', 'HEAD')).status === 200, 'HEAD of the API as ever');
}
