import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tellEntry, toldActions } from '../../console/pages/desk/parts/audit-sentence.ts';
import { nameDeed, tellEffect } from '../../console/pages/desk/parts/deeds.ts';
import { placeSettings } from '../../console/pages/desk/parts/setting-names.ts';
import { toldSettings } from '../../console/pages/desk/parts/settings-sentence.ts';

/** Every action that the source writes into the audit as it stands there; some are given by a variable. */
function listActions(): string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const source = readFileSync(join('src', file), 'utf8');
    const calls = source.matchAll(/insertAudit\(\s*[^;\]]*?'([a-z]+_[a-z_]+|halt|propose)'/g);
    return [...calls].map(([, action = '']) => action);
  });
}

const entry = (action: string, detail: Record<string, unknown> = {}, actor = 'grace@exchange.example', target = '') =>
  tellEntry({ actor, role: actor === 'operator' ? 'operator' : 'admin', action, target, detail }).join(' ');

interface OpenApi {
  readonly components: { readonly schemas: Record<string, { readonly properties: object }> };
}

/** The settings that a request can change, without its reason. */
function listSettings(): string[] {
  const { components } = JSON.parse(readFileSync('docs/openapi.operator.json', 'utf8')) as OpenApi;
  return Object.keys(components.schemas['ChangeSettings']?.properties ?? {}).filter((name) => name !== 'reason');
}

describe('a row of the audit', () => {
  it('is a sentence for every action that is written', () => {
    const actions = listActions();
    expect(actions.length).toBeGreaterThan(30);
    expect([...new Set(actions)].filter((action) => !toldActions.includes(action))).toEqual([]);
  });

  it.each([
    ['change_settings', { tradingHalted: true }, 'grace@exchange.example halted trading'],
    [
      'change_settings',
      { tradingHalted: false, spreadBps: 25 },
      'grace@exchange.example resumed trading, and set the spread to 0.25\u202F%',
    ],
    [
      'change_settings',
      { tradingHalted: true, because: 'prices look wrong' },
      'grace@exchange.example halted trading, because: prices look wrong',
    ],
    [
      'change_settings',
      { fees: { ETH: { ETH: '0.002' } } },
      'grace@exchange.example set the withdrawal fee of ETH over Ethereum to 0.002',
    ],
    [
      'change_settings',
      { supplyCaps: { BTC: '1', ETH: '2', LTC: '3', BNB: '4' }, dailyLoss: null },
      'grace@exchange.example set 4 supply limits, and took the daily loss limit away',
    ],
    [
      'change_settings',
      { pausedDeposits: { networks: ['LTC'], assets: ['BTC', 'ETH'] } },
      'grace@exchange.example paused deposits over Litecoin and of BTC, ETH',
    ],
    [
      'change_settings',
      { pausedDeposits: { networks: [], assets: [] } },
      'grace@exchange.example let all deposits come in',
    ],
    [
      'settle_withdrawal',
      { kind: 'failed', reason: 'rejected', because: 'a known thief' },
      'grace@exchange.example rejected the withdrawal, because: a known thief',
    ],
    [
      'settle_withdrawal',
      { kind: 'paid', txHash: '0x5' },
      'grace@exchange.example ended the withdrawal by hand as paid',
    ],
    ['change_account', { status: 'frozen' }, 'grace@exchange.example froze the account'],
    [
      'end_hedge',
      { outcome: 'never', because: 'not in the venue’s list' },
      'grace@exchange.example closed the hedge by hand as never dealt, because: not in the venue’s list',
    ],
    [
      'change_account',
      { dailyWithdrawalLimit: '20000' },
      'grace@exchange.example set the daily limit of withdrawals to 20\u202F000\u00A0USDT',
    ],
    [
      'keep_deposit',
      { because: 'no sender found' },
      'grace@exchange.example kept the deposit in quarantine, because: no sender found',
    ],
    [
      'create_api_key',
      { label: 'reports', scopes: ['read', 'trade'] },
      'grace@exchange.example made the API key “reports”, which may read, trade',
    ],
    [
      'propose',
      { method: 'PATCH', path: '/operator/v1/settings', digest: 'd' },
      'grace@exchange.example proposed to change the settings',
    ],
    ['a_new_action', { depth: 3 }, 'grace@exchange.example a new action: depth 3'],
  ])('says who did what: %s %j', (action, detail, sentence) => {
    expect(entry(action, detail)).toBe(sentence);
  });

  it('has words for every setting', () => {
    expect(listSettings().length).toBeGreaterThan(20);
    expect(listSettings().filter((name) => !toldSettings.includes(name))).toEqual([]);
  });

  it.each([
    ['export_list', '/operator/v1/audit', {}, 'exported the whole audit'],
    [
      'export_list',
      '/operator/v1/accounts',
      { status: 'frozen' },
      'exported the list of accounts, where status frozen',
    ],
    ['export_list', '/operator/v1/accounts/a1/deposits', {}, 'exported the whole list of deposits of Anna Berg'],
    ['set_roles', 'ada@exchange.example', { roles: ['admin'] }, 'gave ada@exchange.example the role Admin'],
    [
      'credit_deposit',
      'd1',
      { because: 'proved' },
      'credited the deposit from the quarantine to Anna Berg, because: proved',
    ],
    ['decline_proposal', 'p1', {}, 'declined the proposal to end the withdrawal of 1 ETH'],
    ['halt', 'trading', { reason: 'the loss of the day' }, 'halted trading: the loss of the day'],
  ])('names what it is about: %s %s', (action, target, detail, sentence) => {
    const row = { actor: 'grace@exchange.example', role: 'admin', action, target, detail };
    expect(tellEntry(row, { account: 'Anna Berg', deed: 'End the withdrawal of 1 ETH' })[1]).toBe(sentence);
  });

  it('names a token by what it is', () => {
    expect(entry('open_account', { label: 'Anna Berg' }, 'operator')).toBe(
      'The operator’s token opened the account “Anna Berg”',
    );
  });
});

describe('what a change of the settings is about', () => {
  it.each(listSettings())('is named, with its page: %s', (name) => {
    expect(placeSettings([name])).toEqual([
      expect.not.stringMatching(/^Settings$/),
      expect.stringMatching(/^\/desk\//),
    ]);
  });

  it('is the settings where there are several', () => {
    expect(placeSettings(['fees', 'notice'])).toEqual(['Settings', '/desk/settings']);
  });

  it.each(['reason', 'because'])('is the same with a %s', (why) => {
    expect(placeSettings([why, 'fees'])).toEqual(placeSettings(['fees']));
  });
});

describe('a proposal', () => {
  const account = '/operator/v1/accounts/a1';

  it('says what its approval does', () => {
    const effect = (outcome: string) =>
      tellEffect({ method: 'POST', path: `${account}/withdrawals/w1/settle`, body: { outcome } });
    expect(effect('paid')).toMatch(/as paid/);
    expect(effect('failed')).toMatch(/its money is back/);
  });

  it.each([
    [`${account}/withdrawals/w1/settle`, { outcome: 'failed' }, 'End the withdrawal of 0.1 ETH as failed'],
    [
      `${account}/credits`,
      { asset: 'BTC', amount: '1.5', reference: 'wire' },
      'Credit 1.5\u00A0BTC to the account Anna Berg, wire',
    ],
    [
      account,
      { dailyWithdrawalLimit: '90000' },
      'Raise the daily limit of the account Anna Berg to 90\u202F000\u00A0USDT',
    ],
    [`${account}/credits`, undefined, 'Credit the account Anna Berg'],
    ['/operator/v1/settings', { tradingHalted: false }, 'Resume trading'],
    ['/operator/v1/settings', { tradingHalted: false, reason: 'prices agree' }, 'Resume trading'],
    ['/operator/v1/settings', { reason: 'nothing else' }, 'Change the settings'],
    [
      '/operator/v1/settings',
      { haltedCoins: ['DOGE'], notice: null },
      'Halt the trading of DOGE, and take the notice away',
    ],
  ])('says what, how much and to whom: %s', (path, body, sentence) => {
    const deed = { method: 'POST', path, ...(body && { body }) };
    expect(nameDeed(deed, 'Anna Berg', 'of 0.1 ETH')).toBe(sentence);
  });
});
