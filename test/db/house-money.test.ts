import { describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  VENUE,
  dealtRow,
  endHedge,
  funding,
  fundVenue,
  fundingRow,
  hedgeRow,
  neverRow,
  openHedge,
} from '../support/db/house-money.ts';
import {
  INSERTS,
  NEXT,
  NOON_MS,
  type Row,
  UPDATES,
  audit,
  balanceOf,
  credit,
  expectEachRefused,
  expectRefused,
  insertRow,
  openFunded,
  order,
  setFloor,
  transfer,
  updateRow,
} from '../support/db/raw-ledger.ts';
import { listRows, sql } from '../support/db/sql.ts';
import { env } from '../support/runtime/test-env.ts';

const LIQUIDITY = 'house:liquidity';
const CUSTODY = 'house:custody';

const newId = () => newRecordId(NOON_MS);

const readMoves = (id: string) =>
  listRows<Row>('SELECT debit, credit, asset, amount FROM transfers WHERE reference = ? ORDER BY id', id);

const show = (moves: readonly Row[]) =>
  moves.map(({ debit, credit: to, asset, amount }) => `${debit} ${to} ${amount} ${asset}`.replaceAll('house:', ''));

const capitalOf = (asset: string) =>
  sql('SELECT capital FROM balances WHERE account = ? AND asset = ?', LIQUIDITY, asset).first<number>('capital');

// The tests below spend what this one funds.
it('a venue has a balance of every asset from its first funding on', async () => {
  const count = () => sql('SELECT count(*) AS n FROM balances WHERE account = ?', VENUE).first('n');
  expect(await count()).toBe(0);
  await fundVenue({ USDT: '10000000', BTC: '100000' });
  expect(await count()).toBe(9);
});

describe('a funding', () => {
  it('moves money of the house between its owner, custody and a venue, and the owner’s is capital', async () => {
    const before = (await capitalOf('USDT')) ?? 0;
    for (const [from, to, capital] of [
      [LIQUIDITY, CUSTODY, 70],
      [CUSTODY, VENUE, 70],
      [VENUE, CUSTODY, 70],
      [CUSTODY, LIQUIDITY, 0],
    ] as const) {
      const [named, made] = funding(from, to, 'USDT', '70');
      await env.DB.batch([named!, made!]);
      expect(await capitalOf('USDT')).toBe(before + capital);
    }
    const [last] = await listRows<{ id: string }>('SELECT id FROM fundings ORDER BY transfer DESC LIMIT 1');
    expect(show(await readMoves(last!.id))).toEqual(['liquidity custody 70 USDT']);
  });

  it('gives a new venue a balance in every asset', async () => {
    await fundVenue({ ETH: '5' }, 'house:venue:new-1');
    const rows = await listRows<Row>(
      "SELECT asset, amount FROM balances WHERE account = 'house:venue:new-1' AND amount <> 0",
    );
    expect(rows).toEqual([{ asset: 'ETH', amount: -5 }]);
    expect(await sql("SELECT count(*) AS n FROM balances WHERE account = 'house:venue:new-1'").first('n')).toBe(9);
  });

  it.each([
    ['of more than custody has', CUSTODY, VENUE, '2', 'ledger: floor house:custody LTC at 0'],
    ['of more than a venue has', VENUE, CUSTODY, '2', 'ledger: floor house:venue:played LTC at 0'],
    ['of a venue that nobody knows', 'house:venue:other', CUSTODY, '2', 'ledger: floor house:venue:other LTC at 0'],
    ['to a name that no venue has', LIQUIDITY, 'house:venue:No', '2', 'ledger: a balance belongs to an account'],
    ['to an account', LIQUIDITY, 'a', '2', 'guard: money of the house is in custody, at a venue'],
    ['from the fees', 'house:fees', CUSTODY, '2', 'guard: money of the house is in custody, at a venue'],
    ['beyond the supply cap', LIQUIDITY, CUSTODY, '1000000000000001', 'ledger: floor house:custody LTC'],
  ])('is refused %s', async (_what, from, to, amount, message) => {
    await expectRefused(message, ...funding(from, to, 'LTC', amount));
  });

  it('takes out for the owner no more than the inventory has', async () => {
    const account = await openFunded();
    await env.DB.batch([credit(account, 'DOGE', '9'), ...funding(LIQUIDITY, CUSTODY, 'DOGE', '5')]);
    await expectRefused('ledger: floor house:liquidity DOGE at 5', ...funding(CUSTODY, LIQUIDITY, 'DOGE', '6'));
    await env.DB.batch(funding(CUSTODY, LIQUIDITY, 'DOGE', '5'));
    expect(await capitalOf('DOGE')).toBe(0);
  });

  it('is entered once, with its row of the audit, and never changed or deleted', async () => {
    const row = fundingRow(LIQUIDITY, CUSTODY, 'USDT', '5');
    const id = String(row['id']);
    await expectEachRefused(
      'guard: no audit row names the funding',
      ...INSERTS.map((insert) => insertRow('fundings', row, insert)),
    );
    await env.DB.batch([audit('fund', id), insertRow('fundings', row)]);
    for (const again of [row, { ...row, id: newId() }, { ...row, reference: 'another' }]) {
      for (const insert of INSERTS) {
        await expectRefused(
          'guard: funding exists',
          audit('fund', String(again['id'])),
          insertRow('fundings', again, insert),
        );
      }
    }
    await expectEachRefused(
      'guard: a funding is never changed',
      ...UPDATES.map((update) => updateRow('fundings', id, { amount: 6 }, update)),
    );
    await expectEachRefused('guard: a funding is never deleted', sql('DELETE FROM fundings WHERE id = ?', id));
    await expectEachRefused(
      'ledger: no funding explains the transfer',
      transfer(CUSTODY, LIQUIDITY, 'USDT', '5', 'funding', id),
      transfer(CUSTODY, LIQUIDITY, 'USDT', '5', 'funding', 'no such funding'),
    );
    await expectEachRefused(
      'ledger: no funding explains the capital',
      ...UPDATES.map((update) => sql(`${update} balances SET capital = capital + 1 WHERE account = ?`, LIQUIDITY)),
    );
  });

  it('leaves what clients may bring in as it was: what is at venues counts for the supply cap', async () => {
    const account = await openFunded();
    const room = await balanceOf(CUSTODY, 'AVAX');
    await env.DB.batch(setFloor(CUSTODY, 'AVAX', String(room - 100n)));
    await env.DB.batch([...funding(LIQUIDITY, CUSTODY, 'AVAX', '60'), ...funding(CUSTODY, VENUE, 'AVAX', '60')]);
    await credit(account, 'AVAX', '40').run();
    await expectRefused('ledger: floor house:custody AVAX', credit(account, 'AVAX', '1'));
  });
});

describe('a hedge', () => {
  it.each<['BUY' | 'SELL', string[]]>([
    [
      'BUY',
      [
        'liquidity hedging 700000 USDT',
        'hedging venue:played 583200 USDT',
        'hedging liquidity 116800 USDT',
        'venue:played liquidity 900 BTC',
        'liquidity venue:played 580 USDT',
      ],
    ],
    [
      'SELL',
      [
        'liquidity hedging 1000 BTC',
        'hedging venue:played 900 BTC',
        'hedging liquidity 100 BTC',
        'venue:played liquidity 583200 USDT',
        'liquidity venue:played 580 USDT',
      ],
    ],
  ])('that is a %s sets aside what it gives, and moves what was dealt', async (side, moves) => {
    const id = newId();
    await openHedge(id, side).run();
    await endHedge(id, dealtRow()).run();
    expect(show(await readMoves(id))).toEqual(moves);
  });

  it('that was never dealt gives everything back, and one dealt in whole and free of charge nothing', async () => {
    const [never, whole] = [newId(), newId()];
    await env.DB.batch([openHedge(never), endHedge(never, neverRow())]);
    expect(show(await readMoves(never)).slice(1)).toEqual(['hedging liquidity 700000 USDT']);
    await env.DB.batch([
      openHedge(whole, 'SELL'),
      endHedge(whole, dealtRow({ dealt_coin: 1_000, fee: 0, fee_asset: null })),
    ]);
    expect(show(await readMoves(whole)).slice(1)).toEqual([
      'hedging venue:played 1000 BTC',
      'venue:played liquidity 583200 USDT',
    ]);
  });

  it('is one of its coin at a time, of what the venue has, and not while hedging is halted', async () => {
    const open = newId();
    await openHedge(open).run();
    await expectEachRefused('guard: hedge_open', openHedge(newId()), openHedge(newId(), 'SELL'));
    await expectEachRefused(
      'guard: venue_has_too_little',
      openHedge(newId(), 'BUY', { coin: 'ETH', set_aside: 10_000_000 }),
      openHedge(newId(), 'SELL', { coin: 'ETH' }),
      openHedge(newId(), 'BUY', { coin: 'ETH', account_id: 'house:venue:other' }),
      openHedge(newId(), 'BUY', { coin: 'ETH', account_id: CUSTODY }),
    );
    await endHedge(open, neverRow()).run();
    await sql('UPDATE settings SET hedging_halted = 1').run();
    await expectRefused('guard: hedging_halted', openHedge(newId()));
    await sql('UPDATE settings SET hedging_halted = 0').run();
    await insertRow('reconciliation_violations', {
      id: 'v',
      invariant: 'i',
      pass: 1,
      found_at: 1,
      examples: '[]',
    }).run();
    await expectRefused('guard: hedging_halted', openHedge(newId()));
    await sql("UPDATE reconciliation_violations SET cleared_at = 1, reason = 'r'").run();
  });

  it('is refused beyond the exposure', async () => {
    await credit(await openFunded(), 'USDT', '1000000000').run();
    await env.DB.batch([...funding(CUSTODY, VENUE, 'USDT', '1000000000'), ...setFloor(LIQUIDITY, 'USDT', '0')]);
    const beyond = String((await balanceOf(LIQUIDITY, 'USDT')) + 1n);
    await expectRefused('ledger: floor house:liquidity USDT', openHedge(newId(), 'BUY', { set_aside: beyond }));
    await env.DB.batch(setFloor(LIQUIDITY, 'USDT', '-10000000000000'));
  });

  it('begins open, of a coin, with what it gives, and under a new id', async () => {
    const id = newId();
    await env.DB.batch([openHedge(id), endHedge(id, neverRow())]);
    for (const insert of INSERTS) {
      await expectRefused('guard: hedge exists', insertRow('hedges', hedgeRow(id, 'BUY'), insert));
      await expectRefused(
        'guard: a hedge begins open',
        insertRow('hedges', { ...hedgeRow(newId(), 'BUY'), ...dealtRow() }, insert),
      );
    }
    await expectEachRefused(
      'guard: a hedge is of a coin, and sets aside what it gives',
      openHedge(newId(), 'BUY', { coin: 'USDT' }),
      openHedge(newId(), 'BUY', { coin: 'XRP' }),
      openHedge(newId(), 'SELL', { set_aside: 999 }),
    );
    await expectEachRefused(
      'ledger: a transfer takes the next number',
      openHedge(newId(), 'BUY', { taken_transfer: `${NEXT} + 1` }),
      openHedge(newId(), 'BUY', { taken_transfer: 1 }),
    );
  });

  it('ends once, within what was set aside, and is never changed or deleted', async () => {
    const id = newId();
    await openHedge(id).run();
    for (const update of UPDATES) {
      await expectRefused(
        'guard: no more is dealt than was set aside',
        endHedge(id, dealtRow({ dealt_usdt: 700_001 }), update),
      );
      await expectRefused(
        'ledger: a transfer takes the next number',
        endHedge(id, dealtRow({ ended_transfer: `${NEXT} + 1` }), update),
      );
      const kept: Row = {
        coin: 'ETH',
        side: 'SELL',
        coin_amount: 999,
        limit_price: 1,
        middle_price: 1,
        set_aside: 600_000,
      };
      for (const [column, value] of Object.entries({
        ...kept,
        send_by: 1,
        taken_transfer: 1,
        id: newId(),
        account_id: 'house:venue:x',
      })) {
        await expectRefused('guard: a hedge keeps what it is', endHedge(id, dealtRow({ [column]: value }), update));
      }
      await expectRefused('guard: hedge_ended', endHedge(id, { status: 'OPEN' }, update));
    }
    await expectEachRefused('guard: a hedge is never deleted', sql('DELETE FROM hedges WHERE id = ?', id));
    await endHedge(id, dealtRow()).run();
    for (const update of UPDATES) {
      await expectRefused('guard: hedge_ended', endHedge(id, neverRow(), update));
      await expectRefused('guard: hedge_ended', endHedge(id, dealtRow(), update));
    }
    await expectEachRefused('guard: a hedge is never deleted', sql('DELETE FROM hedges WHERE id = ?', id));
  });

  it('explains no transfer but its own, in any state', async () => {
    for (const end of [dealtRow(), neverRow()]) {
      const id = newId();
      await openHedge(id).run();
      await expectForged(id);
      await endHedge(id, end).run();
      await expectForged(id);
    }
  });
});

/** Every transfer of a hedge a second time, and variants of each. */
async function expectForged(id: string): Promise<void> {
  for (const { debit, credit: to, asset, amount } of await readMoves(id)) {
    const written = {
      id: NEXT,
      debit: debit!,
      credit: to!,
      asset: asset!,
      amount: amount!,
      kind: 'hedge',
      reference: id,
    };
    for (const change of [
      {},
      { amount: 1 },
      { asset: 'ETH' },
      { credit: 'house:fees' },
      { debit: to!, credit: debit! },
      { reference: 'x' },
    ]) {
      await expectRefused('ledger: no hedge explains the transfer', insertRow('transfers', { ...written, ...change }));
    }
  }
}

describe('what the house may be long of a coin', () => {
  /** Sales of 0.8 BTC at 59,880 USDT, as a bug that never asked the gate would write them. */
  const sale = (account: string) =>
    order(account, { side: 'SELL', coinAmount: '80000000', price: '5988000000000', usdtAmount: '47904000000' });

  it('ends at the exposure: of 208 sales of 0.8 BTC the first 125 are taken', async () => {
    const account = await openFunded();
    await credit(account, 'BTC', '20000000000').run();
    const start = Number(await balanceOf(LIQUIDITY, 'BTC')) - ((await capitalOf('BTC')) ?? 0);
    const fitting = Math.floor((10_000_000_000 - start) / 80_000_000);
    expect(fitting).toBeGreaterThanOrEqual(124);
    await env.DB.batch(Array.from({ length: fitting }, () => sale(account)));
    for (let left = fitting; left < 208; left += 1) {
      await expect(sale(account).run()).rejects.toThrow('ledger: ceiling house:liquidity BTC');
    }
    // It takes what reduces the position, and then as much again.
    await order(account, { coinAmount: '80000000', price: '6000000000000', usdtAmount: '48000000000' }).run();
    await sale(account).run();
    await expectRefused('ledger: ceiling house:liquidity BTC', sale(account));
  });

  it('counts what an open hedge has set aside, refuses no end of a hedge, and leaves capital out', async () => {
    const [account, id] = [await openFunded(), newId()];
    await credit(account, 'BTC', '100000000').run();
    await openHedge(id, 'SELL').run();
    await expectRefused('ledger: ceiling house:liquidity BTC', sale(account));
    await endHedge(id, neverRow()).run();
    const bought = newId();
    await env.DB.batch([openHedge(bought), endHedge(bought, dealtRow({ fee_asset: null, fee: 0 }))]);
    await env.DB.batch(funding(LIQUIDITY, VENUE, 'BTC', '100000000000'));
    await expectRefused('ledger: ceiling house:liquidity BTC', sale(account));
  });
});
