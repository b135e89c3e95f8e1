import { afterAll, inject } from 'vitest';
import { Operator } from './operator.ts';
import { type ExchangeOptions, startExchange } from './start-exchange.ts';

/** Starts an exchange for the tests of a file, without the site's files, and ends it after them. */
export async function openExchange(options: Partial<ExchangeOptions> = {}) {
  const exchange = await startExchange({ bundle: inject('workerBundle'), site: false, ...options });
  afterAll(() => exchange.dispose());
  const [origin = ''] = exchange.urls;
  return { exchange, origin, operator: new Operator(origin) };
}
