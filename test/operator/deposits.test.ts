import { describe, expect, it } from 'vitest';
import { type Trader, asOperator, json, openTrader, operate, expectCode } from '../support/exchange.ts';
import { expectWholeLedger } from '../support/db/probes.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

interface DepositBody {
  readonly deposit: Record<string, unknown> & { readonly id: string; readonly status: string };
}

function drawHash(prefix = '0x'): string {
  return prefix + crypto.getRandomValues(new Uint8Array(32)).toHex();
}

async function addressOf(trader: Trader, network: string): Promise<string> {
  const { addresses } = await json<{ addresses: { network: string; address: string }[] }>(
    await trader.get('/api/v1/wallet/addresses'),
  );
  return addresses.find((entry) => entry.network === network)?.address ?? '';
}

/** A report of 2.5 ETH with all its confirmations. */
async function reportFor(trader: Trader, change: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const address = await addressOf(trader, 'ETH');
  return { network: 'ETH', address, asset: 'ETH', amount: '2.5', txHash: drawHash(), confirmations: 32, ...change };
}

const report = (body: Record<string, unknown>) => asOperator('POST', '/deposits', body);

async function feedOf(trader: Trader): Promise<Record<string, string>[]> {
  const { transactions } = await json<{ transactions: Record<string, string>[] }>(
    await trader.get('/api/v1/wallet/transactions'),
  );
  return transactions;
}

describe('a deposit with all its confirmations', () => {
  it('is credited to the account that owns the address, and shows in balances and in the feed', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader);
    const response = await report(body);
    expect(response.status).toBe(201);
    const { deposit } = await json<DepositBody>(response);
    expect(deposit).toMatchObject({
      ...body,
      accountId: trader.accountId,
      status: 'COMPLETED',
      creditAmount: '2.5',
      outputIndex: 0,
      reason: null,
    });
    expect((await trader.balances())['ETH']).toBe('2.5');
    const [entry] = await feedOf(trader);
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
    const hashes = [body['txHash'], String(body['txHash']).toUpperCase().replace('0X', '0x')];
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
    const { deposit } = await json<DepositBody>(
      await report(await reportFor(trader, { amount: '1.123456789987654321' })),
    );
    expect(deposit).toMatchObject({ amount: '1.123456789987654321', creditAmount: '1.12345678', status: 'COMPLETED' });
    expect((await trader.balances())['ETH']).toBe('1.12345678');
    await expectWholeLedger();
  });

  it('of another token on the same kind of network arrives at the same address', async () => {
    const trader = await openTrader();
    const address = await addressOf(trader, 'BEP20');
    await report({ network: 'BEP20', address, asset: 'USDC', amount: '7', txHash: drawHash(), confirmations: 15 });
    expect((await trader.balances())['USDC']).toBe('7');
  });
});

describe('a deposit that waits for confirmations', () => {
  it('is shown as PENDING, and credited by the report that completes them', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    const first = await json<DepositBody>(await report(body));
    expect(first.deposit.status).toBe('PENDING');
    expect((await trader.balances())['ETH']).toBe('0');
    expect((await feedOf(trader))[0]).toMatchObject({ id: first.deposit.id, status: 'PENDING', amount: '2.5' });

    expect((await json<DepositBody>(await report({ ...body, confirmations: 31 }))).deposit.status).toBe('PENDING');
    const last = await report({ ...body, confirmations: 32 });
    expect(last.status).toBe(200);
    expect((await json<DepositBody>(last)).deposit).toMatchObject({
      id: first.deposit.id,
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
    for (const response of responses) expect((await json<DepositBody>(response)).deposit.status).toBe('COMPLETED');
    expect((await trader.balances())['ETH']).toBe('2.5');
    await expectWholeLedger();
  });

  it('ends FAILED when it is reverted first, and no later report changes that', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    await report(body);
    expect((await json<DepositBody>(await report({ ...body, failed: true }))).deposit.status).toBe('FAILED');
    expect((await json<DepositBody>(await report({ ...body, confirmations: 99 }))).deposit.status).toBe('FAILED');
    expect((await trader.balances())['ETH']).toBe('0');
    expect((await feedOf(trader))[0]).toMatchObject({ status: 'FAILED' });
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
    const { deposit } = await json<DepositBody>(await report(body));
    expect(deposit).toMatchObject({ accountId: null, status: 'QUARANTINED', reason: 'unknown_address' });
    expect((await trader.balances())['ETH']).toBe('0');
  });

  it.each([['DAI'], ['BTC'], ['NOTACOIN']])(
    'of an asset that the network does not carry here is quarantined: %s',
    async (asset) => {
      const trader = await openTrader();
      const { deposit } = await json<DepositBody>(await report(await reportFor(trader, { asset })));
      expect(deposit).toMatchObject({ status: 'QUARANTINED', reason: 'unsupported_asset', creditAmount: '0' });
      expect(await feedOf(trader)).toEqual([]);
    },
  );

  it('because a contract paid it within a transaction is quarantined with its value, whatever is reported later', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { outputIndex: 2 ** 31 });
    const reports = [];
    for (const confirmations of [32, 33, 1000]) {
      const { deposit } = await json<DepositBody>(await report({ ...body, confirmations }));
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
    expect(await feedOf(trader)).toEqual([]);
    expect((await trader.balances())['ETH']).toBe('0');
    const last = await json<DepositBody>(await report({ ...body, outputIndex: 2 ** 31 - 1 }));
    expect(last.deposit.status).toBe('COMPLETED');
    const failed = await json<DepositBody>(await report({ ...body, failed: true }));
    expect(failed.deposit).toMatchObject({ status: 'FAILED', reason: null });
    await expectWholeLedger();
  });

  it('because a contract paid it is credited by no write to the database either', async () => {
    const trader = await openTrader();
    const { deposit } = await json<DepositBody>(await report(await reportFor(trader, { outputIndex: 2 ** 31 + 7 })));
    const complete = sql(
      `UPDATE deposits SET status = 'COMPLETED', reason = NULL, transfer = (SELECT max(id) + 1 FROM transfers)
       WHERE account_id = ? AND id = ?`,
      trader.accountId,
      deposit.id,
    );
    await expect(complete.run()).rejects.toThrow('CHECK constraint failed: output_index < 2147483648');
    const copy = sql(
      `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, network, tx_hash, output_index,
         address, exact_amount, confirmations)
       SELECT account_id, id || 'x', type, asset, amount, usd_value, 'PENDING', network, tx_hash, output_index + 1,
         address, exact_amount, confirmations FROM deposits WHERE account_id = ? AND id = ?`,
      trader.accountId,
      deposit.id,
    );
    await expect(copy.run()).rejects.toThrow('CHECK constraint failed: output_index < 2147483648');
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
      const address = await addressOf(trader, 'LTC');
      const cap = async (value: string) => await operate('PATCH', '/settings', { supplyCaps: { LTC: value } });
      await cap(tooLow);
      const body = { network: 'LTC', address, asset: 'LTC', amount, txHash: drawHash(''), confirmations: 1 };
      const pending = (await json<DepositBody>(await report(body))).deposit.status;
      const held = await json<DepositBody>(await report({ ...body, confirmations: 6 }));
      expect(held.deposit).toMatchObject({ status: 'QUARANTINED', reason: 'supply_cap' });
      expect((await trader.balances())['LTC']).toBe('0');
      expect(pending).toBe(amount === '99999999999999999999' ? 'QUARANTINED' : 'PENDING');
      if (amount === '499999') {
        await cap('10000000');
        expect((await json<DepositBody>(await report({ ...body, confirmations: 7 }))).deposit.status).toBe('COMPLETED');
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
    ['a hash of another network', { txHash: drawHash('') }, 400, 'invalid_request'],
    ['a hash too short', { txHash: '0x12' }, 400, 'invalid_request'],
    ['a negative amount', { amount: '-1' }, 400, 'invalid_request'],
    ['an amount as a number', { amount: 1 }, 400, 'invalid_request'],
    ['confirmations below zero', { confirmations: -1 }, 400, 'invalid_request'],
    ['half a confirmation', { confirmations: 1.5 }, 400, 'invalid_request'],
  ];
  it.each(cases)('is refused: %s', async (_name, change, status, code) => {
    const response = await report(await reportFor(await openTrader(), change));
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

describe('the database', () => {
  it('refuses a credit that no completed deposit explains', async () => {
    const trader = await openTrader();
    const body = await reportFor(trader, { confirmations: 1 });
    const { deposit } = await json<DepositBody>(await report(body));
    const credit = sql(
      `INSERT INTO transfers SELECT max(id) + 1, 'house:custody', ?, 'ETH', 250000000, 'deposit', ?, 1 FROM transfers`,
      trader.accountId,
      deposit.id,
    );
    await expect(credit.run()).rejects.toThrow('ledger: no deposit explains the transfer');
  });
});
