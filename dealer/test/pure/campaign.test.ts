import { expect, it } from 'vitest';
import { Dealer } from '../../src/dealer.ts';
import { Store } from '../../src/store.ts';
import { runCampaign } from '../support/campaign.ts';

/** `npm run test:long` runs the long form. */
const isLong = process.env['TEST_LENGTH'] === 'long';

const right = { doubled: 0, wrong: 0, late: 0, beside: 0, difference: 0n };

const parts = { Dealer, Store };

it('deals with faults, crashes at seven points and pauses: none is doubled, none believed wrongly, every balance is exact', async () => {
  const deals = isLong ? 5_000 : 800;
  for (const seed of isLong ? [1, 2, 3, 4] : [1, 2]) {
    const result = await runCampaign({ deals, seed, ...parts });
    console.log(result);
    expect(result).toMatchObject(right);
    expect(result.ended).toBeGreaterThanOrEqual(deals);
    expect(result.crashes).toBeGreaterThan(deals / 20);
    expect(result.pauses).toBeGreaterThan(deals / 200);
  }
});

it('look-ups that are up to two minutes behind: the balance keeps a deal from being believed absent', async () => {
  const deals = isLong ? 5_000 : 800;
  const result = await runCampaign({ deals, seed: 5, conditions: { laggingLookUps: 0.3 }, ...parts });
  console.log(result);
  expect(result).toMatchObject(right);
  expect(result.ended).toBeGreaterThanOrEqual(deals);
  expect(result.held).toBeGreaterThan(deals / 200);
});

it('a venue that keeps no window and is a minute late, with a lateness of a minute and a half', async () => {
  const deals = isLong ? 5_000 : 800;
  const conditions = { keepsWindow: false, maxLate_ms: 60_000 };
  const result = await runCampaign({ deals, seed: 6, conditions, lateness_ms: 90_000, ...parts });
  console.log(result);
  expect(result).toMatchObject(right);
  expect(result.ended).toBeGreaterThanOrEqual(deals);
});
