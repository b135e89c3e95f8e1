import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerHedger } from '../../src/dealing/ledger-hedger.ts';
import type { VenueReport } from '../../src/dealing/contract.ts';
import type { DealState, Dealer } from '../../src/dealing/dealer.ts';
import { HEDGING } from '../support/dealing/market.ts';
import { reportOf } from '../support/dealing/venue-report.ts';
import { hedgerName } from '../../src/dealing/reach-hedger.ts';
import { VENUE_NAME, fundVenue } from '../support/db/house-money.ts';
import { listRows, sql } from '../support/db/sql.ts';
import { openTrader } from '../support/exchange.ts';
import { allOk, reconcileAnew, statusesOf } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';
import { changeSettings } from '../support/withdrawals/withdrawals.ts';
import { waitFor } from '../support/wait-for.ts';

const hedging = { venue: VENUE_NAME, ...HEDGING };

/** Answers each deal so, and reports what the ledger says, or what is given. */
class ScriptedDealer implements Dealer {
  readonly submitted: string[] = [];
  answer: (amount: string, limit: string) => DealState = () => ({ kind: 'unresolved', reason: 'unknown' });
  balances: VenueReport['balances'] | undefined;

  submit({ id, amount, limitPrice }: Parameters<Dealer['submit']>[0]): Promise<DealState> {
    this.submitted.push(id);
    return Promise.resolve(this.answer(amount, limitPrice));
  }

  async report(): Promise<VenueReport> {
    const own = await listRows<{ asset: string; amount: string }>(
      `SELECT b.asset, CAST(-amount AS TEXT) AS amount FROM balances AS b WHERE account = 'house:venue:${VENUE_NAME}'`,
    );
    const decimals = (asset: string) => (asset === 'USDT' || asset === 'USDC' ? 6 : 8);
    const shown = own.map(({ asset, amount }) => {
      const digits = amount.padStart(decimals(asset) + 1, '0');
      return { asset, amount: `${digits.slice(0, -decimals(asset))}.${digits.slice(-decimals(asset))}` };
    });
    return reportOf(this.balances ?? shown);
  }
}

const ownHedger = () => env.LEDGER_HEDGER.getByName(hedgerName(env.LEDGER_LOCATION, 0));

const withHedger = <T>(dealer: Dealer, use: (hedger: LedgerHedger) => Promise<T>): Promise<T> =>
  runInDurableObject(ownHedger(), (_instance, state) => use(new LedgerHedger(state, env as never, dealer)));

const dealWhole = (amount: string, limit: string): DealState => ({
  kind: 'dealt',
  amount,
  cost: (Number(amount) * Number(limit)).toFixed(6),
  fee: null,
  reference: 'r',
});

const positionOf = async () =>
  Number(
    await sql(
      "SELECT sum(amount - capital) AS n FROM balances WHERE account IN ('house:liquidity', 'house:hedging') AND asset = 'BTC'",
    ).first('n'),
  );

const statuses = () => listRows<{ status: string }>('SELECT status FROM hedges ORDER BY id');

let dealer: ScriptedDealer;
beforeEach(() => {
  dealer = new ScriptedDealer();
});

describe('the hedger of a ledger', () => {
  it('is told by the gate of an order of a coin that is hedged, and of no other', async () => {
    await fundVenue({ USDT: '1000000000000', BTC: '100000000000' });
    await changeSettings({ coinTerms: { BTC: { spreadBps: 20, hedging } } });
    const trader = await openTrader({ USDT: '100000', BTC: '10' });
    const alarm = () => runInDurableObject(ownHedger(), (_instance, { storage }) => storage.getAlarm());
    await trader.trade({ coin: 'ETH', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    expect(await alarm()).toBeNull();
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '2000' });
    await waitFor(async () => expect(await alarm()).not.toBeNull());
  });

  it('leaves a hedge open until the dealer says more, submits the same one again, and covers the position', async () => {
    await withHedger(dealer, async (hedger) => {
      await hedger.wake();
      await hedger.wake();
      expect(await statuses()).toEqual([{ status: 'OPEN' }]);
      expect(new Set(dealer.submitted).size).toBe(1);
      expect(dealer.submitted.length).toBeGreaterThan(1);
      dealer.answer = () => ({ kind: 'refused', reason: 'nothing_filled: 0' });
      const before = await positionOf();
      await hedger.wake();
      expect((await statuses())[0]).toEqual({ status: 'NEVER' });
      expect(await positionOf()).toBe(before);
      dealer.answer = dealWhole;
      await hedger.wake();
      expect(Math.abs(await positionOf())).toBeLessThan(Math.abs(before) / 5);
      expect((await statuses()).at(-1)).toEqual({ status: 'DEALT' });
    });
    expect(statusesOf(await reconcileAnew())).toEqual(allOk);
  });

  it('halts hedging when a venue lastingly holds something else than the ledgers say, and clients trade on', async () => {
    const trader = await openTrader({ USDT: '100000' });
    await withHedger(dealer, async (hedger) => {
      await hedger.wake();
      expect(await hedger.readVenues()).toMatchObject([{ venue: VENUE_NAME, differences: [] }]);
      dealer.balances = [{ asset: 'USDT', amount: '5' }];
      const isHalted = () => sql('SELECT hedging_halted AS n FROM settings').first('n');
      for (const halted of [0, 0, 1]) {
        await hedger.wake();
        expect(await isHalted()).toBe(halted);
      }
      expect(await hedger.readVenues()).toMatchObject([
        { differences: [{ asset: 'USDT', holds: '5' }, { asset: 'BTC' }] },
      ]);
    });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5000' });
    const before = (await statuses()).length;
    await withHedger(dealer, (hedger) => hedger.wake());
    expect(await statuses()).toHaveLength(before);
    await changeSettings({ hedgingHalted: false });
  });

  it('believes no end that cannot be: it leaves the hedge open, and halts hedging', async () => {
    dealer.answer = (amount, limit) =>
      ({ ...dealWhole(amount, limit), fee: { asset: 'XRP', amount: '1' } }) as DealState;
    await withHedger(dealer, (hedger) => hedger.wake());
    expect((await statuses()).at(-1)).toEqual({ status: 'OPEN' });
    expect(await sql('SELECT hedging_halted AS n FROM settings').first('n')).toBe(1);
    dealer.answer = dealWhole;
    await withHedger(dealer, (hedger) => hedger.wake());
    expect((await statuses()).at(-1)).toEqual({ status: 'DEALT' });
    await changeSettings({ hedgingHalted: false });
  });

  it('halts hedging after three hedges in a row that were refused for an error, and not for others', async () => {
    const isHalted = () => sql('SELECT hedging_halted AS n FROM settings').first('n');
    const trader = await openTrader({ USDT: '100000' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5000' });
    const end = (reason: string) => {
      dealer.answer = () => ({ kind: 'refused', reason });
      return withHedger(dealer, (hedger) => hedger.wake());
    };
    for (const reason of ['nothing_filled: 0', 'busy: other_deal', 'paused: 30 s', 'nothing_filled: 0'])
      await end(reason);
    expect(await isHalted()).toBe(0);
    for (const halted of [0, 0, 1]) {
      await end('venue_refused: EOrder:Insufficient funds');
      expect(await isHalted()).toBe(halted);
    }
    const detail = await sql("SELECT detail FROM audit WHERE target = 'hedging' ORDER BY id DESC").first<string>(
      'detail',
    );
    expect(detail).toContain('3 hedges in a row were refused, the last one: venue_refused');
    await changeSettings({ hedgingHalted: false });
  });
});
