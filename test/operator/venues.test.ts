import { beforeAll, describe, expect, it } from 'vitest';
import type { Hedge } from '../../src/dealing/hedge.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { HEDGING } from '../support/dealing/market.ts';
import { reportOf } from '../support/dealing/venue-report.ts';
import type { VenueState } from '../../src/dealing/reach-hedger.ts';
import { type Venues, type VenueFacts, describeVenues } from '../../src/operator/venues.ts';
import { readPositions } from '../../src/db/positions.ts';
import { readSnapshot } from '../../src/markets/read-hub.ts';
import { type Trader, asOperator, expectCode, openTrader, operate } from '../support/exchange.ts';
import { VENUE_NAME, dealtRow, endHedge, fundVenue, neverRow, openHedge } from '../support/db/house-money.ts';
import { NOON_MS, database } from '../support/db/raw-ledger.ts';
import { allOk, reconcileAnew, statusesOf } from '../support/reconciliation.ts';
import { listRows, sql } from '../support/db/sql.ts';
import { env } from '../support/runtime/test-env.ts';

const terms = { venue: VENUE_NAME, ...HEDGING };

const list = (query = '') => operate<{ hedges: Hedge[]; nextCursor: string | null }>('GET', `/hedges${query}`);
const settle = (id: string, body: object) => asOperator('POST', `/hedges/${id}/settle`, body);

/** Opens a hedge of 1,000 atoms of BTC that was to be sent by then. */
async function open(side: 'BUY' | 'SELL' = 'BUY', send_by = NOON_MS): Promise<string> {
  const id = newRecordId(send_by - 5_000);
  await openHedge(id, side, { send_by }).run();
  return id;
}

let trader: Trader;
beforeAll(async () => {
  trader = await openTrader({ USDT: '100000', BTC: '1' });
  await fundVenue({ USDT: '5000000000', BTC: '5000000' });
  await operate('PATCH', '/settings', { coinTerms: { BTC: { spreadBps: 20, hedging: terms } } });
});

describe('GET /operator/v1/hedges', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const end of [dealtRow(), dealtRow({ fee_asset: null, fee: 0, dealt_usdt: 583_900 }), neverRow()]) {
      const id = await open(ids.length === 1 ? 'SELL' : 'BUY', NOON_MS + ids.length);
      await endHedge(id, end).run();
      ids.push(id);
    }
    ids.push(await open('BUY', NOON_MS + 10));
  });

  it('lists them newest first, a page at a time, and how old an open one is', async () => {
    const secondsSinceNoon = () => (Date.now() - NOON_MS) / 1_000;
    const before = secondsSinceNoon();
    const { hedges: all, nextCursor } = await list();
    const after = secondsSinceNoon();
    expect(all.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(nextCursor).toBeNull();
    expect(all.map(({ openSeconds }) => openSeconds === null)).toEqual([false, true, true, true]);
    // It was planned up to six seconds before noon.
    expect(all[0]?.openSeconds).toBeGreaterThanOrEqual(Math.floor(before));
    expect(all[0]?.openSeconds).toBeLessThanOrEqual(Math.ceil(after) + 6);
    const first = await list('?limit=3');
    const rest = await list(`?limit=3&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    expect([...first.hedges, ...rest.hedges].map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('shows what was ordered, what the venue did and what that cost', async () => {
    const [late, never, sold, bought] = (await list()).hedges;
    expect(bought).toMatchObject({
      ledger: 0,
      venue: VENUE_NAME,
      coin: 'BTC',
      side: 'BUY',
      status: 'DEALT',
      amount: '0.00001',
      limitPrice: '65000',
      middlePrice: '64800',
      setAside: '0.7',
      setAsideAsset: 'USDT',
      dealtAmount: '0.000009',
      dealtUsdt: '0.5832',
      dealtPrice: '64800',
      gain: '0',
      fee: { asset: 'USDT', amount: '0.00058' },
      venueReference: '28',
    });
    expect(sold).toMatchObject({ side: 'SELL', setAside: '0.00001', setAsideAsset: 'BTC', gain: '0.0007', fee: null });
    expect(never).toMatchObject({ status: 'NEVER', reason: 'refused', dealtAmount: null, gain: null });
    expect(late).toMatchObject({ status: 'OPEN', endedAt: null });
  });

  it('takes the coin, the state and the venue', async () => {
    const of = async (query: string) => (await list(query)).hedges.map(({ id }) => ids.indexOf(id));
    expect(await of('?status=OPEN')).toEqual([3]);
    expect(await of('?status=DEALT&coin=BTC')).toEqual([1, 0]);
    expect(await of(`?venue=${VENUE_NAME}&status=NEVER`)).toEqual([2]);
    expect(await of('?coin=ETH')).toEqual([]);
    expect(await of('?venue=other')).toEqual([]);
    const { nextCursor } = await list('?limit=1&status=DEALT');
    const cursor = encodeURIComponent(nextCursor ?? '');
    await expectCode(asOperator('GET', `/hedges?cursor=${cursor}`), '400 invalid_cursor');
  });
});

describe('POST /operator/v1/hedges/{id}/settle', () => {
  const dealt = {
    outcome: 'dealt',
    amount: '0.000009',
    usdt: '0.5832',
    fee: { asset: 'USDT', amount: '0.00058' },
    venueReference: '28',
    reason: 'seen at the venue',
  };
  let id: string;
  beforeAll(async () => {
    id = (await list('?status=OPEN')).hedges[0]!.id;
  });

  it.each([
    ['more than was ordered', { amount: '0.00002' }, 'more was dealt than ordered'],
    ['more than was set aside', { usdt: '0.8' }, 'more was dealt than set aside'],
    ['nothing', { amount: '0' }, 'less than an atom was dealt'],
  ])('refuses %s', async (_what, change, reason) => {
    const { detail } = await expectCode(settle(id, { ...dealt, ...change }), '409 invalid_state');
    expect(detail).toContain(reason);
  });

  it('leaves a hedge to the dealer until five minutes after it was to be sent', async () => {
    await endHedge(id, neverRow()).run();
    const young = await open('BUY', Date.now() - 299_000);
    await expectCode(settle(young, { outcome: 'never', reason: 'x' }), '409 invalid_state');
    await endHedge(young, neverRow()).run();
    await expectCode(settle(young, { outcome: 'never', reason: 'x' }), '409 invalid_state');
    await expectCode(settle(newRecordId(NOON_MS), dealt), '404 not_found');
  });

  it('ends it as never, and what was set aside is back', async () => {
    const aside = () =>
      sql("SELECT amount FROM balances WHERE account = 'house:hedging' AND asset = 'USDT'").first('amount');
    const never = await open();
    expect(await aside()).toBe(700_000);
    const { hedge } = await operate<{ hedge: Hedge }>('POST', `/hedges/${never}/settle`, {
      outcome: 'never',
      reason: 'the venue has no such order',
    });
    expect(hedge).toMatchObject({ id: never, status: 'NEVER', reason: 'by_hand: the venue has no such order' });
    expect(await aside()).toBe(0);
  });

  it('ends it as dealt with what the venue did, rounded as the dealer’s answer is, and the audit has it', async () => {
    const bought = await open();
    const body = { ...dealt, usdt: '0.58320001', fee: { asset: 'BTC', amount: '0.000000001' } };
    const { hedge } = await operate<{ hedge: Hedge }>('POST', `/hedges/${bought}/settle`, body);
    expect(hedge).toMatchObject({
      status: 'DEALT',
      dealtUsdt: '0.583201',
      fee: { asset: 'BTC', amount: '0.00000001' },
    });
    const [row] = await listRows<{ action: string; detail: string }>('SELECT * FROM audit WHERE target = ?', bought);
    expect(row?.action).toBe('end_hedge');
    const { reason, ...told } = body;
    expect(JSON.parse(row?.detail ?? '{}')).toEqual({ ...told, because: reason });
    const free = await open();
    await expectCode(settle(free, { ...dealt, fee: null }), '200');
    await expectCode(settle(free, { ...dealt, fee: null }), '409 invalid_state');
    expect(statusesOf(await reconcileAnew())).toEqual(allOk);
  });
});

describe('GET /operator/v1/venues', () => {
  const facts = async (change: Partial<VenueFacts> = {}): Promise<VenueFacts> => ({
    answers: [{ ledger: 0, answer: { positions: await readPositions(database), hedges: [] } }],
    states: [],
    settings: { coinTerms: { BTC: { hedging: terms } }, hedgingHalted: false, maxAtVenues: null },
    halt: null,
    snapshot: await readSnapshot(env, 5_000),
    now_ms: Date.now(),
    ...change,
  });
  const read = async () => (await operate<{ venues: Venues }>('GET', '/venues')).venues;

  it('shows what each venue should hold, by ledger, and its open hedges', async () => {
    const id = await open();
    const { venues, hedgingHalted, halt } = await read();
    expect([hedgingHalted, halt]).toEqual([false, null]);
    expect(venues.map(({ venue, state }) => [venue, state])).toEqual([[VENUE_NAME, 'unknown']]);
    const [own] = await listRows<{ usdt: number }>(
      `SELECT -amount / 1e6 AS usdt FROM balances WHERE account = 'house:venue:${VENUE_NAME}' AND asset = 'USDT'`,
    );
    const usdt = venues[0]!.balances.find(({ asset }) => asset === 'USDT')!;
    expect(Number(usdt.shouldHold)).toBeCloseTo(own!.usdt, 6);
    expect(usdt).toMatchObject({ holds: null, difference: null, differs: null });
    expect(usdt.ledgers).toEqual([{ ledger: 0, amount: usdt.shouldHold }]);
    expect(venues[0]!.openHedges.map((hedge) => hedge.id)).toEqual([id]);
    await endHedge(id, neverRow()).run();
  });

  it('says who halted hedging, and why', async () => {
    await operate('PATCH', '/settings', { hedgingHalted: true });
    expect(await read()).toMatchObject({ hedgingHalted: true, halt: { by: 'operator', reason: null } });
    await operate('PATCH', '/settings', { hedgingHalted: true, reason: 'the venue is late' });
    expect((await read()).halt).toMatchObject({ by: 'operator', reason: 'the venue is late' });
    await operate('PATCH', '/settings', { hedgingHalted: false });
    expect((await read()).halt).toBeNull();
    const halt = { ts: 0, by: 'exchange', reason: 'hedge 1: the fee is in XRP' };
    const { hedgingHalted } = describeVenues(await facts({ halt }));
    expect(hedgingHalted).toBe(false);
  });

  it('compares what a venue holds with the ledgers', async () => {
    const states: VenueState[] = [
      {
        venue: VENUE_NAME,
        report: reportOf([{ asset: 'USDT', amount: '5.0000001' }]),
        differences: [{ asset: 'USDT', holds: '5', shouldHold: '4000' }],
      },
    ];
    const [venue] = describeVenues(await facts({ states })).venues;
    expect(venue).toMatchObject({ state: 'answers', reportedAt: '2026-11-27T12:00:00.000Z', latenessSeconds: 20 });
    const [btc, usdt] = ['BTC', 'USDT'].map((name) => venue?.balances.find(({ asset }) => asset === name));
    expect(usdt).toMatchObject({ holds: '5', differs: true });
    expect(Number(usdt?.difference)).toBeCloseTo(5 - Number(usdt?.shouldHold), 6);
    expect(btc).toMatchObject({ holds: '0', differs: false });
    const [silent] = describeVenues(
      await facts({ states: [{ ...states[0]!, report: null, differences: null }] }),
    ).venues;
    expect(silent).toMatchObject({ state: 'silent', reportedAt: null });
  });

  it('says what custody lacks and a venue has, and what the venue lacks for the next hedge', async () => {
    const start = describeVenues(await facts()).venues[0]!.toMove;
    // The house is not short beyond what a purchase back to the inner bound costs, and has enough there.
    expect(start).toEqual([]);
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.02' });
    const short = describeVenues(await facts()).venues[0]!.toMove;
    expect(short).toEqual([{ asset: 'BTC', amount: '0.02', from: VENUE_NAME, to: 'custody' }]);
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.2' });
    const [coins, money] = describeVenues(await facts()).venues[0]!.toMove;
    expect(Number(coins?.amount)).toBeGreaterThan(0.04);
    expect(Number(coins?.amount)).toBeLessThan(0.06);
    expect(money).toMatchObject({ asset: 'USDT', from: 'custody', to: VENUE_NAME });
    expect(Number(money?.amount)).toBeGreaterThan(0.2 * 60_000 - 5_000 - 300);
  });

  it('is of ledgers that answer, and names one that does not', async () => {
    const answers = [...(await facts()).answers, { ledger: 1, answer: undefined }];
    const { venues, atVenuesUsdValue, maxAtVenues } = describeVenues(await facts({ answers }));
    expect([atVenuesUsdValue, maxAtVenues]).toEqual([null, null]);
    expect(venues[0]?.balances[0]?.ledgers[1]).toEqual({ ledger: 1, amount: null });
    expect(describeVenues(await facts()).atVenuesUsdValue).not.toBeNull();
  });
});

describe('GET /operator/v1/house', () => {
  it('shows position, band and what is covered, by custody alone and with the venues', async () => {
    const { house } = await operate<{ house: { assets: Record<string, never>[] } }>('GET', '/house');
    const btc = house.assets.find((one) => one['asset'] === 'BTC')!;
    expect(btc).toMatchObject({ band: { venue: VENUE_NAME, outer: '600', inner: '300' } });
    const [owed, inFlight, custody, atVenues] = ['owedToClients', 'inFlight', 'custodyShouldHold', 'atVenues'].map(
      (name) => Number(btc[name]),
    ) as [number, number, number, number];
    const share = (held: number) => Math.floor((held / (owed + inFlight)) * 10_000) / 10_000;
    expect(Number(btc['coveredByCustody'])).toBeCloseTo(share(custody), 3);
    expect(Number(btc['coveredWithVenues'])).toBeCloseTo(share(custody + atVenues), 3);
    expect(Number(btc['coveredByCustody'])).toBeLessThan(1);
    expect(Number(btc['positionUsdValue'])).toBeCloseTo(Number(btc['position']) * Number(btc['price']), 2);
    expect(house.assets.find((one) => one['asset'] === 'ETH')).toMatchObject({ band: null, coveredByCustody: null });
  });
});
