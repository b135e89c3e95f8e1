import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Trader, asOperator, json, openTrader, send } from '../support/exchange.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { type Authenticator, OUTSIDE, stopClock, switchOnTotp } from '../support/withdrawals/withdrawals.ts';
import { runFor } from '../support/db/open-in-ledger.ts';

type Line = Readonly<Record<string, unknown>>;

let lines: Line[];

beforeEach(() => {
  lines = [];
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line: unknown) => {
      lines.push(JSON.parse(String(line)) as Line);
    });
  }
});

const linesOf = (event: string) => lines.filter((line) => line['event'] === event);

describe('the log has one line for every request', () => {
  it('with its id, route, status, milliseconds and key, but without path, query or token', async () => {
    const trader = await openTrader();
    lines = [];
    await trader.get('/api/v1/orders?limit=7', { 'X-Request-Id': 'mine' });
    const ms = expect.any(Number) as number;
    expect(lines).toEqual([
      {
        event: 'request',
        requestId: 'mine',
        method: 'GET',
        route: '/api/v1/orders',
        status: 200,
        ms,
        caller: trader.keyId,
      },
    ]);
  });

  it('with where a public answer came from', async () => {
    for (let asked = 0; asked < 2; asked += 1) await send('/api/v1/assets');
    expect(linesOf('request').map((line) => line['edgeCache'])).toEqual(['miss', 'isolate']);
  });

  it.each([
    ['a public call', () => send('/api/v1/markets/BTC'), '/api/v1/markets/:symbol', 200, undefined],
    ['an unknown symbol', () => send('/api/v1/markets/SECRET'), '/api/v1/markets/:symbol', 404, undefined],
    ['an unknown route', () => send('/api/v1/SECRET'), undefined, 404, undefined],
    ['the operator', () => asOperator('GET', '/settings'), '/operator/v1/settings', 200, 'operator'],
    [
      'a forged key',
      () => send('/api/v1/orders', { headers: { Authorization: 'Bearer SECRET' } }),
      '/api/v1/orders',
      401,
      undefined,
    ],
  ])('when the caller is %s', async (_case, call, route, status, caller) => {
    await call();
    expect(linesOf('request')).toHaveLength(1);
    expect(linesOf('request')[0]).toMatchObject({ ...(route !== undefined && { route }), status });
    expect(linesOf('request')[0]?.['caller']).toBe(caller);
    expect(JSON.stringify(lines)).not.toContain('SECRET');
  });

  it('when the request fails', async () => {
    const trader = await openTrader();
    lines = [];
    const response = await trader.post('/api/v1/orders', 'not JSON');
    expect(linesOf('request')).toMatchObject([{ status: response.status, caller: trader.keyId }]);
  });
});

describe('the log of money that moves', () => {
  const buy = { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.001' };

  it('has one line for each transfer, with its record, both sides, the asset and the amount', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect(linesOf('money_moved')).toMatchObject([
      { kind: 'deposit', debit: 'house:custody', credit: trader.accountId, asset: 'USDT', amount: '1000' },
    ]);
    lines = [];
    const order = await trader.trade(buy);
    const common = { kind: 'order', reference: order.id };
    expect(linesOf('money_moved')).toMatchObject([
      { ...common, debit: trader.accountId, credit: 'house:liquidity', asset: 'USDT', amount: order.usdtAmount },
      { ...common, debit: 'house:liquidity', credit: trader.accountId, asset: 'BTC', amount: '0.001' },
    ]);
  });

  it('has no line for a refusal or a replay', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(buy, 'once');
    lines = [];
    await trader.order(buy, 'once');
    await trader.order({ ...buy, value: '1' });
    expect(linesOf('money_moved')).toEqual([]);
  });

  it('has a line money_perhaps_moved while it is unknown whether D1 committed', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.balances();
    lines = [];
    aroundBatches('after', 1, fail(CONNECTION_LOST));
    await trader.order(buy);
    expect(linesOf('money_perhaps_moved').length).toBeGreaterThan(0);
  });
});

describe('five wrong codes in a row', () => {
  let trader: Trader;
  let authenticator: Authenticator;
  let totpCode: string;
  beforeEach(async () => {
    stopClock();
    trader = await openTrader({ USDT: '1000' });
    authenticator = await switchOnTotp(trader.accountId);
    totpCode = await authenticator.wrong();
    lines = [];
  });

  it('write one line that withdrawals are locked, with the account and without the code', async () => {
    for (let guess = 1; guess <= 4; guess += 1) await trader.withdraw({ totpCode });
    expect(linesOf('withdrawals_locked')).toEqual([]);
    await trader.withdraw({ totpCode });
    await trader.withdraw({ totpCode });
    expect(linesOf('withdrawals_locked')).toEqual([{ event: 'withdrawals_locked', accountId: trader.accountId }]);
    expect(JSON.stringify(lines)).not.toContain(`"${totpCode}"`);
  });

  it('write one line as well when they are sent at once', async () => {
    await Promise.all(Array.from({ length: 12 }, () => trader.withdraw({ totpCode })));
    expect(linesOf('withdrawals_locked')).toHaveLength(1);
  });

  it('write no line when the fifth code is right', async () => {
    for (let guess = 1; guess <= 4; guess += 1) await trader.withdraw({ totpCode });
    expect((await trader.withdraw({ totpCode: await authenticator.code() })).status).toBe(201);
    expect(linesOf('withdrawals_locked')).toEqual([]);
  });

  it('write one line when the fifth code was right but another request had used it first', async () => {
    await runFor(trader.accountId, 'UPDATE totp SET attempts = 4 WHERE account_id = ?', trader.accountId);
    const right = await authenticator.code();
    const step = Math.floor(Date.now() / 30_000);
    aroundBatches(
      'before',
      1,
      async () => {
        await runFor(trader.accountId, 'UPDATE totp SET used_step = ? WHERE account_id = ?', step, trader.accountId);
      },
      (text) => text.includes('insert into \\"withdrawals\\"'),
    );
    expect((await trader.withdraw({ totpCode: right })).status).toBe(403);
    expect(linesOf('withdrawals_locked')).toHaveLength(1);
  });
});

it('no log line contains a token, a secret or a code', async () => {
  const trader = await openTrader({ USDT: '1000' });
  const drawn = await asOperator('POST', `/accounts/${trader.accountId}/totp`);
  const { secret } = await json<{ secret: string }>(drawn);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await trader.post('/api/v1/wallet/withdrawals', {
    asset: 'USDT',
    network: 'TRC20',
    address: OUTSIDE,
    amount: '10',
    totpCode: '918273',
  });
  const text = JSON.stringify(lines);
  for (const hidden of [trader.token, env.OPERATOR_TOKEN, secret, '918273']) expect(text).not.toContain(hidden);
});
