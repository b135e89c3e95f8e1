import { reachHub } from '../../src/markets/read-hub.ts';
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import { asOperator, json, openTrader, expectCode } from '../support/exchange.ts';
import { forgetSettings } from '../support/gate.ts';
import { countRowsRead, measure } from '../support/runtime/meter.ts';
import { readEffects, expectWholeLedger } from '../support/db/probes.ts';
import {
  agreeP2p,
  agreeQuick,
  drawReference,
  expectHoldings,
  openParties,
  readSettled,
  settle,
} from '../support/operator/settlements.ts';
import { env } from '../support/runtime/test-env.ts';
import { houseHolds, setSettings } from '../support/withdrawals/withdrawals.ts';
import { sql, listRows } from '../support/db/sql.ts';

const countSettlements = (accountId: string) =>
  sql('SELECT count(*) AS n FROM settlements WHERE account_id = ?', accountId).first('n');

describe('a trade between two accounts', () => {
  it('moves USDT from buyer to seller and the coin from seller to buyer, in exactly the agreed amounts', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller, { coin: 'eth', coinAmount: '0.12345678', usdtAmount: '0.000001' });
    const settlement = await readSettled(await settle(wanted));
    expect(settlement).toEqual({
      ...wanted,
      coin: 'ETH',
      status: 'COMPLETED',
      id: settlement.id,
      ts: settlement.ts,
    });
    expect(Math.abs(Date.parse(settlement.ts) - Date.now())).toBeLessThan(60_000);
    await expectHoldings(buyer, '999.999999', '0.12345678');
    await expectHoldings(seller, '0.000001', '9.87654322');
    await expectWholeLedger();
  });

  it('leaves the house’s balances as they were, and charges no fee', async () => {
    const [buyer, seller] = await openParties();
    const holdings = () =>
      Promise.all(
        (['liquidity', 'fees', 'custody', 'payouts'] as const).flatMap((account) => [
          houseHolds(account),
          houseHolds(account, 'ETH'),
        ]),
      );
    const before = await holdings();
    await readSettled(await settle(agreeP2p(buyer, seller)));
    expect(await holdings()).toEqual(before);
  });

  it('has a row in the audit with its id', async () => {
    const [buyer, seller] = await openParties();
    const settlement = await readSettled(await settle(agreeP2p(buyer, seller)));
    const results = await listRows<{ detail: string }>(
      'SELECT role, action, detail FROM audit WHERE target = ?',
      settlement.id,
    );
    expect(results).toEqual([{ role: 'operator', action: 'settle_trade', detail: JSON.stringify(settlement) }]);
  });

  it('moves even the last atom of both balances', async () => {
    const [buyer, seller] = await openParties();
    await readSettled(await settle(agreeP2p(buyer, seller, { coinAmount: '10', usdtAmount: '1000' })));
    await expectHoldings(buyer, '0', '10');
    await expectHoldings(seller, '1000', '0');
    await expectWholeLedger();
  });
});

describe('a quick trade with the house', () => {
  it.each([
    ['BUY', '900', '10.5', 1n],
    ['SELL', '1100', '9.5', -1n],
  ] as const)('moves both amounts between the account and the inventory: %s', async (side, usdt, eth, sign) => {
    const trader = await openTrader({ USDT: '1000', ETH: '10' });
    const before = [await houseHolds('liquidity'), await houseHolds('liquidity', 'ETH')] as const;
    const wanted = agreeQuick(trader, side);
    const settlement = await readSettled(await settle(wanted));
    expect(settlement).toEqual({ ...wanted, status: 'COMPLETED', id: settlement.id, ts: settlement.ts });
    await expectHoldings(trader, usdt, eth);
    const after = [await houseHolds('liquidity'), await houseHolds('liquidity', 'ETH')] as const;
    expect([after[0] - before[0], after[1] - before[1]]).toEqual([sign * 100_000_000n, sign * -50_000_000n]);
    await expectWholeLedger();
  });

  it('is refused when it would exceed the house’s exposure, in either direction', async () => {
    const trader = await openTrader({ USDT: '1000', LTC: '10' });
    await setSettings({ exposure: { LTC: '3' } });
    const buy = agreeQuick(trader, 'BUY', { coin: 'LTC', coinAmount: '3.00000001' });
    await expectCode(settle(buy), '422 order_rejected');
    await readSettled(await settle({ ...buy, coinAmount: '3' }));
    const sell = agreeQuick(trader, 'SELL', { coin: 'LTC', usdtAmount: '20000000' });
    await expectCode(settle(sell), '422 order_rejected');
    const beyond64Bits = agreeQuick(trader, 'BUY', { coin: 'LTC', coinAmount: '92233720368.54775807' });
    await expectCode(settle({ ...beyond64Bits, usdtAmount: '1' }), '422 order_rejected');
    await expectWholeLedger();
  });
});

describe('a settlement', () => {
  const cases: [string, Record<string, unknown>, number, string][] = [
    ['of an unsupported symbol', { coin: 'XRP' }, 422, 'symbol_not_supported'],
    ['of USDT against itself', { coin: 'USDT' }, 422, 'symbol_not_supported'],
    ['finer than the coin', { coinAmount: '0.000000001' }, 422, 'precision_exceeded'],
    ['finer than USDT', { usdtAmount: '0.0000001' }, 422, 'precision_exceeded'],
    ['of no coin', { coinAmount: '0' }, 422, 'amount_below_minimum'],
    ['for nothing', { usdtAmount: '0.0' }, 422, 'amount_below_minimum'],
    ['of more than 64 bits', { coinAmount: '92233720368.54775808' }, 422, 'amount_above_maximum'],
    ['with an unknown buyer', { buyerAccountId: 'nobody' }, 404, 'not_found'],
    ['with an account that was never opened', { sellerAccountId: newRecordId(1) }, 404, 'not_found'],
    ['with the house as an account', { sellerAccountId: 'house:liquidity' }, 404, 'not_found'],
    ['without a reference', { reference: undefined }, 400, 'invalid_request'],
    ['with an empty reference', { reference: '' }, 400, 'invalid_request'],
    ['with a reference too long', { reference: 'x'.repeat(65) }, 400, 'invalid_request'],
    ['with a blank in its reference', { reference: 'otc 7' }, 400, 'invalid_request'],
    ['with a reference outside ASCII', { reference: 'otc-ü' }, 400, 'invalid_request'],
    ['with another kind', { kind: 'SWAP' }, 400, 'invalid_request'],
    ['of an amount as a number', { coinAmount: 1 }, 400, 'invalid_request'],
    ...['1e3', '-1', '+1', '.5', '1,0', '0x10', 'NaN', ''].map(
      (usdtAmount): [string, Record<string, unknown>, number, string] => [
        `for ${JSON.stringify(usdtAmount)}`,
        { usdtAmount },
        400,
        'invalid_request',
      ],
    ),
  ];
  it.each(cases)('%s is refused, and changes nothing', async (_, change, status, code) => {
    const [buyer, seller] = await openParties();
    const before = [await readEffects(buyer.accountId), await readEffects(seller.accountId)];
    await expectCode(settle(agreeP2p(buyer, seller, change)), `${status} ${code}`);
    expect([await readEffects(buyer.accountId), await readEffects(seller.accountId)]).toEqual(before);
    expect(await countSettlements(buyer.accountId)).toBe(0);
  });

  it('with one account on both sides is refused, and the error names the field', async () => {
    const trader = await openTrader({ USDT: '1000', ETH: '10' });
    const problem = await expectCode(settle(agreeP2p(trader, trader)), '400 invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/sellerAccountId']);
  });

  it('of a quick trade with an invalid side or an unknown account is refused', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await expectCode(settle(agreeQuick(trader, 'BUY', { side: 'buy' })), '400 invalid_request');
    for (const accountId of ['nobody', 'house:liquidity']) {
      await expectCode(settle(agreeQuick(trader, 'BUY', { accountId })), '404 not_found');
    }
  });

  it('may have a reference of 1 to 64 characters', async () => {
    const [buyer, seller] = await openParties();
    for (const reference of ['!', drawReference().padEnd(64, '~')]) {
      await readSettled(await settle(agreeP2p(buyer, seller, { reference })));
    }
  });

  it('is refused with the name of the party whose balance is too small', async () => {
    const [buyer, seller] = await openParties();
    const poor = await expectCode(
      settle(agreeP2p(buyer, seller, { usdtAmount: '1000.000001' })),
      '422 insufficient_balance',
    );
    expect(poor.detail).toBe(`The balance of USDT of the buyer, account ${buyer.accountId}, is too small.`);
    const short = await expectCode(
      settle(agreeP2p(buyer, seller, { coinAmount: '10.00000001' })),
      '422 insufficient_balance',
    );
    expect(short.detail).toBe(`The balance of ETH of the seller, account ${seller.accountId}, is too small.`);
    const sale = await settle(agreeQuick(buyer, 'SELL'));
    expect((await expectCode(sale, '422 insufficient_balance')).detail).toContain(`seller, account ${buyer.accountId}`);
    expect(await countSettlements(buyer.accountId)).toBe(0);
    await expectWholeLedger();
  });

  it.each([
    ['while trades go on', false],
    ['before it is refused for a halt', true],
  ])('is refused when either account is frozen, and the refusal names it, %s', async (_, tradingHalted) => {
    const [buyer, seller] = await openParties();
    await setSettings({ tradingHalted });
    for (const frozen of [buyer, seller]) {
      await asOperator('PATCH', `/accounts/${frozen.accountId}`, { status: 'frozen' });
      for (const wanted of [agreeP2p(buyer, seller), agreeQuick(frozen, 'BUY')]) {
        const problem = await expectCode(settle(wanted), '403 account_frozen');
        expect(problem.detail).toContain(frozen.accountId);
      }
      await asOperator('PATCH', `/accounts/${frozen.accountId}`, { status: 'active' });
    }
    await setSettings({ tradingHalted: false });
    await readSettled(await settle(agreeP2p(buyer, seller)));
  });

  it('is refused while trading is halted', async () => {
    const [buyer, seller] = await openParties();
    await setSettings({ tradingHalted: true });
    for (const wanted of [agreeP2p(buyer, seller), agreeQuick(buyer, 'BUY')]) {
      const response = await settle(wanted);
      expect(response.headers.get('Retry-After')).toBe('60');
      await expectCode(response, '503 trading_halted');
    }
    await setSettings({ tradingHalted: false });
    await readSettled(await settle(agreeP2p(buyer, seller)));
  });
});

describe('the cost of a settlement', () => {
  it('is three round trips, and twelve rows for two accounts or eleven with the house, including the claim of its reference', async () => {
    const [buyer, seller] = await openParties();
    // Stops the gate and the hub from working in the background, so that only the settlement is counted.
    await forgetSettings();
    await runInDurableObject(reachHub(env), (_hub, { storage }) => storage.deleteAlarm());
    for (const [wanted, rows] of [
      [agreeP2p(buyer, seller), 12],
      [agreeQuick(buyer, 'BUY'), 11],
    ] as const) {
      const cost = await measure(buyer.lane, async () => {
        expect((await settle(wanted)).status).toBe(201);
      });
      expect(cost).toMatchObject({ laneCalls: 0, hubCalls: 0, databaseTrips: 3, databaseRowsWritten: rows });
    }
  });

  it('is one round trip and no row when it was settled before, found by its reference', async () => {
    const [buyer, seller] = await openParties();
    const wanted = agreeP2p(buyer, seller);
    const first = await readSettled(await settle(wanted));
    const cost = await measure(buyer.lane, async () => {
      expect(await json(await settle(wanted))).toEqual({ settlement: first });
    });
    for (let more = 0; more < 10; more += 1)
      await readSettled(await settle(agreeP2p(buyer, seller, { usdtAmount: '1' })));
    expect(cost).toMatchObject({ databaseTrips: 1, databaseRowsWritten: 0 });
    expect(await countRowsRead(() => settle(wanted))).toBeLessThanOrEqual(5);
  });
});
