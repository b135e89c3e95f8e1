// @runtime outside-by-hand
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Trader, asOperator, openTrader, operate, expectCode, codeOf } from '../support/exchange.ts';
import { ADA, BOB, TREASURER, approve, by, employTwoAdmins, readProposal } from '../support/operator/two-people.ts';
import { setSettings } from '../support/withdrawals/withdrawals.ts';
import { expectWholeLedger } from '../support/db/probes.ts';
import { sql } from '../support/db/sql.ts';

const HASH = 'ab'.repeat(32);
const PAID = { outcome: 'paid', txHash: HASH, reason: 'sent from the vault' };

let trader: Trader;
let path: string;
let id: string;
beforeAll(employTwoAdmins);
beforeEach(async () => {
  trader = await openTrader({ USDT: '1000' });
  const taken = await trader.takeOut();
  ({ id } = taken);
  path = `/accounts/${trader.accountId}/withdrawals/${id}`;
  expect(taken.status).toBe('PROCESSING');
});

const claim = (email: string) => by(email, 'POST', `${path}/claim`);
const listed = async () => {
  const { claims } = await operate<{ claims: { withdrawalId: string; claimedBy: string }[] }>('GET', '/payout-claims');
  return claims.find(({ withdrawalId }) => withdrawalId === id)?.claimedBy;
};

describe('a withdrawal that people pay by hand', () => {
  it('waits until one has claimed and paid it, and another approved the settlement with the hash', async () => {
    await expectCode(by(TREASURER, 'POST', `${path}/settle`, PAID), '409 invalid_state');
    await expectCode(claim(TREASURER), '200');
    expect(await listed()).toBe(TREASURER);
    const proposal = await readProposal(await by(TREASURER, 'POST', `${path}/settle`, PAID));
    expect((await trader.readWithdrawal(id)).status).toBe('PROCESSING');
    await expectCode(approve(ADA, proposal), '200');
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'COMPLETED', txHash: HASH });
    expect(await listed()).toBeUndefined();
    await expectWholeLedger();
  });

  it('is claimed by one, also of many at once, and claiming it again is no error', async () => {
    const people = [ADA, BOB, TREASURER];
    const codes = await Promise.all(people.map(async (email) => codeOf(await claim(email))));
    expect(codes.toSorted()).toEqual(['200', '409 invalid_state', '409 invalid_state']);
    const owner = people[codes.indexOf('200')] ?? '';
    expect(await listed()).toBe(owner);
    await expectCode(claim(owner), '200');
    const other = people.find((email) => email !== owner) ?? '';
    await expectCode(by(other, 'POST', `${path}/settle`, PAID), '409 invalid_state');
  });

  it('is given back by the one who has it, or an admin, and by nobody else', async () => {
    await expectCode(by(ADA, 'DELETE', `${path}/claim`), '409 invalid_state');
    await claim(ADA);
    await expectCode(by(TREASURER, 'DELETE', `${path}/claim`), '409 invalid_state');
    await expectCode(by(BOB, 'DELETE', `${path}/claim`), '200');
    await expectCode(claim(TREASURER), '200');
    await expectCode(by(TREASURER, 'DELETE', `${path}/claim`), '200');
    expect(await listed()).toBeUndefined();
  });

  it('is not claimed while it must not be paid, nor once it has ended', async () => {
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    await expectCode(claim(ADA), '403 account_frozen');
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'active' });
    await setSettings({ pausedNetworks: ['TRC20'] });
    await expectCode(claim(ADA), '503 withdrawals_suspended');
    await setSettings({ pausedNetworks: ['BTC'] });
    await expectCode(claim(ADA), '200');
    const failed = { outcome: 'failed', reason: 'the address is wrong' };
    const proposal = await readProposal(await by(ADA, 'POST', `${path}/settle`, failed));
    await expectCode(approve(BOB, proposal), '200');
    expect((await trader.balances())['USDT']).toBe('1000');
    await expectCode(by(ADA, 'DELETE', `${path}/claim`), '409 invalid_state');
  });

  it('has a claim that the database keeps', async () => {
    await claim(ADA);
    for (const statement of [
      `UPDATE withdrawals SET claimed_by = 'eve@bureau.test' WHERE id = '${id}'`,
      `UPDATE OR REPLACE withdrawals SET claimed_at = 2 WHERE id = '${id}'`,
      `UPDATE withdrawals SET claimed_by = NULL, claimed_at = NULL, status = 'PENDING' WHERE id = '${id}'`,
    ]) {
      await expect(sql(statement).run(), statement).rejects.toThrow('guard: ');
    }
    expect(await listed()).toBe(ADA);
  });
});
