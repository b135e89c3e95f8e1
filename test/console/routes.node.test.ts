import { expect, it, vi } from 'vitest';
import { anybody, changes, reads, toPattern } from '../support/node/console/console-routes.ts';

vi.mock('cloudflare:workers', () => ({
  env: {
    CONSOLE_ORIGIN: 'http://localhost:8788',
    API_ORIGIN: 'http://127.0.0.1:8787',
    MAIL_FROM: 'console@bureau.example',
    DEPOSIT_MAIL_MINIMUM: '10',
    SELF_OPENING: 'off',
  },
}));

it('the refusals are tested on every route of the console', async () => {
  // Named in a variable, since it is of another runtime's types than this file.
  const file = '../../console/src/app.ts';
  const { app } = (await import(file)) as { app: { routes: { method: string; path: string }[] } };
  const registered = app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
    .map(({ method, path }) => `${method} ${path}`);
  const tested = [
    ...changes.map(([method, path]) => [method, path] as const),
    ...reads.map((path) => ['GET', path] as const),
  ];
  const untested = [...new Set(registered)].filter((route) => {
    const [method = '', path = ''] = route.split(' ');
    return !anybody.includes(route) && !tested.some(([sent, to]) => sent === method && toPattern(path).test(to));
  });
  expect(untested).toEqual([]);
  expect(registered.length).toBeGreaterThan(25);
});
