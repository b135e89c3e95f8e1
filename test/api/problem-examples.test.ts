import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { type ProblemCode, problems } from '../../src/http/problems.ts';
import { CandleHub } from '../../src/markets/candles/candle-hub.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import type { KeyOptions } from '../support/client.ts';
import { ORDER, type Trader, asOperator, openTrader, send } from '../support/exchange.ts';
import { readFeed, tellOld } from '../support/events/feed.ts';
import { CONNECTION_LOST, OVERLOADED, aroundBatches, fail } from '../support/runtime/faults.ts';
import { forgetSettings } from '../support/gate.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { changeSettings, setSettings, stopClock, switchOnTotp } from '../support/withdrawals/withdrawals.ts';
import { runFor } from '../support/db/open-in-ledger.ts';

const ORDERS = '/api/v1/orders';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const post = (path: string, headers: Record<string, string>) => send(path, { method: 'POST', headers, body: '{}' });

/** Places an order of a new trader, with the given fields changed. */
async function order(
  change: Partial<Record<keyof typeof ORDER | 'limitPrice', string>>,
  options: KeyOptions = {},
): Promise<Response> {
  return (await openTrader({ USDT: '100' }, options)).order({ ...ORDER, ...change });
}

const openRich = (options: KeyOptions = {}) => openTrader({ USDT: '10000' }, options);

/** A trader whose key the lane already knows, so that the next failure is not in its admission. */
async function openKnown(): Promise<Trader> {
  const trader = await openRich();
  await trader.trade(ORDER);
  return trader;
}

/** Switches the second factor on, and sends wrong codes. */
async function openWithTotp() {
  const trader = await openRich();
  const authenticator = await switchOnTotp(trader.accountId);
  return { trader, tryWrong: async () => trader.withdraw({ totpCode: await authenticator.wrong() }) };
}

/** Codes of people who signed in; test/operator/staff.test.ts and proposals.test.ts provoke them. */
const ofPeople = ['invalid_origin', 'approval_required'] as const;
type Provoked = Exclude<ProblemCode, (typeof ofPeople)[number]>;

/** For each other code, a request that is answered with it, at the path that the code's example names. */
const provocations: Record<Provoked, () => Promise<Response>> = {
  missing_api_key: () => post(ORDERS, {}),
  invalid_api_key: () => post(ORDERS, bearer('nonsense')),
  api_key_expired: async () => {
    const trader = await openTrader({}, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await runFor(trader.keyId, 'UPDATE api_keys SET expires_at = 1 WHERE id = ?', trader.keyId);
    return trader.order(ORDER);
  },
  insufficient_scope: () => order({}, { scopes: ['read'] }),
  ip_not_allowed: async () => {
    const trader = await openTrader({}, { ipAllowlist: ['192.0.2.7'] });
    return trader.post(ORDERS, ORDER, { 'CF-Connecting-IP': '192.0.2.8' });
  },
  invalid_request: () => order({ value: '1e3' }),
  invalid_idempotency_key: async () => (await openTrader()).order(ORDER, 'x'.repeat(256)),
  events_expired: async () => {
    const trader = await openTrader();
    await readFeed(trader);
    await tellOld(trader, 1, 13);
    await runFor(trader.accountId, 'DELETE FROM events WHERE account_id = ? AND sequence <= 12', trader.accountId);
    return trader.get('/api/v1/events?after=3');
  },
  invalid_cursor: async () => (await openTrader()).get(`${ORDERS}?cursor=x`),
  unsupported_media_type: async () => (await openTrader()).post(ORDERS, '{}', { 'Content-Type': 'text/plain' }),
  payload_too_large: async () => (await openTrader()).post(ORDERS, { ...ORDER, padding: 'x'.repeat(20_000) }),
  account_frozen: async () => {
    const trader = await openTrader();
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    return trader.order(ORDER);
  },
  rate_limited: async () => {
    const trader = await openTrader({ USDT: '100' }, { rateLimits: { trade: { perMinute: 1, perDay: 9 } } });
    await trader.trade(ORDER);
    return trader.order(ORDER);
  },
  idempotency_key_reused: async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.order(ORDER, 'one');
    return trader.order({ ...ORDER, value: '11' }, 'one');
  },
  client_order_id_reused: async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.order({ ...ORDER, clientOrderId: 'mine' });
    return trader.order({ ...ORDER, clientOrderId: 'mine' });
  },
  symbol_not_supported: () => order({ coin: 'XRP' }),
  amount_below_minimum: () => order({ value: '0.1' }),
  amount_above_maximum: () => order({ value: '50001' }),
  precision_exceeded: () => order({ value: '0.0000001' }),
  withdrawals_suspended: async () => {
    await setSettings({ pausedNetworks: ['TRC20'] });
    return (await openRich()).withdraw();
  },
  trading_halted: async () => {
    await setSettings({ tradingHalted: true });
    return order({});
  },
  // About half of the price at which the sandbox's market moves.
  price_limit_exceeded: () => order({ limitPrice: '60000.5' }),
  network_not_supported: async () => (await openRich()).withdraw({ asset: 'BTC' }),
  invalid_address: async () => (await openRich()).withdraw({ address: 'nobody' }),
  totp_required: async () => (await openWithTotp()).trader.withdraw(),
  withdrawals_locked: async () => {
    const { tryWrong } = await openWithTotp();
    for (let wrong = 0; wrong < 5; wrong += 1) await tryWrong();
    return tryWrong();
  },
  account_recovered: async () => {
    const trader = await openRich();
    const heldUntil = Date.UTC(2026, 10, 22, 12) + 365 * 86_400_000;
    await runFor(trader.accountId, 'UPDATE accounts SET held_until = ? WHERE id = ?', heldUntil, trader.accountId);
    return trader.withdraw();
  },
  address_not_allowlisted: async () => {
    await setSettings({ allowlistMode: 'strict' });
    return (await openRich()).withdraw();
  },
  daily_limit_exceeded: async () => {
    const trader = await openRich();
    await trader.withdraw();
    return trader.withdraw({ amount: '5000' });
  },
  totp_invalid: async () => (await openWithTotp()).tryWrong(),
  insufficient_role: async () => {
    const { AUDITOR_TOKEN = '' } = env as unknown as Record<string, string>;
    const { accountId } = await openTrader();
    return send(`/operator/v1/accounts/${accountId}`, { method: 'PATCH', headers: bearer(AUDITOR_TOKEN) });
  },
  price_unavailable: async () => {
    await forgetSettings();
    vi.spyOn(PriceHub.prototype, 'after').mockResolvedValue(null);
    return order({});
  },
  insufficient_balance: async () => (await openTrader({ USDT: '50' })).withdraw({ amount: '50' }),
  order_rejected: async () => {
    await changeSettings({ exposure: { DOGE: '0' } });
    onTestFinished(() => changeSettings({ exposure: { DOGE: '1000000' } }));
    return order({ coin: 'DOGE' });
  },
  upstream_unavailable: () => {
    vi.spyOn(CandleHub.prototype, 'candles').mockRejectedValue(new Error('no hub'));
    return send('/api/v1/markets/BTC/candles');
  },
  not_found: async () => (await openTrader()).get(`${ORDERS}/01a1fcca-895a-7000-b43c-11f474a4f8d5`),
  method_not_allowed: () => send(ORDERS, { method: 'DELETE' }),
  invalid_operator_token: async () => send(`/operator/v1/accounts/${(await openTrader()).accountId}`),
  invalid_state: async () => {
    const { trader } = await openWithTotp();
    return asOperator('POST', `/accounts/${trader.accountId}/totp`);
  },
  supply_cap_exceeded: async () => {
    const credit = { asset: 'BTC', amount: '99999999999', reference: 'too much' };
    return asOperator('POST', `/accounts/${(await openTrader()).accountId}/credits`, credit);
  },
  service_unavailable: async () => {
    const trader = await openKnown();
    aroundBatches('before', 1, fail(OVERLOADED));
    const response = await trader.order(ORDER);
    return response;
  },
  outcome_unknown: async () => {
    const trader = await openKnown();
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error(CONNECTION_LOST));
    return trader.order(ORDER, 'open');
  },
  internal_error: async () => {
    const trader = await openKnown();
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new TypeError('a bug'));
    return trader.get(ORDERS);
  },
};

/** A problem without the parts that differ in every request: ids, times and the exchange's address. */
function withoutChance(problem: unknown): unknown {
  const text = JSON.stringify(problem)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/https:\/\/[a-z.]+/g, '<origin>');
  return JSON.parse(text) as unknown;
}

beforeEach(stopClock);

describe('the documented example of a problem equals what the exchange answers', () => {
  it('for every code', () => {
    expect([...Object.keys(provocations), ...ofPeople].toSorted()).toEqual(Object.keys(problems).toSorted());
  });

  it.each(Object.keys(provocations) as Provoked[])('with the code %s', async (code) => {
    const response = await provocations[code]();
    expect(withoutChance(await response.json())).toEqual(withoutChance(exampleOfProblem(code, false)));
  });

  it('with the code symbol_not_supported in a path', async () => {
    const response = await send('/api/v1/markets/XRP');
    expect(withoutChance(await response.json())).toEqual(withoutChance(exampleOfProblem('symbol_not_supported', true)));
  });
});
