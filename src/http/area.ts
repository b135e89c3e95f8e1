import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, Hono, MiddlewareHandler, TypedResponse } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Answer, type RequestFacts, answerProblem } from './answer.ts';
import type { AppEnvironment, RequestContext } from './context.ts';
import { FixedPathRouter } from './fixed-path-router.ts';
import { badCursor } from './cursor.ts';
import { type Checked, describeFieldErrors } from './field-errors.ts';
import { parseBody } from './json-body.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The largest body of a request, except for uploads. */
const MAX_BODY_BYTES = 16 * 1024;

/** The facts about the request that a problem shows. */
export function factsOf(c: RequestContext): RequestFacts {
  return { requestId: c.get('requestId'), url: c.req.url, path: c.req.path };
}

/** A finished answer that a route passes on: a problem, or a lane's answer. Any route may send one. */
export type WrittenAnswer = Response & TypedResponse<never, never, never>;

/** Sends an answer, with the headers that were set on the way. */
export function send(c: RequestContext, { body, status, headers }: Answer): WrittenAnswer {
  // As a third argument, and not as `init.headers`, from which Hono would make a `Headers` object more.
  return c.body(body, status as 200, { ...headers }) as Response as WrittenAnswer;
}

/** Sends a refusal as problem+json. */
export function sendProblem(c: RequestContext, refusal: Refusal): WrittenAnswer {
  return send(c, answerProblem(refusal, factsOf(c)));
}

/** The router of one area. */
export type Area = Hono<AppEnvironment> & Pick<OpenAPIHono<AppEnvironment>, 'openAPIRegistry' | 'openapi'>;

/**
 * Makes the router of one area. Its operations validate requests with their own zod schemas. A request that fails
 * validation gets one refusal, `invalid_request`, that names every invalid field.
 */
export function createArea(): Area {
  return new OpenAPIHono<AppEnvironment>({
    router: new FixedPathRouter(),
    defaultHook: (result, c: Context<AppEnvironment>) => {
      if (result.success) return undefined;
      // The validator also gives what it checked, which its type does not say.
      const errors = describeFieldErrors(result.error, result as unknown as Checked);
      const isCursor = errors.every(({ pointer, code }) => pointer === 'cursor' && code !== 'unknown_parameter');
      return sendProblem(c, isCursor ? badCursor : refuse('invalid_request', 'The request is not valid.', { errors }));
    },
  });
}

/**
 * Parses a JSON body of at most this many bytes, before any schema checks it. Refuses with `unsupported_media_type`,
 * `payload_too_large`, and `invalid_request` for a body that is not JSON.
 */
export function takeJsonUpTo(maxBytes: number): MiddlewareHandler<AppEnvironment> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: (c: Context<AppEnvironment>) =>
      sendProblem(c, refuse('payload_too_large', `The body is larger than ${maxBytes} bytes.`)),
  });
  return async (c, next) => {
    const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
    if (mediaType !== 'application/json') return sendProblem(c, notJson);
    let isRead = false;
    let refused: WrittenAnswer | undefined;
    try {
      const limited = await limit(c, async () => {
        const text = await c.req.text();
        isRead = true;
        const body = parseBody(text);
        if (body.ok) await next();
        else refused = sendProblem(c, body);
      });
      return limited ?? refused;
    } catch (error) {
      if (isRead) throw error;
      return sendProblem(c, brokenOff);
    }
  };
}

const notJson = refuse('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');

const brokenOff = refuse('invalid_request', 'The body did not arrive whole.');

/** The same for a body of at most 16 KiB: every request's except an upload's. */
export const takeJson: MiddlewareHandler<AppEnvironment> = takeJsonUpTo(MAX_BODY_BYTES);
