import type { Page } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { type ShownPage, open } from './browser.ts';
import { type Customer, send } from './desk-customer.ts';
import { hedgeDialogs } from './try-hedges.ts';
import { confirm, press } from './desk-steps.ts';

/** The cells of a table by its name, its numbers as programs write them. */
async function readTable(page: Page, name: string): Promise<string[][]> {
  const rows = await page.getByRole('table', { name, exact: true }).locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) =>
      (await row.locator('th, td').allTextContents()).map((text) => text.replaceAll('\u202F', '').replaceAll('−', '-')),
    ),
  );
}

interface HouseAsset {
  readonly asset: string;
  readonly owedToClients: string;
  readonly inFlight: string;
  readonly feesEarned: string;
  readonly inventory: string;
  readonly atVenues: string;
  readonly custodyShouldHold: string;
  readonly custodyHolds: string | null;
}

/** Throws unless the numbers on the pages are the API's. */
export async function compareNumbers(page: Page, exchange: LocalExchange, { accountId }: Customer): Promise<void> {
  await open(page, 'House');
  await page.getByRole('table', { name: 'Each asset' }).waitFor();
  const looked = await readTable(page, 'Each asset');
  await page.getByRole('navigation', { name: 'Of the house' }).getByRole('link', { name: 'All amounts' }).click();
  await page.getByRole('table', { name: 'What is owed and held' }).waitFor();
  const amounts = await readTable(page, 'What is owed and held');
  expectThat(String(amounts[0]).includes('short by'), 'what custody is short of comes first');
  const shown = amounts.map((cells) => cells.map((cell) => cell.replace(/short by .*$/, '')));
  const names = amounts.map(([name = '']) => name);
  const { house } = await send<{ house: { custodyAnsweredAt: string | null; assets: HouseAsset[] } }>(
    exchange,
    'GET',
    '/operator/v1/house',
  );
  const assets = house.assets.toSorted((one, other) => names.indexOf(one.asset) - names.indexOf(other.asset));
  const told = assets.map((row) => [
    row.asset,
    row.owedToClients,
    row.custodyShouldHold,
    ...(house.custodyAnsweredAt === null ? [] : [row.custodyHolds ?? '–']),
    row.atVenues,
    row.inventory,
    row.inFlight,
    row.feesEarned,
  ]);
  expectThat(JSON.stringify(shown) === JSON.stringify(told), 'the house’s book on the page is that of the API');
  expectThat(
    looked.map(([name]) => name).join() === names.join(),
    'each asset has its line, in one order on both pages',
  );
  await page.goto(`${exchange.consoleOrigin}/desk/accounts/${accountId}`);
  await page.getByRole('table', { name: 'Balances' }).waitFor();
  const balances = (await readTable(page, 'Balances')).map(([asset, amount]) => [asset, amount]);
  const { account } = await send<{ account: { balances: { asset: string; amount: string }[] } }>(
    exchange,
    'GET',
    `/operator/v1/accounts/${accountId}`,
  );
  const held = account.balances
    .filter(({ amount }) => amount !== '0')
    .map(({ asset, amount }) => [asset, `${amount} ${asset}`]);
  expectThat(JSON.stringify(balances) === JSON.stringify(held), 'the balances of an account are those of the API');
}

async function chooseAccount(page: Page, label: string): Promise<void> {
  await press(page, 'Credit it');
  await page.getByLabel('Account', { exact: true }).fill(label);
  await confirm(page, 'Find');
  await page.getByRole('radio', { name: label }).check();
}

/** Every page of the desk, and its dialogs; the search for the account of this label. */
export async function listPages(
  exchange: LocalExchange,
  { accountId }: Customer,
  label: string,
): Promise<readonly ShownPage[]> {
  const [{ proposals }, { withdrawals }, { deposits }] = await Promise.all([
    send<{ proposals: { id: string }[] }>(exchange, 'GET', '/operator/v1/proposals?status=OPEN'),
    send<{ withdrawals: { id: string }[] }>(exchange, 'GET', `/operator/v1/accounts/${accountId}/withdrawals`),
    send<{ deposits: { id: string }[] }>(exchange, 'GET', '/operator/v1/deposits?status=QUARANTINED'),
  ]);
  const account = `/desk/accounts/${accountId}`;
  const paths = {
    today: '/desk',
    accounts: '/desk/accounts',
    account,
    transactions: `${account}/transactions`,
    orders: `${account}/orders`,
    'account-withdrawals': `${account}/withdrawals`,
    'account-deposits': `${account}/deposits`,
    'account-security': `${account}/security`,
    reviews: '/desk/reviews',
    payouts: '/desk/payouts',
    withdrawal: `/desk/withdrawals/${accountId}/${withdrawals[0]?.id}`,
    deposits: '/desk/deposits',
    'deposits-kept': '/desk/deposits?show=kept',
    dust: '/desk/deposits?show=dust',
    deposit: `/desk/deposits/${deposits[0]?.id}`,
    house: '/desk/house',
    'house-days': '/desk/house?show=days',
    'house-amounts': '/desk/house?show=amounts',
    liquidity: '/desk/liquidity',
    'liquidity-profit': '/desk/liquidity?show=profit',
    'liquidity-hedges': '/desk/liquidity?show=hedges',
    switches: '/desk/switches',
    settings: '/desk/settings',
    'settings-networks': '/desk/settings?show=networks',
    'settings-accounts': '/desk/settings?show=accounts',
    'settings-risk': '/desk/settings?show=risk',
    proposals: '/desk/proposals',
    proposal: `/desk/proposals/${proposals[0]?.id}`,
    audit: '/desk/audit',
    events: '/desk/events',
    'events-endpoints': '/desk/events?show=endpoints',
    staff: '/desk/staff',
    search: `/desk/search?q=${encodeURIComponent(label)}`,
    'not-found': '/desk/nowhere',
  };
  const pages = Object.entries(paths).map(([name, path]) => ({ name: `desk-${name}`, path }));
  return [
    ...pages,
    {
      name: 'desk-no-record',
      path: `/desk/proposals/${accountId}`,
      prepare: (page) => page.getByRole('alert').waitFor(),
    },
    {
      name: 'desk-dialog',
      path: account,
      prepare: async (page) => {
        await press(page, 'Set the limit');
        await page.getByLabel('Daily limit', { exact: true }).fill('6000');
        await page.getByLabel('Reason, for the audit').fill('as agreed');
      },
    },
    { name: 'desk-freeze', path: account, prepare: (page) => press(page, 'Freeze') },
    {
      name: 'desk-bound',
      path: paths['settings-accounts'],
      prepare: async (page) => {
        await press(page, 'Change the review limit');
        await page.getByRole('dialog').getByLabel('Review limit').fill('20000');
        await page.getByLabel('Reason, for the audit').fill('the auditors agreed to more');
      },
    },
    {
      name: 'desk-pause',
      path: '/desk/switches',
      prepare: (page) => press(page, 'Pause deposits over Litecoin'),
    },
    {
      name: 'desk-terms',
      path: '/desk/settings',
      prepare: async (page) => {
        await press(page, 'Change BTC');
        await page.getByRole('textbox', { name: 'Spread' }).fill('0.30');
        await page.getByLabel('Reason, for the audit').fill('venues charge more');
        await page.getByLabel('Order limit').focus();
      },
    },
    {
      name: 'desk-hedging',
      path: '/desk/settings',
      prepare: async (page) => {
        await press(page, 'Change the hedging of BTC');
        await page.getByLabel('Price limit').fill('0.30');
        await page.getByLabel('Reason, for the audit').fill('its book is thin');
        await page.getByLabel('Venue’s fee').focus();
      },
    },
    {
      name: 'desk-notice',
      path: '/desk/switches',
      prepare: async (page) => {
        await press(page, 'Change the notice');
        await page.getByLabel('What holders are told').fill('On Sunday withdrawals of SOL wait for two hours.');
      },
    },
    { name: 'desk-deposit-credit', path: paths.deposit, prepare: (page) => chooseAccount(page, label) },
    ...hedgeDialogs,
  ];
}
