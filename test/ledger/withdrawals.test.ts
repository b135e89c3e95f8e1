import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { NOON_MS, balanceOf, expectRefused, keyOf, openFunded, sql } from '../support/raw-ledger.ts';
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
function withdrawal(status = 'PROCESSING', allowlistRequired = 0, keyId = keyOf(account)): D1PreparedStatement {
  return sql(
    `INSERT INTO withdrawals (account_id, id, type, asset, network, address, amount, fee, usd_value, status,
       committed_at, allowlist_required, daily_limit, key_id, released_at, next_ask_at)
     VALUES (?1, ?2, 'ONCHAIN_WITHDRAWAL', 'USDT', 'TRC20', 'x', 7, 2, 7, ?3, ?4, ?5, 5000000000, ?6,
       iif(?3 = 'PENDING', NULL, ?4), iif(?3 = 'PROCESSING', ?4, NULL))`,
    account,
    id,
    status,
    NOON_MS,
    allowlistRequired,
    keyId,
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
    await set('PROCESSING', `, released_at = ${NOON_MS}, next_ask_at = ${NOON_MS}`).run();
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

describe('the key of a withdrawal', () => {
  const by = (keyId: string) => withdrawal('PROCESSING', 0, keyId);
  const change = (set: string) => sql(`UPDATE api_keys SET ${set} WHERE id = ?`, keyOf(account));

  it.each<[string, () => string]>([
    ['unknown', () => 'nobody'],
    ['another account’s', () => keyOf(stranger)],
  ])('is refused where it is %s', async (_, keyId) => {
    await expectRefused('guard: key_revoked', by(keyId()), take());
  });

  it('is refused where it was revoked', async () => {
    await change('revoked_at = 1').run();
    await expectRefused('guard: key_revoked', by(keyOf(account)), take());
  });

  it('stays the one that asked', async () => {
    await withdrawal().run();
    for (const key of ['NULL', `'${stranger}'`]) {
      const other = sql(`UPDATE withdrawals SET key_id = ${key} WHERE id = ?`, id);
      await expectRefused('guard: a withdrawal keeps what it is', other);
    }
  });

  it('is refused from the millisecond on at which it expires', async () => {
    await change(`expires_at = ${NOON_MS}`).run();
    await expectRefused('guard: key_expired', by(keyOf(account)), take());
    await change(`expires_at = ${NOON_MS + 1}`).run();
    await env.DB.batch([by(keyOf(account)), take()]);
  });

  it('is told after that the withdrawal is there already', async () => {
    await env.DB.batch([by(keyOf(account)), take()]);
    await change('revoked_at = 1').run();
    await expectRefused('guard: withdrawal exists', by(keyOf(account)));
  });
});

describe('a withdrawal is let out', () => {
  const release = (more = '') => sql(`UPDATE withdrawals SET released_at = ${NOON_MS}${more} WHERE id = ?`, id);
  const approve = (more = '') => release(`, status = 'PROCESSING', next_ask_at = ${NOON_MS}${more}`);
  const settings = (set: string) => sql(`UPDATE settings SET ${set}`);
  afterEach(() => settings("withdrawals_halted = 0, paused_networks = '[]', allowlist_mode = NULL").run());

  it.each<[string, string, () => D1PreparedStatement]>([
    ['a halt', 'withdrawals_suspended', () => settings('withdrawals_halted = 1')],
    ['a paused network', 'withdrawals_suspended', () => settings(`paused_networks = '["ETH","TRC20"]'`)],
    ['a freeze', 'account_frozen', () => sql("UPDATE accounts SET status = 'frozen' WHERE id = ?", account)],
  ])(
    'neither again nor by an approval while there is %s, also at the time that it was let out before',
    async (_, guard, stop) => {
      await env.DB.batch([withdrawal(), take()]);
      await release().run();
      await stop().run();
      await expectRefused(`guard: ${guard}`, release());
      id = newRecordId(NOON_MS);
      await sql("UPDATE accounts SET status = 'active' WHERE id = ?", account).run();
      await settings("withdrawals_halted = 0, paused_networks = '[]'").run();
      await env.DB.batch([withdrawal('PENDING'), take()]);
      await stop().run();
      await expectRefused(`guard: ${guard}`, approve());
      // An end is no way out.
      await env.DB.batch([fail(), giveBack()]);
    },
  );

  it('only by a write that says when, and with a time to ask about it', async () => {
    await env.DB.batch([withdrawal('PENDING'), take()]);
    const refusal = 'guard: a withdrawal goes on once it is let out';
    await expectRefused(refusal, sql("UPDATE withdrawals SET status = 'PROCESSING', next_ask_at = 1 WHERE id = ?", id));
    await expectRefused(refusal, sql("UPDATE withdrawals SET status = 'COMPLETED', tx_hash = 'x' WHERE id = ?", id));
    await expectRefused(refusal, release(", status = 'PROCESSING'"));
    await expectRefused('guard: a withdrawal is let out at a time', release());
    await approve().run();
    await expectRefused(
      'guard: a withdrawal is let out at a time',
      sql('UPDATE withdrawals SET released_at = NULL WHERE id = ?', id),
    );
    await expectRefused(refusal, sql('UPDATE withdrawals SET next_ask_at = NULL WHERE id = ?', id));
  });

  it('never once it has ended', async () => {
    await env.DB.batch([withdrawal(), take(), fail(), giveBack()]);
    await expectRefused('guard: withdrawal_settled', release());
  });

  it('and keeps how it ended and what it needed', async () => {
    await env.DB.batch([withdrawal(), take()]);
    for (const change of ["tx_hash = 'x'", 'allowlist_required = 1']) {
      await expectRefused(
        'guard: a withdrawal keeps what it is',
        sql(`UPDATE withdrawals SET ${change} WHERE id = ?`, id),
      );
    }
  });

  it('as it is taken, or not at all', async () => {
    for (const [released, ask] of [
      ['NULL', 1],
      [NOON_MS - 1, 1],
      [NOON_MS, 'NULL'],
    ] as const) {
      await expectRefused(
        'guard: a withdrawal is let out as it is taken',
        sql(
          `INSERT INTO withdrawals (account_id, id, type, asset, network, address, amount, fee, usd_value, status,
             committed_at, allowlist_required, daily_limit, key_id, released_at, next_ask_at)
           VALUES (?1, ?2, 'ONCHAIN_WITHDRAWAL', 'USDT', 'TRC20', 'x', 7, 2, 7, 'PROCESSING', ?3, 0, 5000000000, ?4,
             ${released}, ${ask})`,
          account,
          id,
          NOON_MS,
          keyOf(account),
        ),
      );
    }
  });

  it('without a review up to the threshold, and not above it', async () => {
    await settings('review_threshold = 7').run();
    await withdrawal().run();
    id = newRecordId(NOON_MS);
    await expectRefused('guard: review_required', withdrawal());
    await withdrawal('PENDING').run();
    await settings('review_threshold = NULL').run();
  });
});
