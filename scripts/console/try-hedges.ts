import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { newRecordId } from '../../src/db/record-id.ts';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { openLedgerFile } from '../open-ledger-file.ts';
import { type ShownPage, open, see, tabTo } from './browser.ts';
import { send } from './desk-customer.ts';
import { confirm, press } from './desk-steps.ts';

const END = 'End it by hand';
const NEVER = 'Never dealt';
const DEALT = 'Dealt, fully or in part';

/** A venue that nobody plays: the dealer never says what came of a hedge there. */
const SILENT_VENUE = 'silent';
const AGE_MS = 10 * 60_000;

/** Hedges of these coins are left open there: one for each answer, and one to look at. */
const LEFT_OPEN = ['AVAX', 'LTC', 'DOGE'] as const;

interface Hedge {
  readonly id: string;
  readonly amount: string;
  readonly status: string;
  readonly fee: { readonly amount: string } | null;
}

const listHedges = async (exchange: LocalExchange, query: string) =>
  (await send<{ hedges: Hedge[] }>(exchange, 'GET', `/operator/v1/hedges?${query}`)).hedges;

async function openHedges(page: Page): Promise<void> {
  await open(page, 'Liquidity');
  await page.getByRole('navigation', { name: 'Of liquidity' }).getByRole('link', { name: 'Hedges' }).click();
}

/** A few orders on one side take a position out of its band: the sandbox's venue deals the hedge, and the desk shows it. */
export async function hedge(page: Page, exchange: LocalExchange): Promise<void> {
  const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '120' };
  for (const _ of [1, 2, 3]) {
    await send(exchange, 'POST', '/api/v1/orders', order, {
      Authorization: `Bearer ${exchange.valueOf('api key')}`,
      'Idempotency-Key': crypto.randomUUID(),
    });
  }
  const listDealt = () => listHedges(exchange, 'status=DEALT&coin=BTC');
  for (let looks = 0; looks < 60 && (await listDealt()).length === 0; looks += 1) await sleep(500);
  const [dealt] = await listDealt();
  await openHedges(page);
  const row = rowOf(page, dealt?.id.slice(-8) ?? 'none');
  await row.getByText(`Buy ${dealt?.amount} BTC at sandbox`).waitFor();
  await row.getByText('dealt', { exact: true }).waitFor();
  expectThat(true, `after three orders the desk shows a hedge of ${dealt?.amount} BTC as dealt`);
}

/**
 * Leaves hedges of ten minutes ago open at a venue that says nothing of them. They are written into the ledger itself, by
 * its own rules: nothing in the sandbox stays open for so long.
 */
export async function leaveHedgesOpen(exchange: LocalExchange): Promise<void> {
  const funding = { ledger: 0, from: 'owner', to: SILENT_VENUE, asset: 'USDT', amount: '1000', reference: 'silent' };
  await send(exchange, 'POST', '/operator/v1/fundings', funding);
  const at_ms = Date.now() - AGE_MS;
  using ledger = openLedgerFile(exchange.storage);
  const insert = ledger.prepare(`
    INSERT INTO hedges (account_id, id, coin, side, coin_amount, limit_price, middle_price, set_aside, send_by, status,
      taken_transfer)
    VALUES ('house:venue:${SILENT_VENUE}', ?, ?, 'BUY', 100000000, 5000000000, 4900000000, 51000000, ?, 'OPEN',
      (SELECT max(id) + 1 FROM transfers))`);
  for (const coin of LEFT_OPEN) insert.run(newRecordId(at_ms, 0), coin, at_ms + 5_000);
}

const rowOf = (page: Page, text: string): Locator =>
  page.getByRole('table', { name: 'Hedges', exact: true }).getByRole('row').filter({ hasText: text });

async function openEnd(page: Page, coin: string): Promise<void> {
  await page
    .getByRole('list', { name: 'What needs a person' })
    .getByRole('listitem')
    .filter({ hasText: `Buy 1 ${coin} at ${SILENT_VENUE}` })
    .getByRole('button', { name: END })
    .click();
  await see(page, `End the hedge: Buy 1 ${coin} at ${SILENT_VENUE}`);
}

async function writeDeal(page: Page, usdt: string): Promise<void> {
  await page.getByRole('radio', { name: DEALT }).check();
  await page.getByLabel('Paid, before the fee').fill(usdt);
  await page.getByLabel('Fee, if any').fill('0.05');
  await page.getByLabel('Venue’s order id').fill('28');
}

/** A hedge is ended as never dealt by an admin who is alone yet. */
export async function endAsNever(page: Page, exchange: LocalExchange): Promise<void> {
  const [coin] = LEFT_OPEN;
  await open(page, 'Today');
  const matters = page.getByRole('list', { name: 'What is not as it should be' }).getByRole('listitem');
  const venues = matters.filter({ hasText: /\d things at the venues need a person/ });
  await venues.getByRole('link', { name: 'See Liquidity' }).first().click();
  expectThat(true, 'the first page says that something at the venues needs a person, and leads there');
  await openEnd(page, coin);
  await page.getByLabel('Reason, for the audit').fill('not in the venue’s list');
  await confirm(page, END);
  const answer = page.getByRole('radio', { name: NEVER });
  await answer.and(page.locator(':invalid:focus')).waitFor();
  expectThat((await listHedges(exchange, `coin=${coin}`))[0]?.status === 'OPEN', 'no answer is chosen beforehand');
  await answer.check();
  await see(page, 'never dealt: the 51 USDT set aside are free again');
  await confirm(page, END);
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await openHedges(page);
  await rowOf(page, LEFT_OPEN[2]).waitFor();
  await page.getByLabel('State').selectOption('Never dealt');
  await rowOf(page, LEFT_OPEN[2]).waitFor({ state: 'hidden' });
  await rowOf(page, coin).getByText('never dealt', { exact: true }).waitFor();
  const [ended] = await listHedges(exchange, `coin=${coin}`);
  expectThat(ended?.status === 'NEVER', 'a hedge is ended by hand as never dealt');
}

/** What the venue did is entered by one, and becomes a proposal, which another approves. */
export async function endAsDealt(page: Page, other: Page, exchange: LocalExchange): Promise<void> {
  const [, coin] = LEFT_OPEN;
  const read = async () => (await listHedges(exchange, `coin=${coin}`))[0];
  await open(page, 'Liquidity');
  await openEnd(page, coin);
  await writeDeal(page, ' ');
  await page.getByLabel('Reason, for the audit').fill('the venue lists it');
  await confirm(page, 'Propose it');
  await page.getByLabel('Paid, before the fee').and(page.locator('[aria-invalid]:focus')).waitFor();
  const offered = await page.getByRole('link', { name: 'a proposal' }).count();
  expectThat(offered === 0 && (await read())?.status === 'OPEN', 'a blank amount ends no hedge');
  await writeDeal(page, '49.5');
  await see(page, `bought 1 ${coin} for 49.5 USDT, fee 0.05 USDT`);
  await see(page, '51 USDT set aside, 1.45 free again');
  await confirm(page, 'Propose it');
  await page.getByRole('link', { name: 'a proposal' }).waitFor();
  expectThat((await read())?.status === 'OPEN', 'ending a hedge by hand as dealt becomes a proposal');
  await open(other, 'Proposals');
  await other.getByRole('link', { name: /^End the hedge/ }).click();
  await see(other, 'the venue lists it');
  await press(other, 'Approve');
  await confirm(other, 'Approve');
  await see(other, 'Decided by');
  await openHedges(page);
  await rowOf(page, coin).getByText('dealt', { exact: true }).waitFor();
  const ended = await read();
  expectThat(ended?.status === 'DEALT' && ended.fee?.amount === '0.05', 'and once another approves it, it is dealt');
}

/** What custody lacks is to be moved, and that it was is entered by one, for another to approve or to decline. */
export async function enterMove(page: Page, other: Page): Promise<void> {
  await open(page, 'Liquidity');
  const move = page
    .getByRole('list', { name: 'What needs a person' })
    .getByRole('listitem')
    .filter({ hasText: /^Move [\d.]+\sBTC from sandbox to custody/ });
  await move.getByRole('button', { name: 'Record the move' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a move from sandbox to custody' });
  const change = dialog.locator('.change').filter({ hasText: 'BTC in custody' });
  await dialog.getByLabel('Amount').fill('');
  await change.waitFor({ state: 'hidden' });
  await dialog.getByLabel('Amount').fill('0.5');
  const [old, next] = await Promise.all([change.locator('del').textContent(), change.locator('ins').textContent()]);
  expectThat(Math.abs(Number(next) - Number(old) - 0.5) < 1e-9, `custody would hold ${next} BTC in place of ${old}`);
  expectThat((await dialog.getByLabel('Ledger').count()) === 0, 'no ledger is asked for where there is one');
  await page.getByLabel('Transaction hash or other reference').fill('moved-by-hand');
  await confirm(page, 'Propose it');
  await page.getByRole('link', { name: 'a proposal' }).waitFor();
  await open(other, 'Proposals');
  await other
    .getByRole('link', { name: /^Record [\d.]+ BTC of the house that was moved from sandbox to custody/ })
    .click();
  await see(other, 'moved-by-hand');
  await press(other, 'Decline');
  await other.getByLabel('Reason, for the audit').fill('not seen in custody');
  await confirm(other, 'Decline');
  await see(other, 'Decided by');
  await page.reload();
  await move.waitFor();
  expectThat(true, 'what was moved from a venue is entered as a proposal, and until it is approved it is to be moved');
}

/** The dialogs of Liquidity: the record of a move, and the end of a hedge with each answer. */
export const hedgeDialogs: readonly ShownPage[] = [
  {
    name: 'desk-move',
    path: '/desk/liquidity',
    prepare: (page) => press(page, 'Record the move'),
  },
  {
    name: 'desk-hedge-never',
    path: '/desk/liquidity',
    prepare: async (page) => {
      await openEnd(page, LEFT_OPEN[2]);
      await page.getByRole('radio', { name: NEVER }).check();
      await page.getByLabel('Reason, for the audit').fill('not in the venue’s list');
    },
  },
  {
    name: 'desk-hedge-dealt',
    path: '/desk/liquidity',
    prepare: async (page) => {
      await openEnd(page, LEFT_OPEN[2]);
      await writeDeal(page, '49.5');
      // With keys, so that the browser scrolls to the field as it does for a person.
      const reason = page.getByLabel('Reason, for the audit');
      await tabTo(page, reason);
      await reason.pressSequentially('the venue lists it');
    },
  },
];
