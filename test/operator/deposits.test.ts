import type { Deposit } from '../../src/deposits/deposit.ts';
import { describe, expect, it } from 'vitest';
import { asOperator, json, openTrader, operate, expectCode } from '../support/exchange.ts';
import { expectWholeLedger } from '../support/db/probes.ts';
import { atOnce } from '../support/at-once.ts';
import { reportFor, reportDeposit, drawHash } from '../support/deposits.ts';

const report = (body: object) => asOperator('POST', '/deposits', body);

describe('a deposit with all its confirmations', () => {
  it('is credited to the account that owns the address, and shows in balances and in the feed', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader);
    const response = await report(body);
    expect(response.status).toBe(201);
    const { deposit } = await json<{ deposit: Deposit }>(response);
    expect(deposit).toMatchObject({
      ...body,
      accountId: trader.accountId,
      status: 'COMPLETED',
      creditAmount: '2.5',
      outputIndex: 0,
      reason: null,
    });
    expect((await trader.balances())['ETH']).toBe('2.5');
    const [entry] = await trader.feed();
    expect(entry).toMatchObject({
      id: deposit.id,
      category: 'DEPOSIT',
      type: 'ONCHAIN_DEPOSIT',
      asset: 'ETH',
      amount: '2.5',
      status: 'COMPLETED',
      usdValue: deposit['usdValue'],
    });
    await expectWholeLedger();
  });

  it('is credited once when it is reported ten times in parallel, in upper and lower case of its hash', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader);
    const hashes = [body.txHash, body.txHash.toUpperCase().replace('0X', '0x')];
    const responses = await atOnce(10, (at) => report({ ...body, txHash: hashes[at % 2] }));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect((await trader.balances())['ETH']).toBe('2.5');
    await expectWholeLedger();
  });

  it('is a different one at another output of the same transaction', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader);
    await report(body);
    await report({ ...body, outputIndex: 1 });
    expect((await trader.balances())['ETH']).toBe('5');
  });

  it('is recorded exactly and credited rounded down when the chain has more decimals', async () => {
    const trader = await openTrader();
    const deposit = await reportDeposit(await reportFor(trader, { amount: '1.123456789987654321' }));
    expect(deposit).toMatchObject({ amount: '1.123456789987654321', creditAmount: '1.12345678', status: 'COMPLETED' });
    expect((await trader.balances())['ETH']).toBe('1.12345678');
    await expectWholeLedger();
  });

  it('of another token on the same kind of network arrives at the same address', async () => {
    const trader = await openTrader();
    const address = await trader.addressOn('BEP20');
    await report({ network: 'BEP20', address, asset: 'USDC', amount: '7', txHash: drawHash(), confirmations: 15 });
    expect((await trader.balances())['USDC']).toBe('7');
  });
});

describe('a deposit that waits for confirmations', () => {
  it('is shown as PENDING, and credited by the report that completes them', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    const first = await reportDeposit(body);
    expect(first.status).toBe('PENDING');
    expect((await trader.balances())['ETH']).toBe('0');
    expect((await trader.feed())[0]).toMatchObject({ id: first.id, status: 'PENDING', amount: '2.5' });

    expect((await reportDeposit({ ...body, confirmations: 31 })).status).toBe('PENDING');
    const last = await report({ ...body, confirmations: 32 });
    expect(last.status).toBe(200);
    expect((await json<{ deposit: Deposit }>(last)).deposit).toMatchObject({
      id: first.id,
      status: 'COMPLETED',
      confirmations: 32,
    });
    expect((await trader.balances())['ETH']).toBe('2.5');
    await expectWholeLedger();
  });

  it('is credited once by ten parallel reports that complete them', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    await report(body);
    const responses = await atOnce(10, () => report({ ...body, confirmations: 32 }));
    for (const response of responses)
      expect((await json<{ deposit: Deposit }>(response)).deposit.status).toBe('COMPLETED');
    expect((await trader.balances())['ETH']).toBe('2.5');
    await expectWholeLedger();
  });

  it('ends FAILED when it is reverted first, and no later report changes that', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    await report(body);
    expect((await reportDeposit({ ...body, failed: true })).status).toBe('FAILED');
    expect((await reportDeposit({ ...body, confirmations: 99 })).status).toBe('FAILED');
    expect((await trader.balances())['ETH']).toBe('0');
    expect((await trader.feed())[0]).toMatchObject({ status: 'FAILED' });
  });

  it('that is reverted after it was credited is left for a person to settle', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader);
    await report(body);
    const response = await report({ ...body, failed: true });
    await expectCode(response, '409 invalid_state');
    expect((await trader.balances())['ETH']).toBe('2.5');
  });
});

describe('a deposit that cannot be credited', () => {
  it('because its address is unknown is quarantined and credited to nobody', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { address: '0x52908400098527886E0F7030069857D2E4169EE7' });
    const deposit = await reportDeposit(body);
    expect(deposit).toMatchObject({ accountId: null, status: 'QUARANTINED', reason: 'unknown_address' });
    expect((await trader.balances())['ETH']).toBe('0');
  });

  it.each([['DAI'], ['BTC'], ['NOTACOIN']])(
    'of an asset that the network does not carry here is quarantined: %s',
    async (asset) => {
      const trader = await openTrader();
      const deposit = await reportDeposit(await reportFor(trader, { asset }));
      expect(deposit).toMatchObject({ status: 'QUARANTINED', reason: 'unsupported_asset', creditAmount: '0' });
      expect(await trader.feed()).toEqual([]);
    },
  );

  it('because a contract paid it within a transaction is quarantined with its value, whatever is reported later', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { outputIndex: 2 ** 31 });
    const reports = [];
    for (const confirmations of [32, 33, 1000]) {
      const deposit = await reportDeposit({ ...body, confirmations });
      reports.push(deposit);
    }
    for (const deposit of reports) {
      expect(deposit).toMatchObject({
        accountId: trader.accountId,
        status: 'QUARANTINED',
        reason: 'inner_payment',
        creditAmount: '2.5',
        outputIndex: 2 ** 31,
      });
      expect(Number(deposit['usdValue'])).toBeGreaterThan(0);
    }
    expect(await trader.feed()).toEqual([]);
    expect((await trader.balances())['ETH']).toBe('0');
    const last = await reportDeposit({ ...body, outputIndex: 2 ** 31 - 1 });
    expect(last.status).toBe('COMPLETED');
    const failed = await reportDeposit({ ...body, failed: true });
    expect(failed).toMatchObject({ status: 'FAILED', reason: null });
    await expectWholeLedger();
  });

  it.each([
    ['499999', '400000'],
    ['620000', '600000'],
    ['92233720368.54775807', '600000'],
    ['99999999999999999999', '600000'],
  ])(
    'because of the supply cap is quarantined, at once or when it is confirmed, and credited once the cap allows it: %s',
    async (amount, tooLow) => {
      const trader = await openTrader();
      const address = await trader.addressOn('LTC');
      const cap = async (value: string) => await operate('PATCH', '/settings', { supplyCaps: { LTC: value } });
      await cap(tooLow);
      const body = { network: 'LTC', address, asset: 'LTC', amount, txHash: drawHash('LTC'), confirmations: 1 };
      const pending = (await reportDeposit(body)).status;
      const held = await reportDeposit({ ...body, confirmations: 6 });
      expect(held).toMatchObject({ status: 'QUARANTINED', reason: 'supply_cap' });
      expect((await trader.balances())['LTC']).toBe('0');
      expect(pending).toBe(amount === '99999999999999999999' ? 'QUARANTINED' : 'PENDING');
      if (amount === '499999') {
        await cap('10000000');
        expect((await reportDeposit({ ...body, confirmations: 7 })).status).toBe('COMPLETED');
        expect((await trader.balances())['LTC']).toBe(amount);
      }
      await expectWholeLedger();
    },
  );
});

describe('an invalid report of a deposit', () => {
  const cases: [string, Record<string, unknown>, number, string][] = [
    ['an unknown network', { network: 'ETHEREUM' }, 422, 'network_not_supported'],
    [
      'an address with a wrong checksum',
      { address: '0x52908400098527886E0F7030069857D2E4169Ee7' },
      422,
      'invalid_address',
    ],
    ['a hash of another network', { txHash: drawHash('LTC') }, 400, 'invalid_request'],
    ['a hash too short', { txHash: '0x12' }, 400, 'invalid_request'],
    ['a negative amount', { amount: '-1' }, 400, 'invalid_request'],
    ['an amount as a number', { amount: 1 }, 400, 'invalid_request'],
    ['confirmations below zero', { confirmations: -1 }, 400, 'invalid_request'],
    ['half a confirmation', { confirmations: 1.5 }, 400, 'invalid_request'],
  ];
  it.each(cases)('is refused: %s', async (_name, change, status, code) => {
    const response = await report({ ...(await reportFor(await openTrader())), ...change });
    await expectCode(response, `${status} ${code}`);
  });

  it.each([{ amount: '2.6' }, { asset: 'USDT' }, { address: '0x52908400098527886E0F7030069857D2E4169EE7' }])(
    'is refused when the output was reported as something else: %o',
    async (change) => {
      const trader = await openTrader();
      const body = await reportFor(trader);
      await report(body);
      const response = await report({ ...body, ...change });
      await expectCode(response, '409 invalid_state');
      expect((await trader.balances())['ETH']).toBe('2.5');
    },
  );
});
