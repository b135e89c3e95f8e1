import { newRecordId } from '../../../src/db/record-id.ts';
import { env } from '../runtime/test-env.ts';
import { NEXT, NOON_MS, type Row, audit, insertRow, updateRow } from './raw-ledger.ts';
import { listRows } from './sql.ts';

/** Fundings and hedges, written by plain SQL. */

export const VENUE_NAME = 'played';
export const VENUE = `house:venue:${VENUE_NAME}`;

export const fundingRow = (source: string, account_id: string, asset: string, amount: string): Row => {
  const id = newRecordId(NOON_MS);
  return { account_id, id, source, asset, amount, reference: id, transfer: NEXT };
};

/** The audit row that a funding needs, and the funding. */
export function funding(source: string, place: string, asset: string, amount: string): D1PreparedStatement[] {
  const row = fundingRow(source, place, asset, amount);
  return [audit('fund', String(row['id'])), insertRow('fundings', row)];
}

/** Brings capital to the venue. */
export async function fundVenue(amounts: Readonly<Record<string, string>>, venue = VENUE): Promise<void> {
  await env.DB.batch(
    Object.entries(amounts).flatMap(([asset, amount]) => funding('house:liquidity', venue, asset, amount)),
  );
}

/** A hedge of 1,000 atoms of BTC, which sets aside so many of what it gives. */
export function hedgeRow(id: string, side: 'BUY' | 'SELL', change: Row = {}): Row {
  return {
    account_id: VENUE,
    id,
    coin: 'BTC',
    side,
    coin_amount: 1_000,
    limit_price: 6_500_000_000_000,
    middle_price: 6_480_000_000_000,
    set_aside: side === 'BUY' ? 700_000 : 1_000,
    send_by: NOON_MS,
    status: 'OPEN',
    taken_transfer: NEXT,
    ...change,
  };
}

export const openHedge = (id: string, side: 'BUY' | 'SELL' = 'BUY', change: Row = {}) =>
  insertRow('hedges', hedgeRow(id, side, change));

const END = { ended_at: NOON_MS, ended_transfer: NEXT };

/** What the venue dealt of a hedge: by default 900 atoms of BTC for 583,200 of USDT, with a fee of 580 of these. */
export const dealtRow = (change: Row = {}): Row => ({
  status: 'DEALT',
  dealt_coin: 900,
  dealt_usdt: 583_200,
  fee_asset: 'USDT',
  fee: 580,
  venue_reference: '28',
  ...END,
  ...change,
});

export const neverRow = (change: Row = {}): Row => ({ status: 'NEVER', reason: 'refused', ...END, ...change });

export const endHedge = (id: string, row: Row, update = 'UPDATE') => updateRow('hedges', id, row, update);

/** Brings capital to a venue, takes some back, and makes a hedge of each side and each end; one more stays open. */
export async function coverAll(): Promise<void> {
  for (const { id } of await listRows<{ id: string }>("SELECT id FROM hedges WHERE status = 'OPEN'")) {
    await endHedge(id, neverRow()).run();
  }
  await fundVenue({ USDT: '5000000000', BTC: '5000000' });
  await env.DB.batch([
    ...funding('house:liquidity', 'house:custody', 'USDT', '1000'),
    ...funding('house:custody', VENUE, 'USDT', '700'),
    ...funding(VENUE, 'house:custody', 'USDT', '400'),
    ...funding('house:custody', 'house:liquidity', 'USDT', '500'),
  ]);
  const draw = () => newRecordId(NOON_MS);
  for (const end of [
    dealtRow(),
    dealtRow({ fee_asset: 'BTC', fee: 1 }),
    dealtRow({ fee_asset: null, fee: 0 }),
    neverRow(),
  ]) {
    for (const side of ['BUY', 'SELL'] as const) {
      const hedge = draw();
      await env.DB.batch([openHedge(hedge, side), endHedge(hedge, end)]);
    }
  }
  await openHedge(draw()).run();
}
