import { z } from '@hono/zod-openapi';
import { AMOUNT_SYNTAX } from '../money/amounts.ts';
import { upperSymbol } from '../money/assets.ts';

/** A time on the wire: ISO 8601, UTC, milliseconds. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .openapi({ description: 'ISO 8601, UTC, milliseconds', example: '2026-11-21T12:00:00.000Z' });

/** A time as it is shown, from milliseconds; `null` stays. */
export function showTime<Time extends number | null>(time_ms: Time): Time extends number ? string : null;
export function showTime(time_ms: number | null): string | null {
  return time_ms === null ? null : new Date(time_ms).toISOString();
}

/** A whole number in a query, of at most so many digits; `fault` says what any other text is. */
export function wholeNumber(digits: number, fault: string) {
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`), fault)
    .transform(Number);
}

/** One of some symbols in a request, in any case. */
export function symbolIn<const Listed extends string>(symbols: readonly Listed[], description?: string) {
  return z
    .string()
    .transform(upperSymbol)
    .pipe(z.enum(symbols))
    .openapi({ type: 'string', enum: [...symbols], ...(description && { description }), example: 'BTC' });
}

/** How many of something a query asks for. A count out of bounds is refused, not corrected. */
export function countUpTo(maximum: number, usual: number, what: string) {
  return wholeNumber(4, 'is not a whole number')
    .pipe(z.number().int().min(1).max(maximum))
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum,
      default: usual,
      description: `${what}; a value out of bounds is refused`,
    });
}

/** An amount, a price or a value as it is shown: no sign, no exponent, no trailing zeros, zero is "0". */
export const Decimal = z
  .string()
  .regex(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
  .openapi({ description: 'Plain decimal', example: '0.015' });

/** An amount that a client or an operator sends. */
export const Amount = z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "0.015"');

/** An amount that may be below zero, in the same form. */
export const SignedDecimal = z
  .string()
  .regex(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
  .openapi({ description: 'Plain decimal, with a minus below zero', example: '-130' });

/** The id of a record: a UUIDv7, which sorts by its time. */
export const Id = z.string().openapi({
  description: 'UUIDv7; the three digits after its 7 are the ledger that holds it',
  example: '01a1fcca-895a-7000-b43c-11f474a4f8d5',
});

/** The client's own name for an order or a withdrawal. */
export const ClientOrderId = z
  .string()
  .regex(/^[\x21-\x7e]{1,64}$/, 'is not 1 to 64 visible ASCII characters')
  .openapi({ description: 'The client’s own name for it', example: 'rebalance-2026-11-21' });

/** The same in a request. */
export const NewClientOrderId = ClientOrderId.optional().openapi({
  description:
    'Your own name for it: 1 to 64 visible ASCII characters. Each account uses one once, for good. A second use is `client_order_id_reused`, and a repetition with the same `Idempotency-Key` is still answered as the first',
});

const MAX_REASON_LENGTH = 500;

/** Why somebody of the staff decided something, for the audit. */
export const Reason = z
  .string()
  .min(1)
  .max(MAX_REASON_LENGTH)
  .openapi({ description: 'For the audit', example: 'confirmed by phone' });

/** The path of one record. Unknown ids are 404; the handler decides. */
export const RecordPath = z.object({ id: Id });
