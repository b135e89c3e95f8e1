import { expect, inject, it } from 'vitest';
import { runFuzz } from './run-fuzz.ts';

/** Enough for each route to be taken, and to be refused behind its first check. */
const REQUESTS = 1_300;

/** The short form of `npm run fuzz`. */
it('hostile requests to every route get a documented answer, move no money, and leave no secret in a log', async () => {
  const report = await runFuzz({
    bundle: inject('workerBundle'),
    seed: 20_261_121,
    requests: REQUESTS,
    report: () => undefined,
  });
  expect(report.violations).toEqual([]);
  expect(report.requests).toBe(REQUESTS);
  // Requests that were all refused at the first check would prove little.
  expect(report.taken['placeOrder']).toBeGreaterThan(0);
  expect(report.statuses['422']).toBeGreaterThan(50);
  expect(Object.keys(report.taken).length).toBeGreaterThan(25);
}, 600_000);
