import { describe, expect, it } from 'vitest';
import { type Run, points, runInTime } from '../support/dealing/hedger-in-time.ts';

/** What the dealer and the way to it do wrong, each in this share of cases. */
const FAULTS: Run['faults'] = {
  requestLost: 0.04,
  answerLost: 0.08,
  late: 0.05,
  refused: 0.1,
  partial: 0.1,
  slow: 0.15,
  forgets: 0.002,
};

const ORDERS = Number(process.env['HEDGED_ORDERS'] ?? 3_000);

/**
 * Clients, a market, a dealer and its venue in virtual time, over a real ledger: requests are lost, late and answered in
 * part, the dealer forgets, and the hedger dies at every point and is slow while another one looks.
 */
describe('a hedger that dies at every point', () => {
  it(`over ${ORDERS} orders hedges nothing twice and believes nothing that did not happen`, async () => {
    const run = await runInTime({ seed: 1, orders: ORDERS, crash: 0.05, pause: 0.02, faults: FAULTS });
    const hedges = Object.values(run.hedges).reduce((sum, one) => sum + one, 0);
    expect(hedges).toBeGreaterThan(ORDERS / 12);
    for (const point of points) expect(run.crashes[point], point).toBeGreaterThan(0);
    expect(run.pauses).toBeGreaterThan(0);
    expect(run).toMatchObject({ doubled: 0, believedWrongly: 0, open: 0, sumsOff: 0 });
    // The venue counts finer than the ledger, which rounds against the house: by less than an atom of each amount and fee.
    expect(run.coinOff).toBe(0n);
    expect(run.usdtOff).toBeGreaterThanOrEqual(0n);
    expect(run.usdtOff).toBeLessThanOrEqual(BigInt(2 * hedges));
  });

  it('keeps the position near its band when nothing fails', async () => {
    const run = await runInTime({ seed: 2, orders: 2_000, crash: 0, pause: 0, faults: {} });
    expect(run).toMatchObject({ doubled: 0, believedWrongly: 0, open: 0, coinOff: 0n });
    // One order is worth 20,000 USDT at most.
    expect(run.maxPosition_usdt).toBeLessThan(20_600 * 1.5);
  });
});
