import type { z } from 'zod';
import { describeFieldErrors } from '../../../src/http/field-errors.ts';
import { parseBody } from '../../../src/http/request.ts';
import { accept, refuse } from '../../../src/http/answer.ts';
import type { ConsoleContext } from './context.ts';
import type { Outcome } from './refusals.ts';

/** The largest body of a request, as at the exchange. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * The JSON body of a request, checked only for its size and its form. Refuses with `unsupported_media_type`,
 * `payload_too_large` and `invalid_request`.
 */
export async function readJson(c: ConsoleContext): Promise<Outcome<unknown>> {
  const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    return refuse('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  const bytes = await readBytes(c.req.raw);
  if (!bytes) return refuse('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  return parseBody(new TextDecoder().decode(bytes));
}

/** The same, checked against a schema. Refuses with `invalid_request`, naming every field. */
export async function readBody<T extends z.ZodType>(c: ConsoleContext, schema: T): Promise<Outcome<z.output<T>>> {
  const body = await readJson(c);
  if (!body.ok) return body;
  const parsed = schema.safeParse(body.value);
  if (parsed.success) return accept(parsed.data);
  const errors = describeFieldErrors(parsed.error, { target: 'json', data: body.value });
  return refuse('invalid_request', 'The request is not valid.', { errors });
}

/** The bytes of a body; `undefined` beyond the limit, after which nothing is read. */
export async function readBytes(request: Request): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.byteLength;
    if (length > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
