import { runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import { PRICE_SCALE, parseAmount } from '../../src/money/amounts.ts';
import { SANDBOX_VENUE } from '../../src/sandbox/demo.ts';
import { PlayedVenue } from '../../src/sandbox/played-venue.ts';
import { env } from '../support/runtime/test-env.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 12);
const MIDDLE = parseAmount('70000', PRICE_SCALE);

const deal = {
  id: newRecordId(NOW_MS),
  ledger: 0,
  venue: SANDBOX_VENUE,
  coin: 'BTC',
  side: 'BUY',
  amount: '0.01',
  limitPrice: '70010',
  sendBy: new Date(NOW_MS + 5_000).toISOString(),
} as const;

it('the sandbox’s venue deals an id once, at its fee, and remembers what it did', async () => {
  await runInDurableObject(env.PRICE_HUB.getByName('venue'), (_hub, { storage }) => {
    const dealt = {
      kind: 'dealt',
      amount: '0.01',
      cost: '700.07',
      fee: { asset: 'USDT', amount: '0.70007' },
    };
    expect(new PlayedVenue(storage).deal(deal, MIDDLE, NOW_MS)).toMatchObject(dealt);
    const venue = new PlayedVenue(storage);
    // Also when its price has moved, and when it is late.
    expect(venue.deal(deal, undefined, NOW_MS + 60_000)).toMatchObject(dealt);
    const report = venue.report(NOW_MS);
    expect(report.balances).toEqual([
      { asset: 'USDT', amount: '99299.22993' },
      { asset: 'BTC', amount: '2.01' },
      { asset: 'ETH', amount: '30' },
    ]);
    expect(report.dealt).toEqual([
      { ledger: 0, asset: 'BTC', amount: '0.01' },
      { ledger: 0, asset: 'USDT', amount: '-700.77007' },
    ]);
    expect(report.orders).toMatchObject([{ id: deal.id, amount: '0.01', cost: '700.07' }]);
    expect(venue.report(NOW_MS + 49 * 3_600_000).orders).toEqual([]);
  });
});

it.each([
  ['late', { sendBy: new Date(NOW_MS - 1).toISOString() }, MIDDLE],
  ['beyond the limit', { limitPrice: '70000' }, MIDDLE],
  ['of more than is there', { amount: '50' }, MIDDLE],
  ['of a coin that it does not trade', { coin: 'LTC' }, MIDDLE],
  ['while there is no price', {}, undefined],
])('it refuses a deal %s, and moves nothing', async (_what, change, middle) => {
  await runInDurableObject(env.PRICE_HUB.getByName('venue'), (_hub, { storage }) => {
    const venue = new PlayedVenue(storage);
    const { balances } = venue.report(NOW_MS);
    const refused = venue.deal({ ...deal, id: newRecordId(NOW_MS), ...change }, middle, NOW_MS);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(venue.report(NOW_MS).balances).toEqual(balances);
  });
});
