// @runtime outside
import { describe, expect, it } from 'vitest';
import { custodian } from '../support/withdrawals/custodian.ts';
import { asOperator, json, openAccount, openTrader, operate, expectCode } from '../support/exchange.ts';
import { indexOf } from '../support/addresses/addresses.ts';
import { useCustodian, withdrawFrom } from '../support/withdrawals/withdrawal-custodian.ts';

const { expectHeld, expectPaid } = useCustodian();

const look = (id: string) => asOperator('POST', `/withdrawals/${id}/look`);

describe('a custodian’s call to look a withdrawal up', () => {
  it('has the custodian asked at once, and its answer settles the withdrawal', async () => {
    const trader = await openTrader({ USDT: '100' });
    await custodian.program({ act: 'accept' });
    const withdrawal = await withdrawFrom(trader);
    expect(withdrawal.status).toBe('PROCESSING');
    expect(await json(await look(withdrawal.id))).toEqual({ id: withdrawal.id, status: 'PROCESSING' });
    await expectHeld(trader, withdrawal);

    await custodian.decide(withdrawal.id, 'pay');
    expect(await json(await look(withdrawal.id))).toEqual({ id: withdrawal.id, status: 'COMPLETED' });
    await expectPaid(trader, { ...withdrawal, status: 'COMPLETED' });
    expect((await custodian.countRequests(withdrawal.id)).submissions).toBe(1);
  });

  it('is answered 404 when the withdrawal is complete, and for an unknown id', async () => {
    const trader = await openTrader({ USDT: '100' });
    const withdrawal = await withdrawFrom(trader);
    expect(withdrawal.status).toBe('COMPLETED');
    for (const id of [withdrawal.id, '01a1fcca-895a-734c-b43c-11f474a4f8d5']) {
      const response = await look(id);
      await expectCode(response, '404 not_found');
    }
  });
});

describe('the range of address indexes', () => {
  it('contains every index that an account was given', async () => {
    const index = await indexOf(await openAccount());
    expect(await operate('GET', '/address-range')).toEqual({ count: index + 1 });
  });
});
