import { beforeAll, describe, expect, it } from 'vitest';
import { asOperator, expectCode, openTrader, operate } from '../support/exchange.ts';
import { reconcileAnew, statusesOf, allOk } from '../support/reconciliation.ts';

interface Body {
  readonly from: string;
  readonly to: string;
  readonly asset?: string;
  readonly amount?: string;
  readonly reference?: string;
}

const fund = ({ asset = 'USDT', amount = '100', reference = crypto.randomUUID(), ...places }: Body) =>
  asOperator('POST', '/fundings', { ledger: 0, asset, amount, reference, ...places });

async function readAsset(asset: string): Promise<Record<string, string>> {
  const { house } = await operate<{ house: { assets: Record<string, string>[] } }>('GET', '/house');
  return house.assets.find((one) => one['asset'] === asset)!;
}

describe('POST /operator/v1/fundings', () => {
  beforeAll(async () => {
    await openTrader({ USDT: '1000', BTC: '1' });
    await expectCode(fund({ from: 'owner', to: 'custody', amount: '5000' }), '201');
  });

  it('brings capital in, sends it to a venue and back, and what clients are owed stays as it was', async () => {
    const { owedToClients } = await readAsset('USDT');
    await expectCode(fund({ from: 'custody', to: 'binance', amount: '3000' }), '201');
    await expectCode(fund({ from: 'binance', to: 'custody', amount: '400' }), '201');
    await expectCode(fund({ from: 'custody', to: 'owner', amount: '1000' }), '201');
    expect(await readAsset('USDT')).toMatchObject({
      owedToClients,
      capital: '4000',
      inventory: '4000',
      position: '0',
      atVenues: '2600',
      custodyShouldHold: '2400',
    });
    expect(statusesOf(await reconcileAnew())).toEqual(allOk);
  });

  it('happens once for a reference', async () => {
    const body = { from: 'owner', to: 'custody', reference: 'once' };
    await expectCode(fund(body), '201');
    await expectCode(fund({ ...body, amount: '100.0' }), '200');
    await expectCode(fund({ ...body, amount: '101' }), '409 invalid_state');
    await expectCode(fund({ ...body, to: 'kraken' }), '409 invalid_state');
  });

  it.each<[string, Body, string]>([
    ['more than a place has', { from: 'kraken', to: 'custody' }, '422 order_rejected'],
    ['more than the owner has', { from: 'custody', to: 'owner', amount: '4101' }, '422 order_rejected'],
    ['more than custody may hold', { from: 'owner', to: 'custody', amount: '1000000001' }, '422 order_rejected'],
    ['nothing', { from: 'owner', to: 'custody', amount: '0' }, '422 amount_below_minimum'],
    ['finer amounts', { from: 'owner', to: 'custody', amount: '1.0000001' }, '422 precision_exceeded'],
    ['more than 64 bits', { from: 'owner', to: 'custody', amount: '9223372036854.775808' }, '422 amount_above_maximum'],
    ['to where it is', { from: 'custody', to: 'custody' }, '400 invalid_request'],
    ['to a name that no venue has', { from: 'custody', to: 'Binance' }, '400 invalid_request'],
  ])('does not move %s', async (_what, body, code) => {
    await expectCode(fund(body), code);
  });

  it('refuses a ledger that does not exist', async () => {
    const body = { ledger: 7, from: 'owner', to: 'custody', asset: 'USDT', amount: '1', reference: 'r' };
    await expectCode(asOperator('POST', '/fundings', body), '400 invalid_request');
  });

  it('leaves no more at venues than the capital, unless the operator allows more', async () => {
    const more = { from: 'custody', to: 'binance', asset: 'BTC', amount: '0.5' };
    const { detail } = await expectCode(fund(more), '409 invalid_state');
    expect(detail).toMatch(/would be at venues, and at most 4100 may be/);
    await operate('PATCH', '/settings', { maxAtVenues: '1000000' });
    await expectCode(fund(more), '201');
    await operate('PATCH', '/settings', { maxAtVenues: null });
  });
});
