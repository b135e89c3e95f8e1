import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tellEntry, toldActions } from '../../console/pages/desk/parts/audit-sentence.ts';
import { nameDeed } from '../../console/pages/desk/parts/deeds.ts';

/** Every action that the source writes into the audit as it stands there; some are given by a variable. */
function listActions(): string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const source = readFileSync(join('src', file), 'utf8');
    const calls = source.matchAll(/insertAudit\(\s*[^;]*?'([a-z]+_[a-z_]+|halt|propose)'/g);
    return [...calls].map(([, action = '']) => action);
  });
}

const entry = (action: string, detail: Record<string, unknown> = {}, actor = 'grace@exchange.example') =>
  tellEntry({ actor, role: actor === 'operator' ? 'operator' : 'admin', action, detail }).join(' ');

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
      'grace@exchange.example let trading go on, and set spread bps to 25',
    ],
    ['change_settings', { fees: { ETH: { ETH: '0.002' } } }, 'grace@exchange.example set fees to ETH ETH 0.002'],
    ['change_account', { status: 'frozen' }, 'grace@exchange.example froze the account'],
    [
      'end_hedge',
      { outcome: 'never', because: 'not in the venue’s list' },
      'grace@exchange.example ended the hedge by hand as never dealt, because: not in the venue’s list',
    ],
    [
      'change_account',
      { dailyWithdrawalLimit: '20000' },
      'grace@exchange.example set the daily limit of withdrawals to 20\u202F000 USDT',
    ],
    [
      'keep_deposit',
      { because: 'no sender found' },
      'grace@exchange.example kept the quarantined deposit uncredited, because: no sender found',
    ],
    [
      'create_api_key',
      { label: 'reports', scopes: ['read', 'trade'] },
      'grace@exchange.example made the API key “reports” for read, trade',
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

  it('names a token by its role alone', () => {
    expect(entry('open_account', { label: 'Anna Berg' }, 'operator')).toBe('Operator opened the account “Anna Berg”');
  });
});

describe('a proposal', () => {
  const account = '/operator/v1/accounts/a1';

  it.each([
    [
      `${account}/withdrawals/w1/settle`,
      { outcome: 'failed' },
      'End the withdrawal of 0.1 ETH to 0x52 as failed, account Anna Berg',
    ],
    [
      `${account}/credits`,
      { asset: 'BTC', amount: '1.5', reference: 'wire' },
      'Credit 1.5 BTC to the account Anna Berg, wire',
    ],
    [account, { dailyWithdrawalLimit: '90000' }, 'Raise the daily limit of the account Anna Berg to 90\u202F000 USDT'],
    [`${account}/credits`, undefined, 'Credit the account Anna Berg'],
  ])('says what, how much and to whom: %s', (path, body, sentence) => {
    const deed = { method: 'POST', path, ...(body && { body }) };
    expect(nameDeed(deed, 'Anna Berg', 'of 0.1 ETH to 0x52')).toBe(sentence);
  });
});
