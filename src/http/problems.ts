/** One line of the error table. */
export interface ProblemDefinition {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;
  readonly title: string;
  /** The same request may succeed later without a change by the caller. */
  readonly retryable?: true;
  /** The answer is kept for a replay of the Idempotency-Key: only when the refusal is a decision about money. */
  readonly kept?: true;
  /** The status where the path itself names the refused thing, when it differs. */
  readonly statusInPath?: 404;
  /** Members of the body beyond those of every problem; each may be absent. */
  readonly members?: readonly ProblemMember[];
}

/** Members of some problems: the record whose outcome is unknown, or the figures of a limit or a balance. */
export type ProblemMember =
  | 'orderId'
  | 'withdrawalId'
  | 'reference'
  | 'networks'
  | 'limit'
  | 'used'
  | 'remaining'
  | 'asset'
  | 'available'
  | 'required'
  | 'fee';

/**
 * The one table of errors: every code that a client can see, with its status, title and retryability. Codes are
 * stable within v1 and only ever added. Responses, documents and replays are made from it (RFC 9457).
 */
const table = {
  missing_api_key: { status: 401, title: 'API key missing' },
  invalid_api_key: { status: 401, title: 'API key not valid' },
  api_key_expired: { status: 401, title: 'API key expired' },
  insufficient_scope: { status: 403, title: 'API key lacks the scope' },
  ip_not_allowed: { status: 403, title: 'IP address not on the key’s list' },
  invalid_request: { status: 400, title: 'Request not valid' },
  invalid_idempotency_key: { status: 400, title: 'Idempotency-Key not valid' },
  invalid_cursor: { status: 400, title: 'Cursor not valid' },
  events_expired: { status: 410, title: 'Events no longer kept' },
  unsupported_media_type: { status: 415, title: 'Body must be JSON' },
  payload_too_large: { status: 413, title: 'Body too large' },
  account_frozen: { status: 403, title: 'Account frozen' },
  account_recovered: { status: 403, title: 'Account recovered lately' },
  rate_limited: { status: 429, title: 'Rate limit reached', retryable: true },
  idempotency_key_reused: { status: 422, title: 'Idempotency-Key reused' },
  client_order_id_reused: {
    status: 422,
    title: 'clientOrderId reused',
    kept: true,
    members: ['orderId', 'withdrawalId'],
  },
  symbol_not_supported: { status: 422, statusInPath: 404, title: 'Symbol not supported', kept: true },
  amount_below_minimum: { status: 422, title: 'Amount below the minimum', kept: true },
  amount_above_maximum: { status: 422, title: 'Amount above the maximum', kept: true },
  precision_exceeded: { status: 422, title: 'Too many decimals', kept: true },
  withdrawals_suspended: { status: 503, title: 'Withdrawals suspended', retryable: true },
  trading_halted: { status: 503, title: 'Trading halted', retryable: true },
  price_limit_exceeded: { status: 422, title: 'Price worse than the limit', kept: true },
  network_not_supported: { status: 422, title: 'Network not supported', kept: true, members: ['networks'] },
  invalid_address: { status: 422, title: 'Address not valid', kept: true },
  totp_required: { status: 403, title: 'Two-factor code required' },
  withdrawals_locked: { status: 403, title: 'Withdrawals locked', retryable: true },
  address_not_allowlisted: { status: 403, title: 'Address not approved', kept: true },
  daily_limit_exceeded: {
    status: 422,
    title: 'Daily limit reached',
    kept: true,
    members: ['limit', 'used', 'remaining'],
  },
  totp_invalid: { status: 403, title: 'Two-factor code not valid' },
  insufficient_role: { status: 403, title: 'Role does not allow it' },
  invalid_origin: { status: 403, title: 'Not sent by the console' },
  price_unavailable: { status: 503, title: 'No firm price', retryable: true },
  insufficient_balance: {
    status: 422,
    title: 'Balance too small',
    kept: true,
    members: ['asset', 'available', 'required', 'fee'],
  },
  order_rejected: { status: 422, title: 'Order rejected', kept: true },
  upstream_unavailable: { status: 502, title: 'Upstream unavailable', retryable: true },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  invalid_operator_token: { status: 401, title: 'Operator token not valid' },
  approval_required: { status: 409, title: 'Two people needed' },
  invalid_state: { status: 409, title: 'State does not allow it' },
  supply_cap_exceeded: { status: 422, title: 'Supply cap reached' },
  service_unavailable: { status: 503, title: 'Temporarily overloaded', retryable: true },
  outcome_unknown: {
    status: 504,
    title: 'Outcome not yet known',
    retryable: true,
    members: ['orderId', 'withdrawalId', 'reference'],
  },
  internal_error: { status: 500, title: 'Internal error', retryable: true },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof table;

export const problems: Readonly<Record<ProblemCode, ProblemDefinition>> = table;

/** The status of a refusal, which for some codes depends on whether the path names the refused thing. */
export function statusOf(code: ProblemCode, inPath = false): ProblemDefinition['status'] {
  const { status, statusInPath } = problems[code];
  return (inPath && statusInPath) || status;
}
