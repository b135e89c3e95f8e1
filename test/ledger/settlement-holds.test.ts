import { beforeAll, describe, expect, it } from 'vitest';
import { moveToLedger, newRecordId } from '../../src/ledger/record-id.ts';
import { NEXT, NOON_MS, balanceOf, expectRefused, openFunded, sql } from '../support/ledger/raw-ledger.ts';

/** What the database itself refuses of a trade between two ledgers: the buyer's hold here, and a sale here. */

type Values = Readonly<Record<string, string | number | null>>;

let account: string;
/** The other party, in ledger 1. */
let peer: string;
beforeAll(async () => {
  account = await openFunded();
  peer = newRecordId(NOON_MS, 1);
});

/** The terms of a trade with the given id: 7 atoms of BTC for 5 atoms of USDT. */
function termsOf(id: string, change: Values = {}): Values {
  const movements = { usdt_movement: moveToLedger(id, 1), coin_movement: id };
  const amounts = { coin: 'BTC', coin_amount: 7, usdt_amount: 5 };
  return { account_id: account, id, counterparty: peer, ...amounts, reference: id, ...movements, ...change };
}

function insert(table: string, values: Values, transfer: string, number: string): D1PreparedStatement {
  const columns = Object.keys(values);
  return sql(
    `INSERT INTO ${table} (${columns.join(', ')}, ${transfer})
     VALUES (${columns.map(() => '?').join(', ')}, ${number})`,
    ...(Object.values(values) as string[]),
  );
}

/** The hold of a purchase from the account in ledger 1. */
const hold = (id: string, change: Values = {}, number = NEXT) =>
  insert('settlement_holds', termsOf(id, { status: 'HELD', ...change }), 'taken_transfer', number);

/** A row of the account, by default of a sale to the account in ledger 1. Its USDT comes here, and its coin goes there. */
function settlement(id: string, change: Values = {}, number = NEXT): D1PreparedStatement {
  const movements = { usdt_movement: id, coin_movement: moveToLedger(id, 1) };
  return insert('settlements', termsOf(id, { type: 'P2P_SELL', ...movements, ...change }), 'first_transfer', number);
}

const end = (id: string, change: string) => sql(`UPDATE settlement_holds SET ${change} WHERE id = ?`, id);
const pay = (id: string) => end(id, "status = 'PAID'");
const giveBack = (id: string, number = NEXT) => end(id, `status = 'RETURNED', returned_transfer = ${number}`);

const newId = () => newRecordId(NOON_MS);

/** Writes a hold. Returns its id. */
async function holdOne(): Promise<string> {
  const id = newId();
  await hold(id).run();
  return id;
}

const parties = ['USDT', 'BTC'].flatMap((asset) =>
  ['account', 'house:payouts', 'house:transit'].map((owner) => [owner, asset] as const),
);

/** What USDT and BTC of the account, of payouts and of transit become by some statements. */
async function readChange(...statements: D1PreparedStatement[]): Promise<bigint[]> {
  const read = () =>
    Promise.all(parties.map(([owner, asset]) => balanceOf(owner === 'account' ? account : owner, asset)));
  const before = await read();
  for (const statement of statements) await statement.run();
  return (await read()).map((amount, at) => amount - (before[at] ?? 0n));
}

describe('the hold of a trade between two ledgers', () => {
  it('takes the USDT, and returns it', async () => {
    const id = newId();
    expect(await readChange(hold(id))).toEqual([-5n, 5n, 0n, 0n, 0n, 0n]);
    expect(await readChange(giveBack(id))).toEqual([5n, -5n, 0n, 0n, 0n, 0n]);
  });

  it('that is paid moves the USDT out and the coin in, and writes the buyer’s row', async () => {
    const id = await holdOne();
    expect(await readChange(pay(id))).toEqual([0n, -5n, 5n, 7n, 0n, -7n]);
    const { results } = await sql('SELECT * FROM settlements WHERE id = ?', id).all();
    expect(results).toEqual([{ ...termsOf(id), type: 'P2P_BUY', first_transfer: expect.any(Number) }]);
    const halves = await sql(
      'SELECT account_id, half, asset, ledger, peer, purpose FROM movements WHERE record_id = ? ORDER BY transfer',
      id,
    ).all();
    const between = { ledger: 0, peer: 1, purpose: 'SETTLEMENT' };
    expect(halves.results).toEqual([
      { account_id: 'house:payouts', half: 'OUT', asset: 'USDT', ...between },
      { account_id: account, half: 'IN', asset: 'BTC', ...between },
    ]);
  });

  it('that is paid is stopped by no freeze and no halt', async () => {
    const id = await holdOne();
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await sql('UPDATE settings SET trading_halted = 1').run();
    await pay(id).run();
    await sql(`UPDATE accounts SET status = 'active' WHERE id = ?`, account).run();
    await sql('UPDATE settings SET trading_halted = 0').run();
    expect(await sql('SELECT status FROM settlement_holds WHERE id = ?', id).first('status')).toBe('PAID');
  });

  it('is written once, by its id and by its reference, unless it was returned', async () => {
    const id = await holdOne();
    await expectRefused('guard: settlement exists', hold(id, { reference: 'new' }));
    await expectRefused('guard: settlement exists', hold(newId(), { reference: id }));
    await giveBack(id).run();
    await hold(newId(), { reference: id }).run();
    await expectRefused('guard: settlement exists', hold(id, { reference: 'new' }));
  });

  it('has no reference that a settlement of this ledger has, and leaves it to no other', async () => {
    const other = { counterparty: 'house:liquidity', type: 'QUICK_SELL', usdt_movement: null, coin_movement: null };
    const id = newId();
    await settlement(id, other).run();
    await expectRefused('guard: settlement exists', hold(newId(), { reference: id }));
    const held = await holdOne();
    await expectRefused('guard: settlement exists', settlement(newId(), { ...other, reference: held }));
    await pay(held).run();
    await expectRefused('guard: settlement exists', settlement(newId(), { ...other, reference: held }));
  });

  it('is refused for a frozen account, during a halt, and without the money', async () => {
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await expectRefused('guard: account_frozen', hold(newId()));
    await sql(`UPDATE accounts SET status = 'active' WHERE id = ?`, account).run();
    await sql('UPDATE settings SET trading_halted = 1').run();
    await expectRefused('guard: trading_halted', hold(newId()));
    await sql('UPDATE settings SET trading_halted = 0').run();
    await expectRefused(`ledger: floor ${account} USDT`, hold(newId(), { usdt_amount: 1000 }));
  });

  it('is of a listed coin and of two ledgers, and begins with the next transfer', async () => {
    for (const coin of ['NOPE', 'USDT']) await expectRefused('guard: no such coin', hold(newId(), { coin }));
    const near = hold(newId(), { usdt_movement: newId() });
    await expectRefused('guard: a hold is for a trade between two ledgers', near);
    await expectRefused('guard: a hold begins with its transfer', hold(newId(), {}, `${NEXT} + 1`));
    await expectRefused('guard: a hold begins with its transfer', hold(newId(), { status: 'PAID' }));
  });

  it('needs two people where there are two admins', async () => {
    await sql('UPDATE settings SET has_two_admins = 1').run();
    await expectRefused('guard: two_people_needed', hold(newId()));
    await expectRefused(
      'guard: two_people_needed',
      settlement(newId(), {
        counterparty: 'house:liquidity',
        type: 'QUICK_SELL',
        usdt_movement: null,
        coin_movement: null,
      }),
    );
    await sql('UPDATE settings SET has_two_admins = 0').run();
  });

  it('ends once, keeps what it is, and is never deleted', async () => {
    const [held, paid, returned] = [await holdOne(), await holdOne(), await holdOne()];
    await pay(paid).run();
    await giveBack(returned).run();
    for (const id of [paid, returned]) {
      await expectRefused('guard: hold_ended', pay(id));
      await expectRefused('guard: hold_ended', giveBack(id));
      await expectRefused('guard: hold_ended', end(id, "status = 'HELD', returned_transfer = NULL"));
    }
    for (const change of Object.keys(termsOf(held))) {
      await expectRefused('guard: a hold keeps what it is', end(held, `status = 'PAID', ${change} = 1`));
    }
    await expectRefused('guard: a hold keeps what it is', end(held, "status = 'HELD'"));
    await expectRefused('guard: a hold keeps what it is', end(held, `status = 'PAID', taken_transfer = ${NEXT}`));
    await expectRefused('guard: a hold names the next transfer', giveBack(held, `${NEXT} + 1`));
    await expectRefused('guard: a hold is never deleted', sql('DELETE FROM settlement_holds WHERE id = ?', held));
  });
});

describe('a sale to an account of another ledger', () => {
  it('brings the USDT in and takes the coin out', async () => {
    const id = newId();
    expect(await readChange(settlement(id))).toEqual([5n, 0n, -5n, -7n, 0n, 7n]);
    const halves = await sql(
      'SELECT account_id, half, asset, ledger, peer, purpose FROM movements WHERE record_id = ? ORDER BY transfer',
      id,
    ).all();
    const between = { account_id: account, ledger: 0, peer: 1, purpose: 'SETTLEMENT' };
    expect(halves.results).toEqual([
      { half: 'IN', asset: 'USDT', ...between },
      { half: 'OUT', asset: 'BTC', ...between },
    ]);
  });

  it('is refused for a frozen account, during a halt, without the coin, and after its refusal', async () => {
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await expectRefused('guard: account_frozen', settlement(newId()));
    await sql(`UPDATE accounts SET status = 'active' WHERE id = ?`, account).run();
    await sql('UPDATE settings SET trading_halted = 1').run();
    await expectRefused('guard: trading_halted', settlement(newId()));
    await sql('UPDATE settings SET trading_halted = 0').run();
    await expectRefused(`ledger: floor ${account} BTC`, settlement(newId(), { coin_amount: 1000 }));
    const refused = newId();
    await sql('INSERT INTO refused_movements VALUES (?)', refused).run();
    await expectRefused('guard: movement_refused', settlement(refused));
  });

  it('has two movements, between two ledgers, and the next transfers', async () => {
    const message = 'guard: a trade between two ledgers has two movements';
    await expectRefused(message, settlement(newId(), { coin_movement: null }));
    await expectRefused(message, settlement(newId(), { coin_movement: newId() }));
    await expectRefused(message, settlement(newId(), { type: 'QUICK_SELL', counterparty: 'house:liquidity' }));
    await expectRefused('guard: a sale has its purchase', settlement(newId(), { usdt_movement: null }));
    await expectRefused('guard: a settlement names the next transfers', settlement(newId(), {}, `${NEXT} + 1`));
  });
});

describe('a purchase from an account of another ledger', () => {
  it('is written by its hold alone', async () => {
    const message = 'guard: a purchase from another ledger was held';
    const purchase = (id: string, change: Values = {}) =>
      settlement(id, { ...termsOf(id), type: 'P2P_BUY', ...change });
    await expectRefused(message, purchase(newId()));
    await expectRefused(message, purchase(await holdOne()));
  });
});

describe('a movement of a settlement', () => {
  it('is written by the settlement alone', async () => {
    const message = 'guard: a movement is for something';
    const movement = (half: string, owner: string, id: string, record: string, change: Values = {}) => {
      const row = { account_id: owner, id, half, asset: 'USDT', amount: 5, ledger: 0, peer: 1, record_id: record };
      return insert('movements', { ...row, purpose: 'SETTLEMENT', ...change }, 'transfer', NEXT);
    };
    const held = await holdOne();
    await expectRefused(message, movement('OUT', 'house:payouts', moveToLedger(held, 1), held));
    const sold = newId();
    await settlement(sold).run();
    await expectRefused(message, movement('IN', account, newId(), sold));
    await expectRefused(message, movement('OUT', account, newId(), sold));
    await expectRefused('guard: movement exists', movement('IN', account, sold, sold));
  });
});
