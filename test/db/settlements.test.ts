import { beforeAll, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  NOON_MS,
  balanceOf,
  expectRefused,
  openFunded,
  INSERTS,
  insertRow,
  transfer,
  NEXT,
} from '../support/db/raw-ledger.ts';
import { sql, listRows } from '../support/db/sql.ts';

const HOUSE = 'house:liquidity';

let buyer: string;
let seller: string;
beforeAll(async () => {
  [buyer, seller] = [await openFunded(), await openFunded()];
});

interface Row {
  readonly accountId: string;
  readonly counterparty: string;
  readonly type: string;
  readonly id: string;
  readonly reference?: string;
  readonly usdtAmount?: number;
  /** The number of its first transfer, counted from the next free number. */
  readonly offset?: number;
}

/** One party's row of a trade of 7 atoms of BTC for 5 atoms of USDT. */
function settlement(row: Row, insert = 'INSERT'): D1PreparedStatement {
  const { accountId, id, type, counterparty, reference = id, usdtAmount = 5, offset = 0 } = row;
  const parties = { account_id: accountId, id, type, counterparty, coin: 'BTC', coin_amount: 7 };
  const first_transfer = `${NEXT} + ${offset}`;
  return insertRow('settlements', { ...parties, usdt_amount: usdtAmount, reference, first_transfer }, insert);
}

function p2p(id: string, change: Partial<Row> = {}): D1PreparedStatement {
  return settlement({ accountId: buyer, counterparty: seller, type: 'P2P_BUY', id, ...change });
}

const move = (id: string, debit: string, credit: string, asset: string, amount: number) =>
  transfer(debit, credit, asset, String(amount), 'settlement', id);

const payment = (id: string, from = buyer, to = seller) => move(id, from, to, 'USDT', 5);

/** Writes a trade between the two accounts. Returns its id. */
async function settleOne(): Promise<string> {
  const id = newRecordId(NOON_MS);
  await p2p(id).run();
  return id;
}

describe('the transfers of a settlement', () => {
  it('move the amounts in its rows, between the accounts that they name', async () => {
    const holdings = () =>
      Promise.all([buyer, seller].flatMap((party) => [balanceOf(party, 'USDT'), balanceOf(party, 'BTC')]));
    const [usdtOfBuyer = 0n, btcOfBuyer = 0n, usdtOfSeller = 0n, btcOfSeller = 0n] = await holdings();
    await settleOne();
    expect(await holdings()).toEqual([usdtOfBuyer - 5n, btcOfBuyer + 7n, usdtOfSeller + 5n, btcOfSeller - 7n]);
  });

  it('between an account and the house are in the account’s row alone, in both directions', async () => {
    for (const [type, from, to] of [
      ['QUICK_BUY', buyer, HOUSE],
      ['QUICK_SELL', HOUSE, buyer],
    ] as const) {
      const id = newRecordId(NOON_MS);
      await settlement({ accountId: buyer, counterparty: HOUSE, type, id }).run();
      const results = await listRows('SELECT debit, credit, asset, amount FROM transfers WHERE reference = ?', id);
      expect(results).toEqual([
        { debit: from, credit: to, asset: 'USDT', amount: 5 },
        { debit: to, credit: from, asset: 'BTC', amount: 7 },
      ]);
      await expectRefused('ledger: no settlement explains the transfer', payment(id, from, to));
    }
  });

  it('write the seller’s row with the buyer’s', async () => {
    const id = await settleOne();
    const results = await listRows('SELECT * FROM settlements WHERE id = ? ORDER BY type', id);
    const [bought, sold] = results;
    expect(sold).toEqual({ ...bought, account_id: seller, counterparty: buyer, type: 'P2P_SELL' });
  });
});

describe('a record of a settlement', () => {
  it('is written once, by its id and by its reference', async () => {
    const id = await settleOne();
    const other = { accountId: buyer, counterparty: HOUSE, type: 'QUICK_BUY', id: newRecordId(NOON_MS) };
    for (const insert of INSERTS) {
      await expectRefused('guard: settlement exists', settlement({ ...other, id, reference: 'new' }, insert));
      await expectRefused('guard: settlement exists', settlement({ ...other, reference: id }, insert));
    }
  });

  it('is never changed or deleted', async () => {
    const id = await settleOne();
    for (const update of ['UPDATE', 'UPDATE OR REPLACE']) {
      await expectRefused(
        'guard: a settlement is never changed',
        sql(`${update} settlements SET usdt_amount = 6 WHERE id = ?`, id),
      );
    }
    await expectRefused('guard: a settlement is never deleted', sql('DELETE FROM settlements WHERE id = ?', id));
  });

  it('of a sale exists only with the row of its purchase', async () => {
    const id = newRecordId(NOON_MS);
    const sale = { accountId: seller, counterparty: buyer, type: 'P2P_SELL', id };
    await expectRefused('guard: a sale has its purchase', settlement(sale));
    await expectRefused('guard: settlement exists', p2p(id), settlement(sale));
  });

  it('names a listed coin', async () => {
    for (const coin of ['NOPE', 'USDT']) {
      const query = `INSERT INTO settlements SELECT account_id, 'x', 'QUICK_BUY', 'house:liquidity', ?, 1, 1, 'x',
        (SELECT max(id) + 1 FROM transfers) FROM settlements LIMIT 1`;
      await expectRefused('guard: no such coin', sql(query, coin));
    }
  });

  it('has the next numbers of the transfers and no others', async () => {
    const row = { accountId: buyer, counterparty: HOUSE, type: 'QUICK_BUY', id: newRecordId(NOON_MS) };
    for (const offset of [-1, 1]) {
      await expectRefused('ledger: a transfer takes the next number', settlement({ ...row, offset }));
    }
  });

  it.each([
    ['P2P_BUY', HOUSE],
    ['QUICK_BUY', 'another account'],
    ['P2P_BUY', 'the account itself'],
    ['SPOT_BUY', HOUSE],
  ])('of a %s with %s is refused', async (type, party) => {
    const counterparty = party === HOUSE ? HOUSE : party === 'another account' ? seller : buyer;
    const row = settlement({ accountId: buyer, counterparty, type, id: newRecordId(NOON_MS) });
    await expectRefused('CHECK constraint failed', row);
  });

  it('that moves nothing is refused', async () => {
    const row = { accountId: buyer, counterparty: HOUSE, type: 'QUICK_BUY', id: newRecordId(NOON_MS) };
    await expectRefused('CHECK constraint failed: usdt_amount > 0', settlement({ ...row, usdtAmount: 0 }));
  });

  it('belongs to accounts that exist and are not frozen', async () => {
    const id = newRecordId(NOON_MS);
    await expectRefused(
      'guard: account_frozen',
      settlement({ accountId: 'nobody', counterparty: HOUSE, type: 'QUICK_BUY', id }),
    );
    for (const party of [buyer, seller]) {
      await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, party).run();
      await expectRefused('guard: account_frozen', p2p(id));
      await sql(`UPDATE accounts SET status = 'active' WHERE id = ?`, party).run();
    }
  });

  it('is refused by the database itself while trading is halted', async () => {
    await sql('UPDATE settings SET trading_halted = 1').run();
    await expectRefused('guard: trading_halted', p2p(newRecordId(NOON_MS)));
    await sql('UPDATE settings SET trading_halted = 0').run();
    await settleOne();
  });
});
