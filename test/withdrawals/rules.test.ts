import { describe, expect, it, vi } from 'vitest';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { type AssetRecord, assetSymbols, assets } from '../../src/money/assets.ts';
import { networks } from '../../src/money/networks.ts';
import { addressCases } from '../support/addresses/address-cases.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { asOperator, json, openTrader, expectCode } from '../support/exchange.ts';
import {
  readAttempts,
  readHoldings,
  setSettings,
  stopClock,
  switchOnTotp,
} from '../support/withdrawals/withdrawals.ts';

/** All pairs of asset and network. The specification's matrix enables some of them. */
const pairs = assetSymbols.flatMap((asset) => networks.map((network) => ({ asset, network })));
const isOn = ({ asset, network }: (typeof pairs)[number]) =>
  (assets[asset] as AssetRecord).networks.some((listed) => listed.network === network);
const assetOn = (network: string) => pairs.find((pair) => pair.network === network && isOn(pair))?.asset ?? 'USDT';

const ETH_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('the destination', () => {
  it('outside the matrix is network_not_supported, for every pair, and the answer lists the asset’s networks', async () => {
    const trader = await openTrader();
    const off = pairs.filter((pair) => !isOn(pair));
    expect(off.length).toBeGreaterThan(50);
    for (const pair of off) {
      const problem = await expectCode(trader.withdraw(pair), '422 network_not_supported');
      const listed = (assets[pair.asset] as AssetRecord).networks.map(({ network }) => network);
      expect(problem.networks).toEqual(listed);
    }
  });

  it.each(['XRP', 'trc20', 'TRC20 ', 'ERC20'])(
    'on an unknown network is network_not_supported: %j',
    async (network) => {
      const trader = await openTrader({ USDT: '100' });
      const problem = await expectCode(trader.withdraw({ network }), '422 network_not_supported');
      expect(problem.networks).toContain('TRC20');
    },
  );

  it.each(addressCases.filter(({ verdict }) => verdict === 'none'))(
    'that is no address is invalid_address on $network: $why',
    async ({ network, text }) => {
      const trader = await openTrader();
      const change = { asset: assetOn(network), network, address: text };
      await expectCode(trader.withdraw(change), '422 invalid_address');
    },
  );

  it('that is a listed token’s contract is invalid_address, on every network', async () => {
    const trader = await openTrader();
    for (const { asset, network } of pairs.filter(isOn)) {
      const listed = (assets[asset] as AssetRecord).networks.find((one) => one.network === network);
      if (!listed?.contractAddress) continue;
      const change = { asset, network, address: listed.contractAddress };
      await expectCode(trader.withdraw(change), '422 invalid_address');
    }
  });

  it('that is the account’s own deposit address is invalid_address, on every network and in any case', async () => {
    const trader = await openTrader({ USDT: '100' });
    for (const [network, address] of Object.entries(await readAddresses(trader))) {
      const change = { asset: assetOn(network), network, address, amount: '0.1' };
      await expectCode(trader.withdraw(change), '422 invalid_address');
      if (!address.startsWith('0x')) continue;
      const lower = { ...change, address: address.toLowerCase() };
      await expectCode(trader.withdraw(lower), '422 invalid_address');
    }
  });
});

describe('the amount', () => {
  it.each([
    ['50.0000001', 'precision_exceeded'],
    ['0.0000000', 'amount_below_minimum'],
    ['0', 'amount_below_minimum'],
    ['4.999999', 'amount_below_minimum'],
    ['9223372036854.775808', 'amount_above_maximum'],
    ['99999999999999999999', 'amount_above_maximum'],
  ])('of %s USDT is %s', async (amount, code) => {
    const trader = await openTrader({ USDT: '100' });
    const before = await readHoldings(trader.accountId);
    await expectCode(trader.withdraw({ amount }), `422 ${code}`);
    expect(await readHoldings(trader.accountId)).toEqual(before);
  });

  it.each([
    '1e3',
    '0x10',
    '1_000',
    'Infinity',
    'NaN',
    '-0',
    '-1',
    '+1',
    '.5',
    '5.',
    '1,0',
    '５０',
    '',
    ' 50',
    '050',
    '1'.repeat(200),
    50,
  ])('that is not a plain decimal string is invalid_request: %j', async (amount) => {
    const trader = await openTrader({ USDT: '100' });
    const before = await readHoldings(trader.accountId);
    await expectCode(trader.withdraw({ amount }), '400 invalid_request');
    expect(await readHoldings(trader.accountId)).toEqual(before);
  });

  it('may be the minimum, and the operator’s minimum and fee replace the matrix’s', async () => {
    const trader = await openTrader({ USDT: '100' });
    expect((await trader.takeOut({ amount: '5' })).fee).toBe('1');
    await setSettings({ minimums: { USDT: { TRC20: '20' } }, fees: { USDT: { TRC20: '2.5' } } });
    try {
      await expectCode(trader.withdraw({ amount: '19.999999' }), '422 amount_below_minimum');
      expect((await trader.takeOut({ amount: '20' })).fee).toBe('2.5');
      expect((await trader.balances())['USDT']).toBe('71.5');
    } finally {
      await setSettings({ minimums: { USDT: { TRC20: '5' } }, fees: { USDT: { TRC20: '1' } } });
    }
  });

  it('plus its fee may be the whole balance, and not one atom more', async () => {
    const trader = await openTrader({ USDT: '100' });
    const refused = await trader.withdraw({ amount: '99.000001' });
    expect([refused.status, await json(refused)]).toMatchObject([
      422,
      { code: 'insufficient_balance', asset: 'USDT', available: '100', required: '100.000001', fee: '1' },
    ]);
    expect((await trader.balances())['USDT']).toBe('100');
    expect((await trader.withdraw({ amount: '99' })).status).toBe(201);
    expect((await trader.balances())['USDT']).toBe('0');
  });

  it('that exceeds the largest number together with its fee is refused, and changes nothing', async () => {
    const trader = await openTrader({ USDT: '100' });
    const dailyWithdrawalLimit = '9223372036854.775807';
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { dailyWithdrawalLimit });
    const before = await readHoldings(trader.accountId);
    const response = await trader.withdraw({ amount: dailyWithdrawalLimit }, 'largest');
    expect(response.status).toBe(422);
    expect(await readHoldings(trader.accountId)).toEqual(before);
    expect((await trader.withdraw()).status).toBe(201);
  });

  it('of an asset that the account does not hold is insufficient_balance', async () => {
    const trader = await openTrader({ USDT: '100' });
    const change = { asset: 'ETH', network: 'ETH', address: ETH_ADDRESS, amount: '0.1' };
    const refused = await trader.withdraw(change);
    expect(await json(refused)).toMatchObject({ code: 'insufficient_balance', asset: 'ETH', available: '0' });
  });
});

describe('a pause', () => {
  it('of withdrawals, or of the network, is withdrawals_suspended with Retry-After, and other networks pay', async () => {
    const trader = await openTrader({ USDT: '200' });
    await setSettings({ withdrawalsHalted: true });
    await expectCode(trader.withdraw(), '503 withdrawals_suspended');
    await setSettings({ withdrawalsHalted: false, pausedNetworks: ['TRC20'] });
    const paused = await trader.withdraw();
    expect(paused.headers.get('Retry-After')).toBe('60');
    await expectCode(paused, '503 withdrawals_suspended');
    expect((await trader.withdraw({ network: 'BEP20', address: ETH_ADDRESS })).status).toBe(201);
  });
});

describe('when several refusals apply', () => {
  it('the first in the decided order is the answer, and only counters change', async () => {
    stopClock();
    const trader = await openTrader();
    const { accountId } = trader;
    const authenticator = await switchOnTotp(accountId);
    const [code, wrong] = [await authenticator.code(), await authenticator.wrong()];
    await asOperator('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit: '10' });
    await setSettings({ withdrawalsHalted: true, allowlistMode: 'strict' });
    const hub = vi.spyOn(PriceHub.prototype, 'snapshot').mockRejectedValue(new Error('the hub is away'));
    const before = await readHoldings(accountId);
    const request: Record<string, unknown> = { asset: 'ETH', network: 'TRC20', address: 'x', amount: '0.0000000001' };
    const expectNext = async (status: number, problem: string) => {
      await expectCode(trader.withdraw(request), `${status} ${problem}`);
      expect(await readHoldings(accountId)).toEqual(before);
    };

    await expectNext(422, 'network_not_supported');
    request['network'] = 'ETH';
    await expectNext(422, 'invalid_address');
    request['address'] = (await readAddresses(trader))['ETH'];
    request['amount'] = '0';
    await expectNext(422, 'invalid_address');
    request['address'] = ETH_ADDRESS;
    request['amount'] = '0.0000000001';
    await expectNext(422, 'precision_exceeded');
    request['amount'] = '99999999999999999999';
    await expectNext(422, 'amount_above_maximum');
    request['amount'] = '0.00000001';
    await expectNext(422, 'amount_below_minimum');
    request['amount'] = '1';
    await expectNext(503, 'withdrawals_suspended');
    await setSettings({ withdrawalsHalted: false });
    await expectNext(403, 'totp_required');
    request['totpCode'] = wrong;
    await expectNext(403, 'totp_invalid');
    request['totpCode'] = code;
    await expectNext(403, 'address_not_allowlisted');
    await setSettings({ allowlistMode: 'off' });
    await expectNext(503, 'price_unavailable');
    hub.mockRestore();
    await expectNext(422, 'daily_limit_exceeded');
    await asOperator('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit: '1000000' });
    await expectNext(422, 'insufficient_balance');
    await asOperator('POST', `/accounts/${accountId}/credits`, { asset: 'ETH', amount: '2', reference: 'late' });
    expect((await trader.withdraw(request)).status).toBe(201);
    expect((await readAttempts(accountId))?.['attempts']).toBe(0);
  });
});
