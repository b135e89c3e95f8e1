import { describe, expect, it } from 'vitest';
import { openTrader, expectCode } from '../support/exchange.ts';
import { OUTSIDE, WITHDRAWALS_PATH, houseHolds, listOwn, readTaken } from '../support/withdrawals/withdrawals.ts';
import { runFor } from '../support/db/open-in-ledger.ts';
import { expectWholeLedger } from '../support/db/probes.ts';

describe('a withdrawal', () => {
  it('is answered with 201 and Location, and is complete with a hash in its network’s form', async () => {
    const trader = await openTrader({ USDT: '100' });
    const response = await trader.withdraw();
    expect(response.status).toBe(201);
    const location = response.headers.get('Location');
    const withdrawal = await readTaken(response);
    expect(location).toBe(`${WITHDRAWALS_PATH}/${withdrawal.id}`);
    expect(withdrawal).toEqual({
      id: withdrawal.id,
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      status: 'COMPLETED',
      txHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      fee: '1',
      amount: '50',
      asset: 'USDT',
      network: 'TRC20',
      address: OUTSIDE,
      keyId: trader.keyId,
      reason: null,
      note: null,
    });
  });

  it('debits amount and fee in one transfer, and leaves nothing in house:payouts', async () => {
    const trader = await openTrader({ USDT: '100' });
    const before = [await houseHolds('payouts'), await houseHolds('fees'), await houseHolds('custody')];
    const { id } = await trader.takeOut();
    expect((await trader.balances())['USDT']).toBe('49');
    const results = await runFor(
      trader.accountId,
      'SELECT credit, amount FROM transfers WHERE debit = ? AND reference = ?',
      trader.accountId,
      id,
    );
    expect(results).toEqual([{ credit: 'house:payouts', amount: 51_000_000 }]);
    const after = [await houseHolds('payouts'), await houseHolds('fees'), await houseHolds('custody')];
    expect(after.map((amount, at) => amount - (before[at] ?? 0n))).toEqual([0n, 1_000_000n, 50_000_000n]);
    await expectWholeLedger();
  });

  it('is shown by its id, in the list and in the feed, to its own account only', async () => {
    const [trader, stranger] = [await openTrader({ USDT: '200' }), await openTrader()];
    const first = await trader.takeOut();
    const second = await trader.takeOut({ amount: '60.5' });
    expect(await trader.readWithdrawal(first.id)).toEqual(first);
    expect(await listOwn(trader)).toEqual([second, first]);
    expect((await trader.feed())[0]).toEqual({
      id: second.id,
      ts: second.ts,
      category: 'WITHDRAWAL',
      type: 'ONCHAIN_WITHDRAWAL',
      asset: 'USDT',
      amount: '60.5',
      fee: '1',
      usdValue: '60.5',
      status: 'COMPLETED',
      keyId: trader.keyId,
      reason: null,
    });
    await expectCode(stranger.get(`${WITHDRAWALS_PATH}/${first.id}`), '404 not_found');
    await expectCode(trader.get(`${WITHDRAWALS_PATH}/nothing`), '404 not_found');
    expect(await listOwn(stranger)).toEqual([]);
  });

  it.each([
    ['USDT', 'SOL', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', '10', /^[1-9A-HJ-NP-Za-km-z]{64,88}$/],
    ['USDT', 'BEP20', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', '10', /^0x[0-9a-f]{64}$/],
    ['BTC', 'BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', '0.001', /^[0-9a-f]{64}$/],
    ['ETH', 'ETH', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', '0.1', /^0x[0-9a-f]{64}$/],
    ['DOGE', 'DOGE', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', '100', /^[0-9a-f]{64}$/],
  ] as const)(
    'of %s on %s is paid, with a hash in that network’s form',
    async (asset, network, address, amount, hash) => {
      const trader = await openTrader({ [asset]: '1000' });
      const withdrawal = await trader.takeOut({ asset, network, address, amount });
      expect(withdrawal).toMatchObject({ status: 'COMPLETED', asset, network, address, amount });
      expect(withdrawal.txHash).toMatch(hash);
      expect(Number((await trader.balances())[asset])).toBeCloseTo(1000 - Number(amount) - Number(withdrawal.fee), 8);
      expect(await houseHolds('payouts', asset)).toBe(0n);
      await expectWholeLedger();
    },
  );

  it('goes to the address in its canonical form, which the answer shows', async () => {
    const trader = await openTrader({ USDT: '100' });
    const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    const withdrawal = await trader.takeOut({ network: 'BEP20', address: address.toLowerCase() });
    expect(withdrawal.address).toBe(address);
  });

  it('of an amount with trailing zeros pays the same amount', async () => {
    const trader = await openTrader({ USDT: '100' });
    expect((await trader.takeOut({ amount: '50.000000000000000000' })).amount).toBe('50');
  });
});
