import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  NEXT,
  NOON_MS,
  balanceOf,
  expectRefused,
  insertRow,
  keyOf,
  openFunded,
  withdrawalRow,
} from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql, listRows } from '../support/db/sql.ts';

let account: string;
let stranger: string;
let id: string;
/** The receipt of a withdrawal that is paid here. */
const receiptId = newRecordId(NOON_MS);
beforeEach(async () => {
  [account, stranger] = [await openFunded(), await openFunded()];
  id = newRecordId(NOON_MS);
});

/** A withdrawal of 7 atoms with a fee of 2, or with other values, as SQL. */
function withdrawal(status = 'PROCESSING', change: Readonly<Record<string, string | number | null>> = {}) {
  return insertRow('withdrawals', { ...withdrawalRow(account, id, status), ...change });
}

/** The same withdrawal when it is paid to the owner of an address in this exchange. */
function inside(recipient = stranger) {
  return withdrawal('PENDING', {
    type: 'INTERNAL_WITHDRAWAL',
    address: stranger,
    fee: 0,
    recipient,
  });
}

const own = () => sql("INSERT INTO addresses VALUES (?1, 'TRC20', ?1)", stranger);
const set = (change: string) => sql(`UPDATE withdrawals SET ${change} WHERE id = ?`, id);
const fail = () => set(`status = 'FAILED', reason = 'x', returned_transfer = ${NEXT}`);
const pay = () => set(`status = 'COMPLETED', tx_hash = 'x', paid_transfer = ${NEXT}`);

/** The same values for such a withdrawal at its approval. */
const payInside = (receipt: string) =>
  set(`status = 'COMPLETED', released_at = ${NOON_MS}, paid_transfer = ${NEXT}, receipt_id = ${receipt}`);

async function readMoves(): Promise<unknown[]> {
  const results = await listRows<{ move: string }>(
    `SELECT replace(replace(debit, ?1, 'account'), ?2, 'stranger') || ' ' ||
       replace(replace(credit, ?1, 'account'), ?2, 'stranger') || ' ' || amount AS move
     FROM transfers WHERE kind = 'withdrawal' AND reference = ?3 ORDER BY id`,
    account,
    stranger,
    id,
  );
  return results.map(({ move }) => move);
}

describe('the client’s name for a withdrawal', () => {
  it('is an account’s once, for good, also when the withdrawal has failed, and is never changed', async () => {
    const named = (accountId: string, name: string) =>
      insertRow('withdrawals', {
        ...withdrawalRow(accountId, newRecordId(NOON_MS), 'PROCESSING'),
        client_order_id: name,
      });
    await withdrawal('PROCESSING', { client_order_id: 'mine' }).run();
    await expectRefused('guard: client_order_id_reused', named(account, 'mine'));
    await expectRefused('guard: a withdrawal keeps what it is', set(`client_order_id = 'other'`));
    await fail().run();
    await expectRefused('guard: client_order_id_reused', named(account, 'mine'));
    await named(account, 'Mine').run();
    await named(stranger, 'mine').run();
    await expectRefused('CHECK constraint failed', named(stranger, 'n'.repeat(65)));
  });
});

describe('what the holder of a withdrawal is told', () => {
  const tell = (note: string, reason = 'rejected') =>
    set(`status = 'FAILED', reason = '${reason}', note = '${note}', returned_transfer = ${NEXT}`);

  it('is written with a rejection, is a line at most, and stays', async () => {
    await withdrawal('PENDING').run();
    await expectRefused('guard: a withdrawal keeps what it is', set("note = 'n'"));
    for (const refused of [tell(''), tell('n'.repeat(201)), tell('n', 'settled')]) {
      await expectRefused('CHECK constraint failed', refused);
    }
    await tell('n'.repeat(200)).run();
    await expectRefused('guard: withdrawal_settled', set("note = 'other'"));
  });

  it('is nothing where the custodian has had it', async () => {
    await withdrawal().run();
    await expectRefused('guard: a withdrawal keeps what it is', tell('n'));
  });
});

describe('the money of a withdrawal', () => {
  it('is taken when its row is written, and returned when it fails', async () => {
    await withdrawal().run();
    expect(await balanceOf(account, 'USDT')).toBe(91n);
    await fail().run();
    expect(await balanceOf(account, 'USDT')).toBe(100n);
    expect(await readMoves()).toEqual(['account house:payouts 9', 'house:payouts account 9']);
  });

  it('leaves the house when it is paid, and the fee stays', async () => {
    await withdrawal().run();
    await pay().run();
    expect(await readMoves()).toEqual([
      'account house:payouts 9',
      'house:payouts house:custody 7',
      'house:payouts house:fees 2',
    ]);
  });

  it('goes to the account of this exchange that owns the address, with a receipt', async () => {
    await own().run();
    await inside().run();
    const receipt = newRecordId(NOON_MS);
    await payInside(`'${receipt}'`).run();
    expect(await readMoves()).toEqual(['account house:payouts 7', 'house:payouts stranger 7']);
    const found = await sql(
      `SELECT d.account_id, d.amount, d.status, d.withdrawal_id, d.transfer = w.paid_transfer AS same
       FROM deposits AS d JOIN withdrawals AS w ON w.id = d.withdrawal_id WHERE d.id = ?`,
      receipt,
    ).first();
    expect(found).toEqual({ account_id: stranger, amount: 7, status: 'COMPLETED', withdrawal_id: id, same: 1 });
  });

  it('is paid to no account of this exchange but the address’s owner', async () => {
    const message = 'guard: a withdrawal inside is paid to the owner of its address';
    await expectRefused(message, inside());
    await own().run();
    await expectRefused(message, inside(await openFunded()));
    await expectRefused('CHECK constraint failed', inside('nobody'));
  });

  it('is paid to an account of this exchange only with a receipt that agrees with it', async () => {
    await own().run();
    await inside().run();
    await expectRefused('CHECK constraint failed', payInside('NULL'));
    const receipt = (change: Readonly<Record<string, string>>) => {
      const row = {
        account_id: stranger,
        id: newRecordId(NOON_MS),
        type: 'INTERNAL_DEPOSIT',
        asset: 'USDT',
        amount: 7,
        usd_value: 7,
        status: 'COMPLETED',
        withdrawal_id: id,
        transfer: NEXT,
        ...change,
      };
      return insertRow('deposits', row);
    };
    await expectRefused('guard: no withdrawal has this receipt', receipt({}));
    await payInside(`'${receiptId}'`).run();
    await expectRefused('guard: no withdrawal has this receipt', receipt({}));
    await expectRefused('guard: deposit exists', receipt({ id: receiptId }));
    await expectRefused('guard: no withdrawal has this receipt', receipt({ id: receiptId, account_id: account }));
  });

  it.each([
    ['for more than the balance', { amount: 99 }, 'ledger: floor'],
    ['of an unknown asset', { asset: 'NOPE' }, 'ledger: no such balance'],
    ['of an unknown account', { account_id: 'nobody' }, 'guard: key_revoked'],
    ['under another number', { taken_transfer: `${NEXT} + 1` }, 'ledger: a transfer takes the next number'],
    ['under a number that was', { taken_transfer: 1 }, 'ledger: a transfer takes the next number'],
  ])('is never taken %s', async (_, change, message) => {
    await expectRefused(message, withdrawal('PROCESSING', change));
  });
});

it('a withdrawal has an id that is unique among all accounts', async () => {
  await withdrawal().run();
  await expectRefused(
    'guard: withdrawal exists',
    withdrawal('PROCESSING', { account_id: stranger, key_id: keyOf(stranger) }),
  );
});

describe('the address of a withdrawal', () => {
  const toListed = () => withdrawal('PROCESSING', { allowlist_required: 1 });
  const approve = (owner: string, network: string, address: string, usableAt_ms: number) =>
    sql(
      "INSERT INTO allowlist (account_id, id, network, address, label, usable_at) VALUES (?, ?, ?, ?, 'x', ?)",
      owner,
      newRecordId(NOON_MS),
      network,
      address,
      usableAt_ms,
    );

  it('is on the account’s allowlist and usable at that time, if that is required', async () => {
    await env.DB.batch([approve(account, 'TRC20', 'x', NOON_MS), toListed()]);
    expect(await balanceOf(account, 'USDT')).toBe(91n);
  });

  it.each<[string, () => D1PreparedStatement]>([
    ['not approved', () => sql('SELECT 1')],
    ['approved for a millisecond later', () => approve(account, 'TRC20', 'x', NOON_MS + 1)],
    ['approved for another account', () => approve(stranger, 'TRC20', 'x', NOON_MS)],
    ['approved on another network', () => approve(account, 'ETH', 'x', NOON_MS)],
    ['another than the one approved', () => approve(account, 'TRC20', 'y', NOON_MS)],
  ])('is refused when it is %s', async (_, prepare) => {
    await prepare().run();
    await expectRefused('guard: address_not_allowlisted', toListed());
  });
});

describe('the key of a withdrawal', () => {
  const by = (keyId: string) => withdrawal('PROCESSING', { key_id: keyId });
  const change = (what: string) => sql(`UPDATE api_keys SET ${what} WHERE id = ?`, keyOf(account));

  it.each<[string, () => string]>([
    ['unknown', () => 'nobody'],
    ['another account’s', () => keyOf(stranger)],
  ])('is refused when it is %s', async (_, keyId) => {
    await expectRefused('guard: key_revoked', by(keyId()));
  });

  it('is refused when it was revoked', async () => {
    await change('revoked_at = 1').run();
    await expectRefused('guard: key_revoked', by(keyOf(account)));
  });

  it('never changes', async () => {
    await withdrawal().run();
    for (const key of ['NULL', `'${stranger}'`]) {
      const other = set(`key_id = ${key}`);
      await expectRefused('guard: a withdrawal keeps what it is', other);
    }
  });

  it('is refused from the millisecond at which it expires', async () => {
    await change(`expires_at = ${NOON_MS}`).run();
    await expectRefused('guard: key_expired', by(keyOf(account)));
    await change(`expires_at = ${NOON_MS + 1}`).run();
    await env.DB.batch([by(keyOf(account))]);
  });

  it('is checked after whether the withdrawal exists already', async () => {
    await env.DB.batch([by(keyOf(account))]);
    await change('revoked_at = 1').run();
    await expectRefused('guard: withdrawal exists', by(keyOf(account)));
  });
});

describe('a withdrawal is released', () => {
  const release = (more = '') => set(`released_at = ${NOON_MS}${more}`);
  const approve = (more = '') => release(`, status = 'PROCESSING', next_ask_at = ${NOON_MS}${more}`);
  const settings = (what: string) => sql(`UPDATE settings SET ${what}`);
  afterEach(() => settings("withdrawals_halted = 0, paused_networks = '[]', allowlist_mode = NULL").run());

  it.each<[string, string, () => D1PreparedStatement]>([
    ['a halt', 'withdrawals_suspended', () => settings('withdrawals_halted = 1')],
    ['a paused network', 'withdrawals_suspended', () => settings(`paused_networks = '["ETH","TRC20"]'`)],
    ['a freeze', 'account_frozen', () => sql("UPDATE accounts SET status = 'frozen' WHERE id = ?", account)],
  ])(
    'neither again nor by an approval while there is %s, even with the time of the last release',
    async (_, guard, stop) => {
      await env.DB.batch([withdrawal()]);
      await release().run();
      await stop().run();
      await expectRefused(`guard: ${guard}`, release());
      id = newRecordId(NOON_MS);
      await sql("UPDATE accounts SET status = 'active' WHERE id = ?", account).run();
      await settings("withdrawals_halted = 0, paused_networks = '[]'").run();
      await env.DB.batch([withdrawal('PENDING')]);
      await stop().run();
      await expectRefused(`guard: ${guard}`, approve());
      // Setting an end is no way around the guard either.
      await fail().run();
    },
  );

  it('only with a time, and with a time for the next look-up', async () => {
    await env.DB.batch([withdrawal('PENDING')]);
    const refusal = 'guard: a withdrawal goes on once it is let out';
    await expectRefused(refusal, set(`status = 'PROCESSING', next_ask_at = 1`));
    await expectRefused(refusal, release(", status = 'PROCESSING'"));
    await expectRefused('guard: a withdrawal is let out at a time', release());
    await approve().run();
    await expectRefused('guard: a withdrawal is let out at a time', set('released_at = NULL'));
    await expectRefused(refusal, set('next_ask_at = NULL'));
  });

  it('once: a repeated approval is refused, and changes no time', async () => {
    await env.DB.batch([withdrawal('PENDING'), approve()]);
    await expectRefused('guard: withdrawal_settled', approve());
    await expectRefused('guard: withdrawal_settled', set("status = 'PROCESSING'"));
  });

  it('never after it has ended', async () => {
    await env.DB.batch([withdrawal(), fail()]);
    await expectRefused('guard: withdrawal_settled', release());
  });

  it('and keeps how it ended and what it needed', async () => {
    await env.DB.batch([withdrawal()]);
    for (const change of ["tx_hash = 'x'", 'allowlist_required = 1']) {
      await expectRefused('guard: a withdrawal keeps what it is', set(change));
    }
  });

  it('with the time of the batch that takes the money, and a time for the next look-up', async () => {
    for (const [released, ask] of [
      [null, 1],
      [NOON_MS - 1, 1],
      [NOON_MS, null],
    ] as const) {
      await expectRefused(
        'guard: a withdrawal is let out as it is taken',
        withdrawal('PROCESSING', { released_at: released, next_ask_at: ask }),
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
