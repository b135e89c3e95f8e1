import { MARKET_PRICES_DATE } from '../../src/money/assets.ts';
import { noticeAt } from '../../src/db/settings.ts';
import { accepted, signIn } from '../support/holder/holders.ts';
import { holderEntrypoint } from '../support/runtime/test-env.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { ORDER, asOperator, json, openAccount, openTrader, send, operate, expectCode } from '../support/exchange.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { forgetSettings } from '../support/gate.ts';
import { listRows } from '../support/db/sql.ts';

interface Settings {
  readonly settings: Record<string, unknown> & { readonly supplyCaps: Record<string, string> };
}

const patch = (change: Record<string, unknown>) => asOperator('PATCH', '/settings', change);

afterEach(() => patch({ tradingHalted: false, spreadBps: 0 }));

describe('the settings', () => {
  it('start with the defaults of the sandbox', async () => {
    const { settings } = await operate<Settings>('GET', '/settings');
    expect(settings).toMatchObject({
      allowlistMode: 'off',
      tradingHalted: false,
      withdrawalsHalted: false,
      pausedNetworks: [],
      reviewThreshold: null,
      fees: {},
      minimums: {},
      depositMinimums: {},
      spreadBps: 0,
    });
    expect(settings['fallbackPrices']).toMatchObject({
      BTC: { price: '48000', setAt: `${MARKET_PRICES_DATE}T00:00:00.000Z` },
    });
    expect(Object.keys(settings.supplyCaps)).toHaveLength(9);
    expect(settings.supplyCaps['BTC']).toBe('10000');
  });

  it('change the named ones, and leave the others', async () => {
    const change = {
      allowlistMode: 'strict',
      pausedNetworks: ['TRC20', 'SOL'],
      pausedDeposits: { networks: ['LTC'], assets: ['USDC'] },
      haltedCoins: ['DOGE', 'AVAX'],
      reviewThreshold: '1000',
      fees: { USDT: { TRC20: '2' } },
      minimums: { BTC: { BTC: '0.001' } },
      depositMinimums: { BTC: { BTC: '0.0001' } },
      exposure: { AVAX: '12345.5' },
    };
    const { settings } = await json<Settings>(await patch(change));
    expect(settings).toMatchObject(change);
    const later = await json<Settings>(
      await patch({ allowlistMode: 'off', reviewThreshold: null, pausedNetworks: [] }),
    );
    expect(later.settings).toMatchObject({ allowlistMode: 'off', reviewThreshold: null, fees: change.fees });
  });

  it('store the time of its change with each named fallback price, and leave the others', async () => {
    interface Fallbacks {
      readonly settings: { readonly fallbackPrices: Record<string, { price: string; setAt: string }> };
    }
    const set = async (fallbackPrices: Record<string, string | null>) =>
      (await json<Fallbacks>(await patch({ fallbackPrices }))).settings.fallbackPrices;
    const begun_ms = Date.now();
    const first = await set({ BTC: '65000.5', ETH: '3000' });
    expect(first['BTC']?.price).toBe('65000.5');
    expect(Date.parse(first['BTC']?.setAt ?? '')).toBeGreaterThanOrEqual(begun_ms);
    const second = await set({ ETH: '3100' });
    expect(second['BTC']).toEqual(first['BTC']);
    expect(second['ETH']?.price).toBe('3100');
    const third = await set({ BTC: null, ETH: null });
    expect(third['BTC']).toEqual({ price: '48000', setAt: `${MARKET_PRICES_DATE}T00:00:00.000Z` });
  });

  it('halt trading at once, also on a lane that has just traded', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.trade(ORDER);
    await patch({ tradingHalted: true });
    await expectCode(trader.order(ORDER, 'halted'), '503 trading_halted');
    await patch({ tradingHalted: false });
    expect((await trader.order(ORDER, 'halted')).status).toBe(201);
  });

  it('apply the spread to the executed price, against the client', async () => {
    await patch({ spreadBps: 100 });
    // The gate may otherwise use settings that it read some seconds ago.
    await forgetSettings();
    const trader = await openTrader({ USDT: '10000', BTC: '1' });
    const shown = await json<{ ticker: { price: string } }>(await send('/api/v1/markets/BTC'));
    const buy = await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.01' });
    const sell = await trader.trade({ coin: 'BTC', side: 'SELL', mode: 'COIN_QTY', value: '0.01' });
    // The sandbox's venues are 5 hundredths of a percent apart, and half of this is added on either side.
    expect(Number(buy.executedPrice) / Number(sell.executedPrice)).toBeCloseTo(1.01025 / 0.98975, 3);
    expect(Number(buy.executedPrice)).toBeGreaterThan(Number(shown.ticker.price));
  });

  it.each([
    [{ supplyCaps: { BTC: '0.000000001' } }, 422, 'precision_exceeded'],
    [{ supplyCaps: { BTC: '99999999999999999999' } }, 422, 'amount_above_maximum'],
    [{ fees: { USDT: { BTC: '1' } } }, 422, 'network_not_supported'],
    [{ fees: { USDT: { TRC20: '0.0000001' } } }, 422, 'precision_exceeded'],
    [{ depositMinimums: { USDT: { BTC: '1' } } }, 422, 'network_not_supported'],
    [{ depositMinimums: { USDT: { TRC20: '0.0000001' } } }, 422, 'precision_exceeded'],
    [{ fallbackPrices: { BTC: '0' } }, 422, 'amount_below_minimum'],
    [{ fallbackPrices: { BTC: '0.000000001' } }, 422, 'precision_exceeded'],
    [{ fallbackPrices: { BTC: '10000000000' } }, 422, 'amount_above_maximum'],
    [{ fallbackPrices: { BTC: 65000 } }, 400, 'invalid_request'],
    [{ fallbackPrices: { USDT: '1' } }, 400, 'invalid_request'],
    [{ spreadBps: -1 }, 400, 'invalid_request'],
    [{ spreadBps: 1.5 }, 400, 'invalid_request'],
    [{ allowlistMode: 'on' }, 400, 'invalid_request'],
    [{ pausedNetworks: ['XRP'] }, 400, 'invalid_request'],
    [{ tradingHalted: 1 }, 400, 'invalid_request'],
    [{ supplyCaps: { XRP: '1' } }, 400, 'invalid_request'],
  ])('refuse %o and change nothing', async (change, status, code) => {
    const before = await (await asOperator('GET', '/settings')).text();
    await expectCode(patch({ withdrawalsHalted: true, ...change }), `${status} ${code}`);
    expect(await (await asOperator('GET', '/settings')).text()).toBe(before);
  });

  it('refuse a cap below what is owed already, and change nothing', async () => {
    await openAccount({ DOGE: '1000' });
    await expectCode(patch({ withdrawalsHalted: true, supplyCaps: { DOGE: '999' } }), '409 invalid_state');
    expect((await operate<Settings>('GET', '/settings')).settings['withdrawalsHalted']).toBe(false);
  });
});

describe('a spread below what hedges cost', () => {
  const own = { venue: 'v', outer: '5000', inner: '0', maxAgeSeconds: 60, limitBps: 30, maxHedge: '50000', feeBps: 25 };
  const terms = (spreadBps: number) => ({ BTC: { spreadBps, maxNotional: '40000', hedging: own } });

  afterEach(() => patch({ coinTerms: {} }));

  it('is refused with the figures, of a coin as of the exchange, and changes nothing', async () => {
    const refused = await patch({ coinTerms: terms(27), withdrawalsHalted: true });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { code: 'invalid_state', detail: expect.stringContaining('the spread of BTC is 27 bps') as string },
    ]);
    expect((await operate<Settings>('GET', '/settings')).settings).toMatchObject({
      coinTerms: {},
      withdrawalsHalted: false,
    });
    await expectCode(patch({ coinTerms: terms(28) }), '200');
    const general = { BTC: { ...terms(0).BTC, spreadBps: undefined } };
    await expectCode(patch({ spreadBps: 28, coinTerms: general }), '200');
    await expectCode(patch({ spreadBps: 27 }), '409 invalid_state');
    await expectCode(patch({ spreadBps: 27, coinTerms: terms(28) }), '200');
    await expectCode(patch({ coinTerms: general }), '409 invalid_state');
  });

  it('of a coin of which no order is above outer is refused where there are several ledgers', async () => {
    const { BTC } = terms(20);
    const answer = ledgersUnderTest.length > 1 ? '409 invalid_state' : '200';
    await expectCode(patch({ coinTerms: { BTC: { ...BTC, maxNotional: '5000' } } }), answer);
  });
});

describe('a notice to all holders', () => {
  const told = {
    text: 'Withdrawals of SOL wait on Sunday.',
    from: '2026-11-21T00:00:00Z',
    until: '2026-11-22T00:00:00Z',
  };
  const at = (iso: string) => noticeAt(told, Date.parse(iso));

  it('is shown from its beginning until its end', async () => {
    const { settings } = await operate<{ settings: { notice: unknown } }>('PATCH', '/settings', { notice: told });
    expect(settings.notice).toEqual(told);
    const times = ['2026-11-20T23:59:59.999Z', told.from, '2026-11-21T23:59:59.999Z', told.until];
    expect(times.map(at)).toEqual([null, told.text, told.text, null]);
    const { token } = await signIn(await openAccount());
    const read = () => accepted(holderEntrypoint.readNotice(token));
    expect(await read()).toBeNull();
    const now = {
      from: new Date(Date.now() - 60_000).toISOString(),
      until: new Date(Date.now() + 60_000).toISOString(),
    };
    await operate('PATCH', '/settings', { notice: { ...told, ...now } });
    expect(await read()).toBe(told.text);
    await operate('PATCH', '/settings', { notice: null });
    expect(await read()).toBeNull();
  });

  it.each([
    'See https://x.test',
    'See www.x',
    'Ask at thief.example now',
    'Mail a@b.example',
    'See ｘ.test',
    'two\nlines',
    '',
    'x'.repeat(501),
  ])('is no text with a link, and one line: %s', async (text) => {
    await expectCode(asOperator('PATCH', '/settings', { notice: { ...told, text } }), '400 invalid_request');
  });

  it('ends after it begins', async () => {
    const notice = { ...told, until: told.from };
    await expectCode(asOperator('PATCH', '/settings', { notice }), '400 invalid_request');
  });
});

describe('why settings were changed', () => {
  const lastDetail = async () =>
    JSON.parse((await listRows<{ detail: string }>('SELECT detail FROM audit ORDER BY id DESC LIMIT 1'))[0]!.detail);

  it('is in the audit where it was said, and is no setting', async () => {
    const before = await operate<Settings>('GET', '/settings');
    const change = { tradingHalted: false, exposure: { AVAX: '54321' } };
    const { settings } = await json<Settings>(await patch({ ...change, reason: 'as agreed' }));
    expect(settings).toMatchObject(change);
    expect(Object.keys(settings)).toEqual(Object.keys(before.settings));
    expect(await lastDetail()).toEqual({ ...change, because: 'as agreed' });
    await patch(change);
    expect(await lastDetail()).toEqual(change);
  });

  it.each([0, 501])('is refused with %d characters, and nothing changes', async (length) => {
    const before = await operate<Settings>('GET', '/settings');
    await expectCode(patch({ withdrawalsHalted: true, reason: 'x'.repeat(length) }), '400 invalid_request');
    expect(await operate<Settings>('GET', '/settings')).toEqual(before);
  });

  it('changes nothing by itself', async () => {
    const before = await operate<Settings>('GET', '/settings');
    expect(await json<Settings>(await patch({ reason: 'to see' }))).toEqual(before);
  });
});

describe('the audit', () => {
  it('has a row for every change, with the role, in the change’s own batch, and none for a refusal', async () => {
    const readAudit = async () =>
      await listRows<Record<string, string>>('SELECT role, action, target, detail FROM audit ORDER BY id');
    const trader = await openTrader({ USDT: '5' });
    await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${trader.keyId}`);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    await asOperator('POST', `/accounts/${trader.accountId}/totp`);
    const own = (await readAudit()).filter(({ target }) => target === trader.accountId);
    expect(own.map(({ action }) => action)).toEqual([
      'open_account',
      'credit_account',
      'create_api_key',
      'revoke_api_key',
      'change_account',
      'draw_totp',
    ]);
    expect(new Set(own.map(({ role }) => role))).toEqual(new Set(['operator']));
    expect(JSON.stringify(own)).not.toContain(trader.token.slice(-43));

    const before = (await readAudit()).length;
    await patch({ supplyCaps: { USDT: '0' } });
    await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/nothing`);
    expect(await readAudit()).toHaveLength(before);
  });
});
