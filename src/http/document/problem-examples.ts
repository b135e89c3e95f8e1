import { answerProblem, type Refusal, refuse } from '../answer.ts';
import type { ProblemCode } from '../problems.ts';

/** A refusal as an operation gives it, and the path of that operation: of orders unless told. Its text alone will do. */
type Example = Omit<Refusal, 'ok' | 'code' | 'inPath'> & { readonly path?: string };

const ORDERS = '/api/v1/orders';
const ORDER = '/api/v1/orders/01a1fcca-895a-7000-b43c-11f474a4f8d5';
const WITHDRAWALS = '/api/v1/wallet/withdrawals';
const ACCOUNT = '/operator/v1/accounts/01a1fcca-895a-7000-b43c-11f474a4f8d5';

/** A refusal of every code, in the words of the operation that gives it. */
const examples: Readonly<Record<ProblemCode, Example | string>> = {
  missing_api_key: 'Send an API key: Authorization: Bearer <API_KEY>.',
  invalid_api_key: 'The API key is not valid. Check that it was copied whole.',
  api_key_expired: 'The API key expired at 2026-11-21T12:00:00.000Z.',
  insufficient_scope: 'This operation needs a key with the scope "trade".',
  ip_not_allowed: 'The API key may not be used from 192.0.2.8.',
  invalid_request: {
    detail: 'The request is not valid.',
    errors: [{ pointer: '/value', code: 'wrong_format', detail: 'is not a plain decimal string such as "0.015"' }],
  },
  invalid_idempotency_key: 'An Idempotency-Key is 1 to 255 visible ASCII characters.',
  invalid_cursor: 'The cursor is not one that this list gave to this account.',
  events_expired: { path: '/api/v1/events', detail: 'Events are kept after number 12. Read without `after`.' },
  unsupported_media_type: 'Send the body as JSON, with Content-Type: application/json.',
  payload_too_large: 'The body is larger than 16384 bytes.',
  account_frozen: 'The account is frozen. It can be read; orders and withdrawals are refused.',
  rate_limited: 'The trade bucket of this key is empty.',
  idempotency_key_reused:
    'This Idempotency-Key was used for another request within 24 hours. Use a new one for a new request.',
  client_order_id_reused: {
    detail: 'Another order of this account has this clientOrderId.',
    members: { orderId: '01a1fcca-895a-7000-b43c-11f474a4f8d5' },
  },
  symbol_not_supported: 'There is no market XRP-USDT.',
  amount_below_minimum: 'The order is below the minimum of 1 USDT.',
  amount_above_maximum: 'The order is above the maximum of 50000 USDT.',
  precision_exceeded: 'An amount of USDT has at most 6 decimals.',
  withdrawals_suspended: { path: WITHDRAWALS, detail: 'Withdrawals on TRC20 are suspended by the operator.' },
  trading_halted: 'Trading, or that of this coin, is halted by the operator.',
  price_limit_exceeded: 'The order would fill at a price worse than its limit of 60000.5 USDT.',
  network_not_supported: {
    path: WITHDRAWALS,
    detail: 'BTC can be withdrawn on BTC.',
    members: { networks: ['BTC'] },
  },
  invalid_address: { path: WITHDRAWALS, detail: 'This is not a TRC20 address.' },
  totp_required: { path: WITHDRAWALS, detail: 'This account needs a totpCode for every withdrawal.' },
  withdrawals_locked: {
    path: WITHDRAWALS,
    detail: 'Too many wrong codes: withdrawals of this account are locked for a while.',
  },
  account_recovered: {
    path: WITHDRAWALS,
    detail:
      'The account was recovered lately. Until 2026-11-22T12:00:00.000Z it has no withdrawals, new API keys or new approved addresses.',
  },
  address_not_allowlisted: {
    path: WITHDRAWALS,
    detail: 'The address is not approved for this account, or not yet usable.',
  },
  daily_limit_exceeded: {
    path: WITHDRAWALS,
    detail: 'The withdrawal passes the account’s limit for 24 hours.',
    members: { limit: '5000', used: '50', remaining: '4950' },
  },
  totp_invalid: { path: WITHDRAWALS, detail: 'The code is wrong, old or was used before. Wait for the next one.' },
  insufficient_role: { path: ACCOUNT, detail: 'The role "auditor" does not open this.' },
  invalid_origin: {
    path: ACCOUNT,
    detail: 'A change by a person who signed in must come from the console: send its own Origin.',
  },
  approval_required: {
    path: ACCOUNT,
    detail:
      'Two people must agree on this, and 20 proposals of yours are open already. Have some of them decided first.',
  },
  price_unavailable: 'There is no firm price of BTC at the moment; no order is filled without one.',
  insufficient_balance: {
    path: WITHDRAWALS,
    detail: 'The balance of USDT is too small for the amount and its fee.',
    members: { asset: 'USDT', available: '50', required: '51', fee: '1' },
  },
  order_rejected: 'The house takes no more of this position at the moment.',
  upstream_unavailable: {
    path: '/api/v1/markets/BTC/candles',
    detail: 'The source of candles cannot be reached. Try again in a few seconds.',
  },
  not_found: { path: ORDER, detail: 'This account has no order of that id.' },
  method_not_allowed: 'This path takes POST, GET, HEAD.',
  invalid_operator_token: { path: ACCOUNT, detail: 'Send an operator token: Authorization: Bearer <token>.' },
  invalid_state: {
    path: `${ACCOUNT}/totp`,
    detail: 'Two-factor authentication is on. Switch it off first.',
  },
  supply_cap_exceeded: {
    path: `${ACCOUNT}/credits`,
    detail: 'The credit would pass the most BTC that may be owed to clients.',
  },
  service_unavailable: 'The exchange is overloaded. Nothing happened; try again.',
  outcome_unknown: {
    detail:
      'It is not known yet whether the order was placed. Repeat the request with the same Idempotency-Key, or read the order by its id.',
    members: { orderId: '01a1fcca-895a-7000-b43c-11f474a4f8d5' },
  },
  internal_error: 'Something went wrong here. It was recorded under the request id.',
};

/** The same, where the path names what is refused. */
const examplesInPath: Readonly<Partial<Record<ProblemCode, Example>>> = {
  symbol_not_supported: { path: '/api/v1/markets/XRP', detail: 'There is no such market.' },
};

/** The body of a problem of this code, made as every problem is. */
export function exampleOfProblem(code: ProblemCode, inPath: boolean): unknown {
  const example = (inPath ? examplesInPath[code] : undefined) ?? examples[code];
  const { path = ORDERS, detail, ...more } = typeof example === 'string' ? { detail: example } : example;
  const requestId = '7d1c9c5e-5a0e-4c7e-9d0f-0d5a3c1b8e42';
  const facts = { requestId, url: `https://exchange.example${path}`, path };
  return JSON.parse(answerProblem(refuse(code, detail, { inPath, ...more }), facts).body);
}
