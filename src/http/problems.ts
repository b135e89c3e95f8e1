/** One line of the error table. */
export interface ProblemDefinition {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;
  readonly title: string;
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /**
   * Whether the answer is kept for a replay of the Idempotency-Key: only when the refusal is a decision about money.
   */
  readonly kept: boolean;
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
export const problems = {
  missing_api_key: { status: 401, title: 'API key missing', retryable: false, kept: false },
  invalid_api_key: { status: 401, title: 'API key not valid', retryable: false, kept: false },
  api_key_expired: { status: 401, title: 'API key expired', retryable: false, kept: false },
  insufficient_scope: { status: 403, title: 'API key lacks the scope', retryable: false, kept: false },
  ip_not_allowed: { status: 403, title: 'IP address not on the key’s list', retryable: false, kept: false },
  invalid_request: { status: 400, title: 'Request not valid', retryable: false, kept: false },
  invalid_idempotency_key: { status: 400, title: 'Idempotency-Key not valid', retryable: false, kept: false },
  invalid_cursor: { status: 400, title: 'Cursor not valid', retryable: false, kept: false },
  events_expired: { status: 410, title: 'Events no longer kept', retryable: false, kept: false },
  unsupported_media_type: { status: 415, title: 'Body must be JSON', retryable: false, kept: false },
  payload_too_large: { status: 413, title: 'Body too large', retryable: false, kept: false },
  account_frozen: { status: 403, title: 'Account frozen', retryable: false, kept: false },
  account_recovered: { status: 403, title: 'Account recovered lately', retryable: false, kept: false },
  rate_limited: { status: 429, title: 'Rate limit reached', retryable: true, kept: false },
  idempotency_key_reused: { status: 422, title: 'Idempotency-Key reused', retryable: false, kept: false },
  symbol_not_supported: {
    status: 422,
    statusInPath: 404,
    title: 'Symbol not supported',
    retryable: false,
    kept: true,
  },
  amount_below_minimum: { status: 422, title: 'Amount below the minimum', retryable: false, kept: true },
  amount_above_maximum: { status: 422, title: 'Amount above the maximum', retryable: false, kept: true },
  precision_exceeded: { status: 422, title: 'Too many decimals', retryable: false, kept: true },
  withdrawals_suspended: { status: 503, title: 'Withdrawals suspended', retryable: true, kept: false },
  trading_halted: { status: 503, title: 'Trading halted', retryable: true, kept: false },
  price_limit_exceeded: { status: 422, title: 'Price worse than the limit', retryable: false, kept: true },
  network_not_supported: {
    status: 422,
    title: 'Network not supported',
    retryable: false,
    kept: true,
    members: ['networks'],
  },
  invalid_address: { status: 422, title: 'Address not valid', retryable: false, kept: true },
  totp_required: { status: 403, title: 'Two-factor code required', retryable: false, kept: false },
  withdrawals_locked: { status: 403, title: 'Withdrawals locked', retryable: true, kept: false },
  address_not_allowlisted: { status: 403, title: 'Address not approved', retryable: false, kept: true },
  daily_limit_exceeded: {
    status: 422,
    title: 'Daily limit reached',
    retryable: false,
    kept: true,
    members: ['limit', 'used', 'remaining'],
  },
  totp_invalid: { status: 403, title: 'Two-factor code not valid', retryable: false, kept: false },
  insufficient_role: { status: 403, title: 'Role does not allow it', retryable: false, kept: false },
  invalid_origin: { status: 403, title: 'Not sent by the console', retryable: false, kept: false },
  price_unavailable: { status: 503, title: 'No firm price', retryable: true, kept: false },
  insufficient_balance: {
    status: 422,
    title: 'Balance too small',
    retryable: false,
    kept: true,
    members: ['asset', 'available', 'required', 'fee'],
  },
  order_rejected: { status: 422, title: 'Order rejected', retryable: false, kept: true },
  upstream_unavailable: { status: 502, title: 'Upstream unavailable', retryable: true, kept: false },
  not_found: { status: 404, title: 'Not found', retryable: false, kept: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false, kept: false },
  invalid_operator_token: { status: 401, title: 'Operator token not valid', retryable: false, kept: false },
  approval_required: { status: 409, title: 'Two people needed', retryable: false, kept: false },
  invalid_state: { status: 409, title: 'State does not allow it', retryable: false, kept: false },
  supply_cap_exceeded: { status: 422, title: 'Supply cap reached', retryable: false, kept: false },
  service_unavailable: { status: 503, title: 'Temporarily overloaded', retryable: true, kept: false },
  outcome_unknown: {
    status: 504,
    title: 'Outcome not yet known',
    retryable: true,
    kept: false,
    members: ['orderId', 'withdrawalId', 'reference'],
  },
  internal_error: { status: 500, title: 'Internal error', retryable: true, kept: false },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problems;

/** The line of a code. */
export function definitionOf(code: ProblemCode): ProblemDefinition {
  return problems[code];
}

/** The status of a refusal, which for some codes depends on whether the path names the refused thing. */
export function statusOf(code: ProblemCode, inPath = false): ProblemDefinition['status'] {
  const { status, statusInPath } = definitionOf(code);
  return (inPath && statusInPath) || status;
}
