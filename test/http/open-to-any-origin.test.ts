import { describe, expect, it } from 'vitest';
import { app } from '../../src/app.ts';
import { send } from '../support/exchange.ts';

const routes = app.openAPIRegistry.definitions
  .filter((definition) => definition.type === 'route')
  .map(({ route }) => ({ ...route, isPublic: !route.security?.length }));

const methodsOf = (path: string) =>
  routes
    .filter((route) => route.path === path)
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .toSorted();

const paths = [...new Set(routes.filter(({ isPublic }) => isPublic).map(({ path }) => path))];

function preflight(path: string): Promise<Response> {
  const headers = {
    Origin: 'https://page.test',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization,if-none-match',
  };
  return send(path.replaceAll(/{\w+}/g, 'BTC'), { method: 'OPTIONS', headers });
}

describe('a preflight', () => {
  it.each(paths)('for %s names the methods that exist there, and no other', async (path) => {
    const response = await preflight(path);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Allow-Methods')?.split(',').toSorted()).toEqual(methodsOf(path));
    expect(response.headers.get('Access-Control-Allow-Headers')).toBe('authorization,if-none-match');
    expect(response.headers.get('Vary')).toBe('Access-Control-Request-Headers');
    expect(response.headers.get('Content-Type')).toBeNull();
  });

  it('for an unknown path is answered 404', async () => {
    expect((await preflight('/api/v1/markets/BTC/nothing')).status).toBe(404);
  });

  it('for a path that needs a key is not answered, so no page of another origin may send a key there', async () => {
    for (const path of ['/api/v1/orders', '/api/v1/wallet/balances', '/operator/v1/settings']) {
      const response = await preflight(path);
      expect(response.status).toBe(405);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    }
  });
});

it('every public answer may be read by a page of any origin, also a refusal', async () => {
  for (const path of ['/api/v1/time', '/api/v1/markets/NONE']) {
    const response = await send(path, { headers: { Origin: 'https://page.test' } });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('Retry-After');
  }
});
