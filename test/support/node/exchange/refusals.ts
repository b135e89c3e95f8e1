import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemCode } from '../../../../src/http/problems.ts';
import type { Scenario } from '../../../../src/sandbox/scenario.ts';
import type { KeyOptions } from '../../client.ts';
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
  readonly clientOrderId?: string;
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

interface Opened {
  readonly operator: Operator;
  readonly accountId: string;
}

/** What a trader with an account does: by default with money and a key for everything. */
function trading(
  act: (trader: Trader, opened: Opened) => Promise<unknown>,
  { funds = { USDT: '100000' }, key = {}, scenario }: Opening = {},
): Scene {
  return async (operator, connect) => {
    const accountId = await operator.openAccount(funds);
    const trader = connect(await operator.createKey(accountId, key), scenario);
    return act(trader, { operator, accountId });
  };
}

interface Opening {
  readonly funds?: Parameters<Operator['openAccount']>[0];
  readonly key?: KeyOptions;
  readonly scenario?: Scenario;
}

const withdrawing = (change: Partial<Payout>) => trading((trader) => trader.withdraw({ ...PAYOUT, ...change }));
const buying = (coin: string, usdt: string, opening?: Opening) => trading((trader) => trader.buy(coin, usdt), opening);

/** What a trader does under other settings, which are put back. */
const under = (settings: Record<string, unknown>, act: (trader: Trader) => Promise<unknown>) =>
  trading((trader, { operator }) => operator.withSettings(settings, () => act(trader)));

const changed = (change: object, act: (trader: Trader) => Promise<unknown>) =>
  trading(async (trader, { operator, accountId }) => {
    await operator.operate('PATCH', `/accounts/${accountId}`, change);
    return act(trader);
  });

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

const ONE = { perMinute: 1, perDay: 10 };

/** How each refusal comes about that a trader can bring about at an exchange that is well. */
export const refusals: readonly (readonly [ProblemCode, Scene])[] = [
  ['missing_api_key', (_, connect) => connect(undefined).readBalances()],
  ['invalid_api_key', (_, connect) => connect('bk_test_forged').readBalances()],
  ['insufficient_scope', buying('BTC', '10', { key: { scopes: ['read'] } })],
  ['ip_not_allowed', trading((trader) => trader.readBalances(), { key: { ipAllowlist: ['192.0.2.7'] } })],
  ['account_frozen', changed({ status: 'frozen' }, (trader) => trader.buy('BTC', '10'))],
  ['invalid_request', withdrawing({ totpCode: 'secret' })],
  ['invalid_idempotency_key', trading((trader) => trader.buy('BTC', '10', 'k'.repeat(256)))],
  [
    'rate_limited',
    trading((trader) => trader.readBalances().then(() => trader.readBalances()), {
      key: { rateLimits: { read: ONE, trade: ONE, withdraw: ONE } },
    }),
  ],
  [
    'idempotency_key_reused',
    trading((trader) => trader.buy('BTC', '10', 'one-intent').then(() => trader.buy('BTC', '11', 'one-intent'))),
  ],
  [
    'client_order_id_reused',
    trading((trader) => {
      const named = { ...PAYOUT, clientOrderId: 'rent' };
      return trader.withdraw(named).then(() => trader.withdraw(named));
    }),
  ],
  ['symbol_not_supported', buying('XMR', '10')],
  ['amount_below_minimum', buying('BTC', '0.5')],
  ['amount_above_maximum', buying('BTC', '60000')],
  ['precision_exceeded', withdrawing({ amount: '50.0000001' })],
  ['withdrawals_suspended', under({ withdrawalsHalted: true }, (trader) => trader.withdraw(PAYOUT))],
  [
    'trading_halted',
    trading(async (trader, { operator }) => {
      try {
        return await operator.withSettings({ tradingHalted: true }, () => trader.buy('BTC', '10'));
      } finally {
        await waitUntilOpen(trader);
      }
    }),
  ],
  ['network_not_supported', withdrawing({ network: 'LTC' })],
  ['invalid_address', withdrawing({ address: '0x52908400098527886E0F7030069857D2E4169EE7' })],
  [
    'totp_required',
    trading(async (trader, { operator, accountId }) => {
      await operator.enableTotp(accountId);
      return trader.withdraw(PAYOUT);
    }),
  ],
  ['totp_invalid', guessing(1)],
  ['withdrawals_locked', guessing(6)],
  ['address_not_allowlisted', under({ allowlistMode: 'strict' }, (trader) => trader.withdraw(PAYOUT))],
  ['daily_limit_exceeded', changed({ dailyWithdrawalLimit: '49' }, (trader) => trader.withdraw(PAYOUT))],
  ['insufficient_balance', buying('BTC', '10', { funds: { USDT: '9' } })],
  ['order_rejected', under({ exposure: { LTC: '0.0001' } }, (trader) => trader.buy('LTC', '10'))],
  ['not_found', trading((trader) => trader.readOrder('01a1fcca-895a-7000-b43c-11f474a4f8d5'))],
];

/** What the sandbox refuses because a request names a scenario, by what is refused. */
export const playedRefusals: readonly (readonly [what: string, ProblemCode, Scene])[] = [
  ...(['order_rejected', 'service_unavailable', 'outcome_unknown', 'rate_limited'] as const).map(
    (scenario) => ['an order', scenario, buying('BTC', '10', { scenario })] as const,
  ),
  ...(['service_unavailable', 'outcome_unknown'] as const).map(
    (scenario) => ['a withdrawal', scenario, trading((trader) => trader.withdraw(PAYOUT), { scenario })] as const,
  ),
  ['a read', 'rate_limited', trading((trader) => trader.readBalances(), { scenario: 'rate_limited' })],
  ['a scenario that there is none of', 'invalid_request', buying('BTC', '10', { scenario: 'order_lost' as Scenario })],
];

/** Wrong codes, of which the last is answered as it is. */
function guessing(times: number): Scene {
  return trading(async (trader, { operator, accountId }) => {
    await operator.enableTotp(accountId);
    const guess = () => trader.withdraw({ ...PAYOUT, totpCode: '000000' });
    for (let wrong = 1; wrong < times; wrong += 1) await guess().catch(() => undefined);
    return guess();
  });
}

/** What is refused while no source of prices answers. */
export const refusalsWithoutSources: readonly (readonly [ProblemCode, Scene])[] = [
  ['price_unavailable', buying('BTC', '10')],
  // Candles that nobody has asked for yet: others are still remembered.
  ['upstream_unavailable', (_, connect) => connect(undefined).readCandles('DOGE')],
];
