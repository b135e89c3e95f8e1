import { beforeEach, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { NOON_MS, balanceOf, expectRefused, openFunded, sql } from '../support/raw-ledger.ts';
import { env } from '../support/test-env.ts';

const PAYOUTS = 'house:payouts';

let account: string;
let stranger: string;
let id: string;
beforeEach(async () => {
  [account, stranger] = [await openFunded(), await openFunded()];
  id = newRecordId(NOON_MS);
});

/** A withdrawal of 7 atoms with a fee of 2. */
function withdrawal(status = 'PROCESSING', allowlistRequired = 0): D1PreparedStatement {
  return sql(
    `INSERT INTO withdrawals (account_id, id, type, asset, network, address, amount, fee, usd_value, status,
       committed_at, allowlist_required, daily_limit)
     VALUES (?, ?, 'ONCHAIN_WITHDRAWAL', 'USDT', 'TRC20', 'x', 7, 2, 7, ?, ?, ?, 5000000000)`,
    account,
    id,
    status,
    NOON_MS,
    allowlistRequired,
  );
}

interface Leg {
  readonly debit: string;
  readonly credit: string;
  readonly amount: number;
  readonly asset?: string;
  readonly reference?: string;
}

function move({ debit, credit, amount, asset = 'USDT', reference = id }: Leg): D1PreparedStatement {
  return sql(
    `INSERT INTO transfers SELECT coalesce(max(id), 0) + 1, ?, ?, ?, ?, 'withdrawal', ?, ? FROM transfers`,
    debit,
    credit,
    asset,
    amount,
    reference,
    NOON_MS,
  );
}

const take = () => move({ debit: account, credit: PAYOUTS, amount: 9 });
const giveBack = () => move({ debit: PAYOUTS, credit: account, amount: 9 });
const fail = () => sql("UPDATE withdrawals SET status = 'FAILED', reason = 'x' WHERE id = ?", id);

describe('the money of a withdrawal', () => {
  it('is taken as its row says, and comes back once it has failed', async () => {
    await env.DB.batch([withdrawal(), take()]);
    expect(await balanceOf(account, 'USDT')).toBe(91n);
    await env.DB.batch([fail(), giveBack()]);
    expect(await balanceOf(account, 'USDT')).toBe(100n);
  });

  it.each<[string, () => Leg]>([
    ['less than amount and fee', () => ({ debit: account, credit: PAYOUTS, amount: 7 })],
    ['more than amount and fee', () => ({ debit: account, credit: PAYOUTS, amount: 10 })],
    ['of another asset', () => ({ debit: account, credit: PAYOUTS, amount: 9, asset: 'BTC' })],
    ['of another account', () => ({ debit: stranger, credit: PAYOUTS, amount: 9 })],
    ['to another account, for a payout on the chain', () => ({ debit: account, credit: stranger, amount: 9 })],
    ['to the house’s fees', () => ({ debit: account, credit: 'house:fees', amount: 9 })],
    ['for a withdrawal that is not there', () => ({ debit: account, credit: PAYOUTS, amount: 9, reference: 'none' })],
  ])('is never taken %s', async (_, leg) => {
    await expectRefused('guard: no withdrawal explains the transfer', withdrawal(), move(leg()));
  });

  it('is not given back while it may still be paid', async () => {
    await env.DB.batch([withdrawal(), take()]);
    await expectRefused('guard: no withdrawal explains the transfer', giveBack());
  });

  it.each<[string, () => Leg]>([
    ['to another account', () => ({ debit: PAYOUTS, credit: stranger, amount: 9 })],
    ['without its fee', () => ({ debit: PAYOUTS, credit: account, amount: 7 })],
    ['out of the inventory', () => ({ debit: 'house:liquidity', credit: account, amount: 9 })],
    ['out of the fees', () => ({ debit: 'house:fees', credit: account, amount: 9 })],
  ])('is never given back %s', async (_, leg) => {
    await env.DB.batch([withdrawal(), take()]);
    await expectRefused('guard: no withdrawal explains the transfer', fail(), move(leg()));
  });
});

describe('a withdrawal', () => {
  const set = (status: string, rest = '') => sql(`UPDATE withdrawals SET status = ?${rest} WHERE id = ?`, status, id);
  const paid = () => set('COMPLETED', ", tx_hash = 'x'");
  const ends = [
    ['COMPLETED', paid],
    ['FAILED', fail],
  ] as const;

  it.each(ends)('that is %s is settled for good', async (_, end) => {
    await env.DB.batch([withdrawal(), take(), end()]);
    for (const again of [paid(), fail(), set('PROCESSING'), set('PENDING')]) {
      await expectRefused('guard: withdrawal_settled', again);
    }
  });

  it('moves on, or is not changed at all', async () => {
    await env.DB.batch([withdrawal('PENDING'), take()]);
    await expectRefused('guard: withdrawal_settled', set('PENDING'));
    await set('PROCESSING').run();
    await expectRefused('guard: withdrawal_settled', set('PROCESSING'));
    await expectRefused('guard: withdrawal_settled', set('PENDING'));
    await paid().run();
  });
});

describe('the address of a withdrawal', () => {
  const toListed = () => withdrawal('PROCESSING', 1);
  const approve = (owner: string, network: string, address: string, usableAt_ms: number) =>
    sql(
      "INSERT INTO allowlist (account_id, id, network, address, label, usable_at) VALUES (?, ?, ?, ?, 'x', ?)",
      owner,
      newRecordId(NOON_MS),
      network,
      address,
      usableAt_ms,
    );

  it('is one that the account may use at that moment', async () => {
    await env.DB.batch([approve(account, 'TRC20', 'x', NOON_MS), toListed(), take()]);
    expect(await balanceOf(account, 'USDT')).toBe(91n);
  });

  it.each<[string, () => D1PreparedStatement]>([
    ['not approved', () => sql('SELECT 1')],
    ['approved for a millisecond later', () => approve(account, 'TRC20', 'x', NOON_MS + 1)],
    ['approved for another account', () => approve(stranger, 'TRC20', 'x', NOON_MS)],
    ['approved on another network', () => approve(account, 'ETH', 'x', NOON_MS)],
    ['another than the one approved', () => approve(account, 'TRC20', 'y', NOON_MS)],
  ])('is refused where it is %s', async (_, prepare) => {
    await prepare().run();
    await expectRefused('guard: address_not_allowlisted', toListed(), take());
  });
});
