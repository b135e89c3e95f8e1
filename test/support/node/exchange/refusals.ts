import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemCode } from '../../../../src/http/problems.ts';
import type { Scenario } from '../../../../src/sandbox/scenario.ts';
import type { Operator } from './operator.ts';

/** What a trader does, in whatever client. */
export interface Trader {
  readBalances(): Promise<unknown>;
  readOrder(id: string): Promise<unknown>;
  readCandles(coin: string): Promise<unknown>;
  buy(coin: string, usdt: string, idempotencyKey?: string): Promise<unknown>;
  withdraw(withdrawal: Payout): Promise<unknown>;
}

export interface Payout {
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly address: string;
  readonly totpCode?: string;
}

/**
 * A trader's client, made with a key or without one, all of whose requests may name a scenario of the sandbox. It must
 * not wait for a limit to pass.
 */
export type Connect = (apiKey: string | undefined, scenario?: Scenario) => Trader;

/** Brings an account or the exchange to where something is refused, and does it. */
type Scene = (operator: Operator, connect: Connect) => Promise<unknown>;

const LOOK_INTERVAL_MS = 200;
const MOST_LOOKS = 50;

const OUTSIDE = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';
const PAYOUT: Payout = { asset: 'USDT', network: 'TRC20', amount: '50', address: OUTSIDE };

async function open(operator: Operator, connect: Connect): Promise<{ accountId: string; trader: Trader }> {
  const accountId = await operator.openAccount({ USDT: '100000' });
  return { accountId, trader: connect(await operator.createKey(accountId)) };
}

function withdrawing(change: Partial<Payout>): Scene {
  return async (operator, connect) => (await open(operator, connect)).trader.withdraw({ ...PAYOUT, ...change });
}

/** The gate holds settings for seconds, so that the end of a halt takes effect a moment later. Throws when it does not. */
async function waitUntilOpen(trader: Trader): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const isOpen = await trader.buy('BTC', '10').then(
      () => true,
      () => false,
    );
    if (isOpen) return;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error('trading did not open again');
}

/** How each refusal comes about that a trader can bring about at an exchange that is well. */
export const refusals: readonly (readonly [ProblemCode, Scene])[] = [
  ['missing_api_key', (_, connect) => connect(undefined).readBalances()],
  ['invalid_api_key', (_, connect) => connect('bk_test_forged').readBalances()],
  [
    'insufficient_scope',
    async (operator, connect) =>
      connect(await operator.createKey(await operator.openAccount(), { scopes: ['read'] })).buy('BTC', '10'),
  ],
  [
    'ip_not_allowed',
    async (operator, connect) =>
      connect(await operator.createKey(await operator.openAccount(), { ipAllowlist: ['192.0.2.7'] })).readBalances(),
  ],
  [
    'account_frozen',
    async (operator, connect) => {
      const { accountId, trader } = await open(operator, connect);
      await operator.operate('PATCH', `/accounts/${accountId}`, { status: 'frozen' });
      return trader.buy('BTC', '10');
    },
  ],
  ['invalid_request', withdrawing({ totpCode: 'secret' })],
  [
    'invalid_idempotency_key',
    async (operator, connect) => (await open(operator, connect)).trader.buy('BTC', '10', 'k'.repeat(256)),
  ],
  [
    'rate_limited',
    async (operator, connect) => {
      const one = { perMinute: 1, perDay: 10 };
      const rateLimits = { read: one, trade: one, withdraw: one };
      const trader = connect(await operator.createKey(await operator.openAccount(), { rateLimits }));
      await trader.readBalances();
      return trader.readBalances();
    },
  ],
  [
    'idempotency_key_reused',
    async (operator, connect) => {
      const { trader } = await open(operator, connect);
      await trader.buy('BTC', '10', 'one-intent');
      return trader.buy('BTC', '11', 'one-intent');
    },
  ],
  ['symbol_not_supported', async (operator, connect) => (await open(operator, connect)).trader.buy('XMR', '10')],
  ['amount_below_minimum', async (operator, connect) => (await open(operator, connect)).trader.buy('BTC', '0.5')],
  ['amount_above_maximum', async (operator, connect) => (await open(operator, connect)).trader.buy('BTC', '60000')],
  ['precision_exceeded', withdrawing({ amount: '50.0000001' })],
  [
    'withdrawals_suspended',
    async (operator, connect) => {
      const { trader } = await open(operator, connect);
      return operator.withSettings({ withdrawalsHalted: true }, () => trader.withdraw(PAYOUT));
    },
  ],
  [
    'trading_halted',
    async (operator, connect) => {
      const { trader } = await open(operator, connect);
      try {
        return await operator.withSettings({ tradingHalted: true }, () => trader.buy('BTC', '10'));
      } finally {
        await waitUntilOpen(trader);
      }
    },
  ],
  ['network_not_supported', withdrawing({ network: 'LTC' })],
  ['invalid_address', withdrawing({ address: '0x52908400098527886E0F7030069857D2E4169EE7' })],
  [
    'totp_required',
    async (operator, connect) => {
      const { accountId, trader } = await open(operator, connect);
      await operator.enableTotp(accountId);
      return trader.withdraw(PAYOUT);
    },
  ],
  ['totp_invalid', guessing(1)],
  ['withdrawals_locked', guessing(6)],
  [
    'address_not_allowlisted',
    async (operator, connect) => {
      const { trader } = await open(operator, connect);
      return operator.withSettings({ allowlistMode: 'strict' }, () => trader.withdraw(PAYOUT));
    },
  ],
  [
    'daily_limit_exceeded',
    async (operator, connect) => {
      const { accountId, trader } = await open(operator, connect);
      await operator.operate('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit: '49' });
      return trader.withdraw(PAYOUT);
    },
  ],
  [
    'insufficient_balance',
    async (operator, connect) =>
      connect(await operator.createKey(await operator.openAccount({ USDT: '9' }))).buy('BTC', '10'),
  ],
  [
    'order_rejected',
    async (operator, connect) => {
      const { trader } = await open(operator, connect);
      return operator.withSettings({ exposure: { LTC: '0.0001' } }, () => trader.buy('LTC', '10'));
    },
  ],
  [
    'not_found',
    async (operator, connect) =>
      (await open(operator, connect)).trader.readOrder('01a1fcca-895a-7000-b43c-11f474a4f8d5'),
  ],
];

function playing(scenario: Scenario, act: (trader: Trader) => Promise<unknown>): Scene {
  return async (operator, connect) => {
    const accountId = await operator.openAccount({ USDT: '1000' });
    return act(connect(await operator.createKey(accountId), scenario));
  };
}

/** What the sandbox refuses because a request names a scenario, by what is refused. */
export const playedRefusals: readonly (readonly [what: string, ProblemCode, Scene])[] = [
  ['an order', 'order_rejected', playing('order_rejected', (trader) => trader.buy('BTC', '10'))],
  ['an order', 'service_unavailable', playing('service_unavailable', (trader) => trader.buy('BTC', '10'))],
  ['a withdrawal', 'service_unavailable', playing('service_unavailable', (trader) => trader.withdraw(PAYOUT))],
  ['an order', 'outcome_unknown', playing('outcome_unknown', (trader) => trader.buy('BTC', '10'))],
  ['a withdrawal', 'outcome_unknown', playing('outcome_unknown', (trader) => trader.withdraw(PAYOUT))],
  ['an order', 'rate_limited', playing('rate_limited', (trader) => trader.buy('BTC', '10'))],
  ['a read', 'rate_limited', playing('rate_limited', (trader) => trader.readBalances())],
  [
    'a scenario that there is none of',
    'invalid_request',
    playing('order_lost' as Scenario, (trader) => trader.buy('BTC', '10')),
  ],
];

/** Wrong codes, of which the last is answered as it is. */
function guessing(times: number): Scene {
  return async (operator, connect) => {
    const { accountId, trader } = await open(operator, connect);
    await operator.enableTotp(accountId);
    const guess = () => trader.withdraw({ ...PAYOUT, totpCode: '000000' });
    for (let wrong = 1; wrong < times; wrong += 1) await guess().catch(() => undefined);
    return guess();
  };
}

/** What is refused while no source of prices answers. */
export const refusalsWithoutSources: readonly (readonly [ProblemCode, Scene])[] = [
  ['price_unavailable', async (operator, connect) => (await open(operator, connect)).trader.buy('BTC', '10')],
  // Candles that nobody has asked for yet: others are still remembered.
  ['upstream_unavailable', (_, connect) => connect(undefined).readCandles('DOGE')],
];
