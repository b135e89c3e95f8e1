import { expect, it } from 'vitest';
import { type Campaign, type CampaignResult, runCampaign } from '../support/campaign.ts';
import { type Mistake, mutateDealer } from '../support/mutate-dealer.ts';

/** An order that is signed when it is sent, not when it was planned. */
const anew = '{ ...orderOf(stored.deal), sendBy_ms: this.#now() + 5_000 }';

const lookAgain = 'await (mayRepeat ? venue.place(order) : venue.find(order))';
const looked = 'const asked_ms = this.#now();\n    this.#open.set(';
const isFinal = 'if (asked_ms > stored.sendBy_ms + venue.lateness_ms) await this.#believeAbsence(stored, venue);';

/** Each rule of the dealer, taken away: what stands in its place, under which conditions, and what then goes wrong. */
const mistakes: Readonly<Record<string, readonly [Mistake, keyof CampaignResult, Partial<Campaign>?]>> = {
  'sends again on silence, under the same id': [[['dealer.ts', lookAgain, `await venue.place(${anew})`]], 'doubled'],
  'sends when the venue does not find it': [
    [['dealer.ts', isFinal, `await this.#conclude(stored, await venue.place(${anew}), this.#now(), venue);`]],
    'doubled',
  ],
  'sends after a restart what may not have been sent': [
    [
      ['dealer.ts', looked, `const isNew = !this.#open.has(stored.deal.id);\n    ${looked}`],
      ['dealer.ts', lookAgain, `await (isNew ? venue.place(${anew}) : venue.find(order))`],
    ],
    'doubled',
  ],
  'believes absence at once': [[['dealer.ts', isFinal, 'await this.#believeAbsence(stored, venue);']], 'wrong'],
  'has no fence': [
    [
      ['dealer.ts', 'if (sent_ms > stored.sendBy_ms - venue.minWindow_ms) {', 'if (false) {'],
      ['dealer.ts', 'await venue.place(orderOf(stored.deal));', `await venue.place(${anew});`],
    ],
    'late',
  ],
  'has no slot': [
    [
      ['dealer.ts', '    if (other) {', '    if (false) {'],
      ['store.ts', 'CREATE UNIQUE INDEX IF NOT EXISTS deals_one_open', 'CREATE INDEX IF NOT EXISTS deals_one_open'],
    ],
    'beside',
  ],
  'believes look-ups without the balance': [
    [['dealer.ts', 'if (expected === there) {', 'if (true) {']],
    'wrong',
    { conditions: { laggingLookUps: 0.3 } },
  ],
};

it.each(Object.entries(mistakes))('a dealer that %s is caught', async (_what, [mistake, wrong, campaign]) => {
  const result = await runCampaign({ deals: 1_500, seed: 7, ...(await mutateDealer(mistake)), ...campaign });
  console.log(result);
  expect(result[wrong]).toBeGreaterThan(0);
});
