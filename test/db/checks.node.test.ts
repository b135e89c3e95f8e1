import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { flatten, listChecks } from '../../lab/mutations/checks.ts';
import { openMigrated } from '../../scripts/ledgers/open-migrated.ts';

/** The columns of a row that differ from the row it is made of. */
type Change = Readonly<Record<string, SQLInputValue>>;

/** A row that a table takes, and for each CHECK, as the schema writes it, a change that breaks it and no other. */
interface Checked {
  readonly row: Change;
  readonly breaks: Readonly<Record<string, Change>>;
}

const TEXT = 'no JSON';

/** The checks of a column that holds one of a few values, a number from zero or from one on, or JSON. */
const oneOf = (column: string, values: string) => ({ [`${column} IN (${values})`]: { [column]: 'other' } });
const yesOrNo = (column: string) => ({ [`${column} IN (0, 1)`]: { [column]: 2 } });
const notBelowZero = (column: string) => ({ [`${column} >= 0`]: { [column]: -1 } });
const aboveZero = (column: string) => ({ [`${column} > 0`]: { [column]: 0 } });
const shortName = { 'length(client_order_id) BETWEEN 1 AND 64': { client_order_id: '' } };
const json = (column: string) => ({ [`json_valid(${column})`]: { [column]: TEXT } });

const order = {
  account_id: 'a',
  id: 'o',
  coin: 'BTC',
  executed_price: 1,
  coin_amount: 1,
  usdt_amount: 1,
  key_id: 'k',
  admitted_at: 1,
  price_as_of: 1,
};

const onChain = { network: 'BTC', tx_hash: 'h', output_index: 0, address: 'x', exact_amount: '1', confirmations: 1 };

const deposit = { account_id: 'a', id: 'd', asset: 'BTC', amount: 1, usd_value: 1 };
const credit = { ...deposit, type: 'INTERNAL_DEPOSIT', status: 'COMPLETED', reference: 'r', transfer: 1 };
const seen = { reference: null, ...onChain, type: 'ONCHAIN_DEPOSIT', status: 'PENDING', transfer: null };
const kept = { ...seen, status: 'QUARANTINED', reason: 'supply_cap' };

const withdrawal = {
  account_id: 'a',
  id: 'w',
  type: 'ONCHAIN_WITHDRAWAL',
  asset: 'BTC',
  network: 'BTC',
  address: 'x',
  amount: 1,
  fee: 1,
  usd_value: 1,
  status: 'PROCESSING',
  committed_at: 1,
  allowlist_required: 0,
  daily_limit: 1,
  key_id: 'k',
  taken_transfer: 1,
};
const inside = { type: 'INTERNAL_WITHDRAWAL', recipient: 'b', fee: 0, status: 'PENDING' };

const hedge = {
  account_id: 'v',
  id: 'h',
  coin: 'BTC',
  side: 'BUY',
  coin_amount: 1,
  limit_price: 1,
  middle_price: 1,
  set_aside: 1,
  send_by: 1,
  ended_at: 1,
  taken_transfer: 1,
  ended_transfer: 2,
};
const dealtHedge = { ...hedge, status: 'DEALT', dealt_coin: 1, dealt_usdt: 1, venue_reference: 'v' };
const neverHedge = { status: 'NEVER', reason: 'r', dealt_coin: 0, dealt_usdt: 0, venue_reference: null };

const tables: Readonly<Record<string, Checked>> = {
  settings: {
    row: { id: 1, shares: '{}' },
    breaks: {
      'id = 1': { id: 2 },
      ...yesOrNo('trading_halted'),
      ...yesOrNo('withdrawals_halted'),
      ...oneOf('allowlist_mode', "'off', 'strict'"),
      ...json('paused_networks'),
      ...json('paused_deposits'),
      ...notBelowZero('review_threshold'),
      ...json('fees'),
      ...json('minimums'),
      'spread_bps BETWEEN 0 AND 1000': { spread_bps: 1001 },
      ...json('fallback_prices'),
      ...json('deposit_minimums'),
      ...json('approval_above'),
      ...notBelowZero('revision'),
      'ledger BETWEEN 0 AND 4095': { ledger: 4096 },
      ...json('opening_weights'),
      ...json('halted_coins'),
      ...json('coin_terms'),
      ...yesOrNo('hedging_halted'),
      ...notBelowZero('daily_hedge_volume'),
      ...notBelowZero('daily_loss'),
      ...notBelowZero('max_at_venues'),
      ...json('notice'),
      ...yesOrNo('has_two_admins'),
      ...json('shares'),
    },
  },
  audit: {
    row: { id: 1, ts: 1, role: 'r', action: 'a', target: 't', detail: '{}' },
    breaks: { ...json('detail'), '(request IS NULL) = (proposal IS NULL)': { proposal: 'p' } },
  },
  accounts: {
    row: { id: 'a', address_index: 0, label: 'l', created_at: 1 },
    breaks: {
      ...notBelowZero('address_index'),
      ...oneOf('status', "'active', 'frozen'"),
      ...notBelowZero('daily_withdrawal_limit'),
      ...notBelowZero('record_number'),
      'length(external_id) > 0': { external_id: '' },
    },
  },
  api_keys: {
    row: { id: 'k', account_id: 'a', label: 'l', scopes: 'rt', token_hash: 'h', created_at: 1 },
    breaks: {
      "length(scopes) > 0 AND scopes NOT GLOB '*[^a-z]*'": { scopes: 'r,t' },
      ...json('ip_allowlist'),
      ...json('rate_limits'),
      ...oneOf('kind', "'standing', 'session'"),
    },
  },
  assets: { row: { asset: 'BTC', unit: 1 }, breaks: aboveZero('unit') },
  balances: { row: { account: 'a', asset: 'BTC' }, breaks: { 'amount >= floor': { amount: -1 } } },
  transfers: {
    row: { id: 1, debit: 'a', credit: 'b', asset: 'BTC', amount: 1, kind: 'k', reference: 'r' },
    breaks: { ...aboveZero('amount'), 'debit <> credit': { credit: 'a' } },
  },
  orders: {
    row: { ...order, side: 'BUY', status: 'COMPLETED', price_round: 1, first_transfer: 1 },
    breaks: {
      ...oneOf('side', "'BUY', 'SELL'"),
      ...aboveZero('executed_price'),
      ...aboveZero('coin_amount'),
      ...aboveZero('usdt_amount'),
      "status IN ('COMPLETED', 'FAILED')": { status: 'OPEN', first_transfer: null },
      "(status = 'COMPLETED') = (first_transfer IS NOT NULL)": { first_transfer: null },
      ...shortName,
    },
  },
  deposits: {
    row: credit,
    breaks: {
      "type IN ('ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT')": { type: 'OTHER', reference: null },
      'amount >= 0': { ...seen, amount: -1 },
      ...notBelowZero('usd_value'),
      "status IN ('PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED')": { ...seen, status: 'OTHER' },
      ...oneOf('decision', "'KEPT', 'CREDITED'"),
      "(decision IS 'CREDITED') = (credit_account IS NOT NULL AND credit_id IS NOT NULL AND credit_usd_value IS NOT NULL) AND (decision IS 'CREDITED') = (coalesce(credit_account, credit_id, credit_usd_value) IS NOT NULL)":
        { ...kept, decision: 'CREDITED', credit_account: 'a', credit_id: 'i' },
      'agreed_by IN (1, 2)': { agreed_by: 3 },
      "(type = 'INTERNAL_DEPOSIT') = ((reference IS NOT NULL) <> (withdrawal_id IS NOT NULL))": { reference: null },
      "(type = 'ONCHAIN_DEPOSIT') = (network IS NOT NULL AND tx_hash IS NOT NULL AND output_index IS NOT NULL AND address IS NOT NULL AND exact_amount IS NOT NULL AND confirmations IS NOT NULL)":
        { ...seen, confirmations: null },
      "(status = 'QUARANTINED') = (reason IS NOT NULL)": { ...kept, reason: null },
      "(status = 'COMPLETED') = (transfer IS NOT NULL)": { ...seen, transfer: 1 },
      "withdrawal_id IS NULL OR status = 'COMPLETED'": {
        reference: null,
        withdrawal_id: 'w',
        status: 'PENDING',
        transfer: null,
      },
      "status <> 'COMPLETED' OR (amount > 0 AND account_id <> 'house:unowned')": { account_id: 'house:unowned' },
      "output_index < 2147483648 OR status IN ('QUARANTINED', 'FAILED')": { ...seen, output_index: 2 ** 31 },
    },
  },
  dust: {
    row: { asset: 'BTC', network: 'BTC' },
    breaks: {
      ...notBelowZero('deposits'),
      ...notBelowZero('units'),
      ...notBelowZero('billionths'),
      ...notBelowZero('quintillionths'),
    },
  },
  withdrawals: {
    row: withdrawal,
    breaks: {
      ...oneOf('type', "'ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL'"),
      ...aboveZero('amount'),
      ...notBelowZero('fee'),
      ...notBelowZero('usd_value'),
      ...oneOf('status', "'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'"),
      ...yesOrNo('allowlist_required'),
      "note IS NULL OR (reason IS 'rejected' AND length(note) BETWEEN 1 AND 200)": { note: 'n' },
      ...notBelowZero('daily_limit'),
      ...notBelowZero('asks'),
      "(held_reason IS NULL) = (held_since IS NULL) AND (held_since IS NULL OR status = 'PROCESSING')": {
        held_reason: 'hot_wallet_low',
      },
      '(claimed_at IS NULL) = (claimed_by IS NULL)': { claimed_by: 'somebody' },
      "(type = 'INTERNAL_WITHDRAWAL') = (recipient IS NOT NULL)": { recipient: 'b' },
      ...shortName,
      'recipient <> account_id': { ...inside, recipient: 'a' },
      "(receipt_id IS NOT NULL) = ( recipient IS NOT NULL AND (status = 'COMPLETED' OR substr(recipient, 16, 3) <> substr(id, 16, 3)))":
        { receipt_id: 'r' },
      'substr(receipt_id, 16, 3) = substr(recipient, 16, 3)': {
        ...inside,
        recipient: '00000000-0000-7001-8000-000000000000',
        receipt_id: '00000000-0000-7002-8000-000000000000',
      },
      "(status = 'COMPLETED') = (paid_transfer IS NOT NULL)": { paid_transfer: 2 },
      "(status = 'FAILED') = (returned_transfer IS NOT NULL)": { returned_transfer: 2 },
      "type = 'ONCHAIN_WITHDRAWAL' OR (fee = 0 AND tx_hash IS NULL)": { ...inside, fee: 1 },
      "status <> 'COMPLETED' OR type = 'INTERNAL_WITHDRAWAL' OR tx_hash IS NOT NULL": {
        status: 'COMPLETED',
        paid_transfer: 2,
      },
      "(status = 'FAILED') = (reason IS NOT NULL)": { reason: 'r' },
    },
  },
  settlements: {
    row: {
      account_id: 'a',
      id: 's',
      type: 'P2P_BUY',
      counterparty: 'b',
      coin: 'BTC',
      coin_amount: 1,
      usdt_amount: 1,
      reference: 'r',
      first_transfer: 1,
    },
    breaks: {
      ...oneOf('type', "'P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL'"),
      ...aboveZero('coin_amount'),
      ...aboveZero('usdt_amount'),
      'counterparty <> account_id': { counterparty: 'a' },
      "(type IN ('QUICK_BUY', 'QUICK_SELL')) = (counterparty = 'house:liquidity')": { counterparty: 'house:liquidity' },
    },
  },
  fundings: {
    row: { account_id: 'a', id: 'f', source: 'b', asset: 'BTC', amount: 1, reference: 'r', transfer: 1 },
    breaks: { ...aboveZero('amount'), 'source <> account_id': { source: 'a' } },
  },
  hedges: {
    row: dealtHedge,
    breaks: {
      ...oneOf('side', "'BUY', 'SELL'"),
      ...aboveZero('coin_amount'),
      ...aboveZero('limit_price'),
      ...aboveZero('middle_price'),
      ...aboveZero('set_aside'),
      "status IN ('OPEN', 'DEALT', 'NEVER')": { ...neverHedge, status: 'OTHER', reason: null },
      'dealt_coin BETWEEN 0 AND coin_amount': { dealt_coin: 2 },
      'dealt_usdt >= 0': { ...neverHedge, dealt_usdt: -1 },
      'fee >= 0': { fee: -1, fee_asset: 'USDT' },
      "(dealt_coin > 0) = (status = 'DEALT') AND (dealt_usdt > 0) = (status = 'DEALT')": { dealt_usdt: 0 },
      "(fee = 0) = (fee_asset IS NULL) AND (fee = 0 OR status = 'DEALT')": { fee: 1 },
      "(venue_reference IS NOT NULL) = (status = 'DEALT')": { venue_reference: null },
      "(reason IS NOT NULL) = (status = 'NEVER')": { reason: 'r' },
      "(ended_at IS NULL) = (status = 'OPEN') AND (ended_transfer IS NULL) = (status = 'OPEN')": { ended_at: null },
    },
  },
  solana_pool: { row: { address_index: 0, address: 'x' }, breaks: notBelowZero('address_index') },
  address_indexes: { row: { address_index: 0, account_id: 'a' }, breaks: notBelowZero('address_index') },
  totp: {
    row: { account_id: 'a' },
    breaks: { ...notBelowZero('attempts'), 'confirmed_at IS NULL OR sealed_secret IS NOT NULL': { confirmed_at: 1 } },
  },
  invitations: { row: { account_id: 'a', address: 'd', expires_at: 1, by_two: 0 }, breaks: yesOrNo('by_two') },
  staff: {
    row: { email: 'a@b', roles: '[]', changed_at: 1 },
    breaks: { "email LIKE '_%@_%' AND length(email) <= 254": { email: 'nobody' }, ...json('roles') },
  },
  proposals: {
    row: {
      id: 'p',
      method: 'POST',
      path: '/',
      body: '{}',
      digest: 'd',
      duty: 'd',
      proposed_by: 'a',
      proposed_at: 1,
      expires_at: 2,
      status: 'OPEN',
    },
    breaks: {
      ...oneOf('method', "'POST', 'PUT', 'PATCH', 'DELETE'"),
      "status IN ('OPEN', 'APPROVED', 'DECLINED', 'EXPIRED')": { status: 'OTHER', decided_at: 1 },
      "(status = 'OPEN') = (decided_at IS NULL)": { decided_at: 1 },
      "(status IN ('APPROVED', 'DECLINED')) = (decided_by IS NOT NULL)": { decided_by: 'b' },
      "(status = 'DECLINED') = (reason IS NOT NULL)": { reason: 'r' },
    },
  },
  hand_credits: { row: { person: 'p', asset: 'BTC', entered_at: 1, amount: 1 }, breaks: aboveZero('amount') },
  reconciliation_violations: {
    row: { id: 'v', invariant: 'i', pass: 1, found_at: 1, examples: '[]' },
    breaks: { ...json('examples'), '(cleared_at IS NULL) = (reason IS NULL)': { cleared_at: 1 } },
  },
  events: { row: { account_id: 'a', sequence: 1, type: 't', subject: 's' }, breaks: json('detail') },
  webhook_endpoints: {
    row: { account_id: 'a', id: 'e', url: 'u', description: 'd', types: '[]', sealed_secret: 's', delivered: 0 },
    breaks: {
      ...json('types'),
      ...oneOf('status', "'enabled', 'disabled'"),
      "reason IN ('gone', 'failing', 'key_revoked')": { reason: 'other', status: 'disabled' },
      ...json('previous_secrets'),
      ...notBelowZero('delivered'),
      "reason IS NULL OR status = 'disabled'": { reason: 'gone' },
    },
  },
};

const migrated = openMigrated('migrations');
const made = migrated
  .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK (%'")
  .all();
migrated.close();

/** A table alone: its checks, without the triggers and the other tables that may refuse a row before them. */
const alone = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
for (const { sql } of made) alone.exec(String(sql));
afterAll(() => alone.close());

function insert(table: string, row: Change): void {
  const names = Object.keys(row);
  const statement = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  alone.prepare(statement).run(...Object.values(row));
}

it('every table with a check has its cases here', () => {
  expect(Object.keys(tables).toSorted()).toEqual(made.map(({ name }) => String(name)).toSorted());
});

describe.each(made.map(({ name, sql }) => ({ name: String(name), sql: String(sql) })))('$name', ({ name, sql }) => {
  const { row, breaks } = tables[name] ?? { row: {}, breaks: {} };

  it('has a case for each of its checks', () => {
    const demands = listChecks(sql.replaceAll(/--[^\n]*/g, '')).map(({ demand }) => demand);
    expect(Object.keys(breaks).toSorted()).toEqual(demands.toSorted());
  });

  it('takes a row that keeps all of them', () => {
    insert(name, row);
    alone.exec(`DELETE FROM ${name}`);
  });

  it.each(Object.entries(breaks))('refuses a row by the check: %s', (check, change) => {
    const refusal = (): string => {
      try {
        insert(name, { ...row, ...change });
        return 'taken';
      } catch (error) {
        return flatten(error instanceof Error ? error.message : '');
      }
    };
    expect(refusal()).toBe(`CHECK constraint failed: ${check}`);
  });
});
