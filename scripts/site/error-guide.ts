import type { ProblemCode } from '../../src/http/problems.ts';

/** What the page of a code adds to its line in the table, as inline Markdown. */
export interface ErrorAdvice {
  readonly meaning: string;
  readonly remedy: string;
  /** Only the operator's API, below `/operator/v1`, answers with it. */
  readonly isOperators?: true;
}

/** The advice on every code. It is not part of the Worker, which needs only the table in `src/http/problems.ts`. */
export const errorGuide: Readonly<Record<ProblemCode, ErrorAdvice>> = {
  missing_api_key: {
    meaning: 'The operation needs an API key, and the request carried none as a Bearer token.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`, with the whole key as it was shown when it was made.',
  },
  invalid_api_key: {
    meaning:
      'The key was not made here, was cut or changed on its way, belongs to another environment, or was revoked.',
    remedy:
      'Compare it with what was shown when it was made. A key that begins with `bk_test_` works in the sandbox only, one with `bk_live_` in production only. A revoked key stays revoked: ask the operator for a new one.',
  },
  api_key_expired: {
    meaning: 'The key had an expiry, which has passed; the detail says when.',
    remedy: 'Ask the operator for a new key.',
  },
  insufficient_scope: {
    meaning:
      'The key is valid but does not have the scope that the operation needs: `read`, `trade`, `withdraw` or `webhooks`.',
    remedy: 'Use a key with that scope. The scopes of a key never change: ask the operator for another one.',
  },
  ip_not_allowed: {
    meaning: 'The key has a list of addresses that it may be used from, and the request came from another one.',
    remedy: 'Send it from a listed address. The detail says which one the request came from.',
  },
  invalid_request: {
    meaning:
      'The request cannot be read: the body is not JSON, a field is missing or malformed, or a parameter is out of its bounds. Nothing is corrected silently.',
    remedy:
      'Each entry of `errors` names a field, as a JSON pointer into the body or the name of a parameter, and what is wrong with it. Amounts are plain decimal strings such as `"0.015"`, never JSON numbers.',
  },
  invalid_idempotency_key: {
    meaning:
      'The header `Idempotency-Key` is empty, longer than 255 characters, or holds a blank or a non-ASCII character.',
    remedy: 'Send 1 to 255 visible ASCII characters, for example a UUID.',
  },
  invalid_cursor: {
    meaning: 'The cursor was changed, or comes from another list or another account.',
    remedy: 'Send `nextCursor` unchanged to the same list. To begin again, leave `cursor` out.',
  },
  events_expired: {
    meaning: 'Events after the number in `after` are no longer kept, so an answer would leave some out.',
    remedy:
      'Read what you need from the lists of orders, deposits and withdrawals. Then read events without `after`: the answer begins with the oldest event that is kept, and its `since` says after which number.',
  },
  unsupported_media_type: {
    meaning: 'The body is not declared as JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  payload_too_large: {
    meaning: 'The body is larger than 16 KiB, or 128 KiB for an upload of Solana addresses.',
    remedy: 'Send less. Orders and withdrawals are far smaller.',
  },
  account_frozen: {
    meaning: 'The operator has frozen the account. Everything can be read; orders and withdrawals are refused.',
    remedy: 'Ask the operator. No operation of the API can lift a freeze.',
  },
  rate_limited: {
    meaning:
      'The bucket that the request counts in is empty, too many requests of the key wait for their turn, or, without a key, too many came from the address. A refused request is not counted.',
    remedy:
      'Wait for as many seconds as `Retry-After` says, then send the same request. The `RateLimit` header of every counted answer says how much is left.',
  },
  idempotency_key_reused: {
    meaning:
      'The `Idempotency-Key` was used within 24 hours for a request with another body or to another operation. Nothing was executed.',
    remedy: 'Use a new key for a new request, and an old one only to repeat the same request.',
  },
  client_order_id_reused: {
    meaning:
      'An order, or a withdrawal, of the account has this `clientOrderId` already; `orderId` or `withdrawalId` names it. Nothing was executed. An account uses each `clientOrderId` once, for good, with whichever API key.',
    remedy:
      'Read the one that is named: it is what an earlier attempt of yours made. For another order use another `clientOrderId`.',
  },
  symbol_not_supported: {
    meaning: 'There is no such market. In a path the status is 404, in an order 422.',
    remedy: '`GET /api/v1/markets/tickers` lists every market. Symbols are base assets such as `BTC`, in any case.',
  },
  amount_below_minimum: {
    meaning:
      'The order is worth less than its symbol’s minimum or than the smallest amount of the coin, or the withdrawal is below its network’s minimum; the detail says how much that is. The operator’s API gives it for a credit of zero and for a spread that is too small.',
    remedy: 'Send a larger amount, with a new `Idempotency-Key`.',
  },
  amount_above_maximum: {
    meaning: 'The order is worth more than its symbol’s maximum, or the amount is beyond what the ledger can count.',
    remedy: 'Send less, or split the order; each part with its own `Idempotency-Key`.',
  },
  precision_exceeded: {
    meaning:
      'The amount has more decimals than its asset: 6 for USDT and USDC, 8 for the others. It is never rounded silently; trailing zeros do not count.',
    remedy: 'Round it yourself, the way you want it, and send it with a new `Idempotency-Key`.',
  },
  withdrawals_suspended: {
    meaning: 'The operator has halted withdrawals, or those on this network. No money has moved.',
    remedy: 'Try again after `Retry-After`. The same `Idempotency-Key` may be used.',
  },
  trading_halted: {
    meaning: 'The operator has halted trading. Nothing was bought or sold.',
    remedy: 'Try again after `Retry-After`. The same `Idempotency-Key` may be used.',
  },
  network_not_supported: {
    meaning:
      'The asset is not on that network, or there is no such network. The member `networks` lists those it is on.',
    remedy: 'Choose one of them. Names are exact: `TRC20`, not `trc20` or `TRON`.',
  },
  invalid_address: {
    meaning:
      'The address is not valid on its network: malformed, with a wrong checksum, or one that nobody can own, such as a token’s contract. A deposit address of the same account is refused as well.',
    remedy: 'Copy the address again from the receiving wallet, and check that it shows the same network.',
  },
  totp_required: {
    meaning: 'Two-factor authentication is on for the account, and the withdrawal carried no code.',
    remedy: 'Send the six digits of the authenticator app as `totpCode`. The same `Idempotency-Key` may be used.',
  },
  withdrawals_locked: {
    meaning: 'Five wrong codes in a row lock the withdrawals of the account, over all its keys, for 15 minutes.',
    remedy: 'Wait for as long as `Retry-After` says. If the attempts were not yours, have the key revoked.',
  },
  account_recovered: {
    meaning:
      'The holder came back into the account by a recovery. For 24 hours it has no withdrawals, new API keys or new approved addresses, with any key, so that the holder can stop somebody else who recovered it.',
    remedy:
      'Wait until the time in `detail`. If the recovery was not yours, have the operator freeze the account at once.',
  },
  address_not_allowlisted: {
    meaning:
      'Withdrawals go only to approved addresses, and this one is not approved for the account and network, or not yet usable.',
    remedy:
      'Have the operator approve it; the entry’s `usableAt` says from when on it can be used. Then send a new `Idempotency-Key`, since this answer is kept under the old one.',
  },
  daily_limit_exceeded: {
    meaning:
      'With this withdrawal the account would exceed its limit for 24 hours, counted in USDT at current prices and without fees. The members `limit`, `used` and `remaining` give the figures.',
    remedy: 'Send at most what remains, or wait until earlier withdrawals are a day old; with a new `Idempotency-Key`.',
  },
  totp_invalid: {
    meaning:
      'The code is wrong, more than one step of 30 seconds old or early, or was used before: each code can be used once. Five wrong codes in a row lead to `withdrawals_locked`.',
    remedy:
      'Wait for the next code. If codes keep failing, set the clock of the device. The same `Idempotency-Key` may be used.',
  },
  insufficient_role: {
    isOperators: true,
    meaning: 'The token or the person is known, but their role may not do this.',
    remedy:
      '`OPERATOR_TOKEN` may use everything, `DEPOSIT_TOKEN` reports deposits, `AUDITOR_TOKEN` reads. What a person may do depends on their roles; `GET /operator/v1/me` names them, and an admin gives them.',
  },
  invalid_origin: {
    isOperators: true,
    meaning:
      'A request that changes something carried the sign-in of a person, but not the Origin of the operator’s console: so it may come from a page of another site.',
    remedy: 'Make the change in the console. A program uses one of the tokens instead of a person’s sign-in.',
  },
  price_unavailable: {
    meaning:
      'There is no firm price at the moment: the venues do not answer, their prices are too old, or they disagree. Orders and withdrawals need a firm price; tickers are shown all the same.',
    remedy: 'Try again after `Retry-After`, usually some seconds. The same `Idempotency-Key` may be used.',
  },
  price_limit_exceeded: {
    meaning:
      'The order named a `limitPrice`, and would have filled at a worse price: above it for a purchase, below it for a sale. Nothing was filled, and the order does not wait for a better price.',
    remedy:
      'Ask `POST /api/v1/orders/preview` what would fill now. To accept that, send the order with another limit and a new `Idempotency-Key`, since this answer is kept under the old one.',
  },
  insufficient_balance: {
    meaning: 'The account has less than the order costs, or less than the withdrawal’s amount and fee together.',
    remedy:
      'Read `GET /api/v1/wallet/balances`, then send less or deposit first; with a new `Idempotency-Key`, since this answer is kept under the old one.',
  },
  order_rejected: {
    meaning:
      'The house cannot take the other side: its inventory or its exposure is at the limit. Nothing was bought or sold.',
    remedy:
      'Send a smaller order, or try later; with a new `Idempotency-Key`, since this answer is kept under the old one.',
  },
  upstream_unavailable: {
    meaning: 'No source of candles answers. Candles have no fallback; tickers still work.',
    remedy: 'Try again after `Retry-After`.',
  },
  not_found: {
    meaning:
      'There is nothing at the path, or the account has no record of that id. The answer is the same for another account’s record.',
    remedy: 'Check the path and the id. All paths of the API begin with `/api/v1`.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method.',
    remedy: 'The header `Allow` lists the methods that it takes.',
  },
  invalid_operator_token: {
    isOperators: true,
    meaning: 'The request carried none of the operator’s tokens, and no valid sign-in of a person.',
    remedy:
      'Send `Authorization: Bearer <token>` with one of the three tokens, or sign in again. An API key is no operator token.',
  },
  invalid_state: {
    meaning: 'The record is in a state that does not allow the request; the detail says which.',
    remedy: 'Read the record again, and decide by its present state.',
  },
  approval_required: {
    isOperators: true,
    meaning: 'Two people must agree on the change, and as many proposals of yours are open as one person can have.',
    remedy: 'Have some of them decided, or take them back; then send the request again: it becomes a proposal.',
  },
  supply_cap_exceeded: {
    isOperators: true,
    meaning: 'The credit would exceed the supply cap: the most that may be owed to clients in that asset.',
    remedy:
      'Check the amount first. If it is right, raise `supplyCaps` in the settings and send the same credit again.',
  },
  service_unavailable: {
    meaning: 'The exchange or its database is overloaded. The order or withdrawal did not take effect.',
    remedy: 'Try again after `Retry-After`, at growing intervals. The same `Idempotency-Key` may be used.',
  },
  outcome_unknown: {
    meaning:
      'The connection to the ledger was lost, so it is not known whether the order or the withdrawal took effect. If its id is known, `orderId` or `withdrawalId` names the record.',
    remedy:
      'Repeat the same request with the same `Idempotency-Key`: it takes effect once, and you get its answer. Without a key, look for the record before you send anything again.',
  },
  internal_error: {
    meaning: 'An error in the exchange. It is recorded in the log under the `requestId`.',
    remedy:
      'Repeat a read. Repeat an order or a withdrawal only with the same `Idempotency-Key`. If it stays, tell the operator the `requestId`.',
  },
};
