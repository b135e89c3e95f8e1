import { describe, expect, it } from 'vitest';
import { type Trader, openTrader } from '../support/exchange.ts';
import { measure } from '../support/runtime/meter.ts';
import { stopClock, switchOnTotp } from '../support/withdrawals/withdrawals.ts';

/** What a request costs that is answered with this status. */
const measureAnswer = (trader: Trader, status: number, ask: () => Promise<Response>) =>
  measure(trader.lane, async () => expect((await ask()).status).toBe(status));

describe('a withdrawal', () => {
  it('with a code needs the same three round trips', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '200' });
    const authenticator = await switchOnTotp(trader.accountId);
    await trader.balances();
    const totpCode = await authenticator.code();
    const cost = await measureAnswer(trader, 201, () => trader.withdraw({ totpCode }, 'measured'));
    expect(cost).toMatchObject({ laneCalls: 1, hubCalls: 0, databaseTrips: 3 });
    // The attempt and the code's time step are written in addition.
    expect(cost.databaseRowsWritten).toBeLessThanOrEqual(16);
  });

  it('of a coin needs one call of the hub in addition', async () => {
    const trader = await openTrader({ DOGE: '1000' });
    await trader.balances();
    const change = { asset: 'DOGE', network: 'DOGE', address: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', amount: '100' };
    const cost = await measureAnswer(trader, 201, () => trader.withdraw(change, 'measured'));
    expect(cost).toMatchObject({ laneCalls: 1, hubCalls: 1, databaseTrips: 3 });
    expect(cost.databaseRowsWritten).toBeLessThanOrEqual(14);
  });

  it('that is replayed needs one call of the lane and at most one row of the object', async () => {
    const trader = await openTrader({ USDT: '200' });
    await trader.withdraw({}, 'again');
    const cost = await measure(trader.lane, () => trader.withdraw({}, 'again'));
    expect(cost).toMatchObject({ laneCalls: 1, hubCalls: 0, databaseTrips: 0, databaseRowsWritten: 0 });
    expect(cost.objectRowsWritten).toBeLessThanOrEqual(1);
  });

  it('that is refused writes nothing to D1', async () => {
    const trader = await openTrader();
    await trader.balances();
    const cost = await measureAnswer(trader, 422, () => trader.withdraw({ amount: '1' }, 'refused'));
    expect(cost).toMatchObject({ laneCalls: 1, databaseTrips: 1, databaseRowsWritten: 0 });
  });
});
