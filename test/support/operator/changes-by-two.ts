import { ledgerNumberOf, newRecordId } from '../../../src/db/record-id.ts';
import { reportDeposit, reportFor } from '../deposits.ts';
import { type Trader, operate } from '../exchange.ts';
import { giveHolder, hasHolder } from '../holder/invite.ts';

import { quarantine } from './quarantine.ts';
import { agreeQuick } from './settlements.ts';
import { LEAVER, handLimits } from './two-people.ts';
import { sql, sqlIn } from '../db/sql.ts';
import { NOON_MS, insertRow, updateRow } from '../db/raw-ledger.ts';
import { hedgeRow } from '../db/house-money.ts';
import { readTriggers, runWithout } from '../db/triggers.ts';

/** A change that needs two people, and what it changes: as text, so that it can be compared. */
export interface Change {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly read: () => Promise<unknown>;
}

/** A POST, and how what it changes is read. */
const post = (path: string, body: object, read: Change['read']): Change => ({
  method: 'POST',
  path,
  body: { ...body },
  read,
});

const settingsOf = async () => (await operate<{ settings: object }>('GET', '/settings')).settings;

const change = (body: Record<string, unknown>): Change => ({
  method: 'PATCH',
  path: '/settings',
  body,
  read: settingsOf,
});

let risen = 0;

/** An amount that is higher each time. */
function rise(from: number): string {
  risen += 1;
  return String(from + risen);
}

const readRoles = (email: string) => sql('SELECT roles FROM staff WHERE email = ?', email).first();

const setRoles = (email: string, role: string): Change => ({
  method: 'PUT',
  path: `/staff/${email}`,
  body: { roles: [role] },
  read: () => readRoles(email),
});

const at = (accountId: string, text: string, ...values: string[]) => sqlIn(ledgerNumberOf(accountId), text, ...values);

const ownRow = (accountId: string, query: string) => at(accountId, query, accountId).first();

/** A change at an account, which is read by a query with the account's id. */
const atAccount = (
  { accountId }: Trader,
  method: string,
  end: string,
  body: Change['body'],
  query: string,
): Change => ({
  method,
  path: `/accounts/${accountId}${end}`,
  body,
  read: () => ownRow(accountId, query),
});

export function raiseLimit(trader: Trader): Change {
  const query = 'SELECT daily_withdrawal_limit FROM accounts WHERE id = ?';
  return atAccount(trader, 'PATCH', '', { dailyWithdrawalLimit: '9000' }, query);
}

export async function recoverWithoutCode(accountId: string): Promise<Change> {
  if (!(await hasHolder(accountId))) await giveHolder(accountId);
  const query = 'SELECT expires_at FROM allowed_recoveries WHERE account_id = ?';
  return post(`/accounts/${accountId}/recovery`, { reason: 'came to the office' }, () => ownRow(accountId, query));
}

async function creditQuarantined(trader: Trader, network: 'ETH' | 'LTC', amount: string): Promise<Change> {
  const { id } = await quarantine(network, amount);
  const body = { accountId: trader.accountId, reason: 'its owner asked' };
  return post(`/deposits/${id}/credit`, body, () => trader.balances());
}

/** A change of the settings, after these were set so in the database. */
const after = (set: string, body: Record<string, unknown>) => async () => {
  await sql(`UPDATE settings SET ${set}`).run();
  return change(body);
};

function bringCapital(): Change {
  const body = { ledger: 0, from: 'owner', to: 'custody', asset: 'USDT', amount: '5', reference: crypto.randomUUID() };
  return post('/fundings', body, () => sql('SELECT count(*) FROM fundings').first());
}

const changesOfSettings: readonly (readonly [string, (trader: Trader) => Promise<Change>])[] = [
  ['a higher cap', async () => change({ supplyCaps: { DOGE: rise(9_000_000_000) } })],
  ['more exposure', async () => change({ exposure: { DOGE: rise(800_000_000) } })],
  ['a higher threshold of reviews', after('review_threshold = 1', { reviewThreshold: '10' })],
  ['no reviews at all', after('review_threshold = 1', { reviewThreshold: null })],
  ['a strict allowlist', async () => change({ allowlistMode: 'strict' })],
  ['an allowlist that is off again', async () => change({ allowlistMode: 'off' })],
  ['a halt of trading that is lifted', after('trading_halted = 1', { tradingHalted: false })],
  ['a halt of withdrawals that is lifted', after('withdrawals_halted = 1', { withdrawalsHalted: false })],
  ['other terms of a coin', async () => change({ coinTerms: { BTC: { spreadBps: Number(rise(1)) } } })],
  ['a coin that is traded again', after(`halted_coins = '["DOGE","LTC"]'`, { haltedCoins: ['DOGE'] })],
  ['hedging that is resumed', after('hedging_halted = 1', { hedgingHalted: false })],
  ['more hedging in a day', after('daily_hedge_volume = 1', { dailyHedgeVolume: '2' })],
  ['hedging without a bound', after('daily_hedge_volume = 1', { dailyHedgeVolume: null })],
  ['a greater loss in a day', after('daily_loss = 1', { dailyLoss: '2' })],
  ['a loss without a bound', after('daily_loss = 1', { dailyLoss: null })],
  [
    'a notice to all holders',
    async () =>
      change({
        notice: { text: `Told ${rise(1)} times`, from: '2026-11-21T00:00:00Z', until: '2026-11-22T00:00:00Z' },
      }),
  ],
  ['more at venues', async () => change({ maxAtVenues: rise(1) })],
  ['money of the house that is moved', () => Promise.resolve(bringCapital())],
  ['the amounts that need two people', async () => change({ approvalAbove: { ...handLimits, BTC: rise(1) } })],
];

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

const changesOfHolders: readonly (readonly [string, (trader: Trader) => Promise<Change>])[] = [
  [
    'an API key of an account that has a holder',
    async (trader) => {
      await giveHolder(trader.accountId);
      return atAccount(
        trader,
        'POST',
        '/api-keys',
        { label: 'bot', scopes: ['read', 'withdraw'] },
        'SELECT count(*) FROM api_keys WHERE account_id = ?',
      );
    },
  ],
  [
    'an approved address of an account that has a holder',
    async (trader) => {
      await giveHolder(trader.accountId);
      const body = { network: 'ETH', address: ADDRESS, label: 'cold' };
      return atAccount(trader, 'POST', '/allowlist', body, 'SELECT count(*) FROM allowlist WHERE account_id = ?');
    },
  ],
  [
    'the end of the second factor of an account that has a holder',
    async (trader) => {
      const own = trader.accountId;
      await at(own, `INSERT INTO totp (account_id, sealed_secret, confirmed_at) VALUES (?, 'sealed', 1)`, own).run();
      await giveHolder(trader.accountId);
      return atAccount(trader, 'DELETE', '/totp', {}, 'SELECT confirmed_at FROM totp WHERE account_id = ?');
    },
  ],
];

/** A confirmed deposit of 2.5 LTC, reported before with these numbers of confirmations. */
async function reportTwice(trader: Trader, earlier: readonly number[]): Promise<Change> {
  const body = await reportFor(trader, { network: 'LTC' });
  for (const confirmations of earlier) await reportDeposit({ ...body, confirmations });
  return post('/deposits', body, () => trader.balances());
}

/** What needs two people at an account, once there are two admins: in whichever ledger the account is. */
export const changesOfAccounts: readonly (readonly [string, (trader: Trader) => Promise<Change>])[] = [
  ['a higher limit', (trader) => Promise.resolve(raiseLimit(trader))],
  ['a recovery without a code', (trader) => recoverWithoutCode(trader.accountId)],
  ['a settlement', async (trader) => post('/settlements', agreeQuick(trader, 'BUY'), () => trader.balances())],
  [
    'a violation that is cleared',
    async ({ accountId }) => {
      const id = newRecordId(Date.now(), ledgerNumberOf(accountId));
      const row = { id, invariant: 'journal_has_no_gap', pass: 1, found_at: 1, examples: '[]' };
      await insertRow('reconciliation_violations', row, 'INSERT', ledgerNumberOf(accountId)).run();
      return post(`/reconciliation/violations/${id}/clear`, { reason: 'looked into' }, () =>
        at(accountId, 'SELECT cleared_at FROM reconciliation_violations WHERE id = ?', id).first(),
      );
    },
  ],
  [
    'a stuck withdrawal that is settled',
    async (trader) => {
      const { accountId } = trader;
      await at(accountId, `UPDATE settings SET review_threshold = 1`).run();
      const { id } = await trader.takeOut();
      const released = { status: 'PROCESSING', released_at: 1, next_ask_at: 1 };
      await updateRow('withdrawals', id, released, 'UPDATE', ledgerNumberOf(accountId)).run();
      const settled = { outcome: 'failed', reason: 'never sent' };
      return post(`/accounts/${accountId}/withdrawals/${id}/settle`, settled, () =>
        at(accountId, 'SELECT status FROM withdrawals WHERE id = ?', id).first(),
      );
    },
  ],
  [
    'a hedge that is settled',
    async ({ accountId }) => {
      const ledger = ledgerNumberOf(accountId);
      const id = newRecordId(NOON_MS, ledger);
      // Without money at the venue, which two people would have to send there.
      const guard = (await readTriggers(ledger)).filter(({ name }) => name === 'hedges_are_guarded');
      await runWithout(guard, [insertRow('hedges', hedgeRow(id, 'BUY'), 'INSERT', ledger)], ledger);
      return post(`/hedges/${id}/settle`, { outcome: 'never', reason: 'never sent' }, () =>
        at(accountId, 'SELECT status FROM hedges WHERE id = ?', id).first(),
      );
    },
  ],
  [
    'a credit above the amount',
    async (trader) => {
      const body = { asset: 'LTC', amount: '2.00000001', reference: 'large' };
      return post(`/accounts/${trader.accountId}/credits`, body, () => trader.balances());
    },
  ],
  ['a deposit above the amount that is reported by hand', (trader) => reportTwice(trader, [])],
  ['a deposit above the amount that was seen before, and is confirmed by hand', (trader) => reportTwice(trader, [1])],
  ...changesOfHolders,
];

/** Every change of the table needs two people, once there are two admins. */
export const changes: readonly (readonly [string, (trader: Trader) => Promise<Change>])[] = [
  [
    'roles of somebody new',
    async () => {
      return setRoles(`${rise(0)}@bureau.test`, 'auditor');
    },
  ],
  [
    'roles of somebody who has others',
    async () => {
      const existing = await readRoles(LEAVER);
      return setRoles(LEAVER, existing?.['roles'] === '["auditor"]' ? 'support' : 'auditor');
    },
  ],
  ...changesOfAccounts,
  ['a quarantined deposit that is credited, however small', (trader) => creditQuarantined(trader, 'ETH', '0.01')],
  ['a quarantined deposit above the amount for credits', (trader) => creditQuarantined(trader, 'LTC', '7')],
  ...changesOfSettings,
];
