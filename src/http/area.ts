import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context, Hono, MiddlewareHandler, TypedResponse } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { AddRoute } from './add-route.ts';
import { type Answer, type RequestFacts, answerProblem } from './answer.ts';
import type { AppEnvironment, RequestContext } from './context.ts';
import { headersOf } from './document/headers.ts';
import { type DeclaredProblem, describeProblems } from './document/problem-responses.ts';
import type { ProblemCode } from './problems.ts';
import { FixedPathRouter } from './fixed-path-router.ts';
import { badCursor } from './cursor.ts';
import { type Checked, describeFieldErrors } from './field-errors.ts';
import { type Schema, isStrict, parseBody } from './json-body.ts';
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
export type Area = Hono<AppEnvironment> &
  Pick<OpenAPIHono<AppEnvironment>, 'openAPIRegistry'> & { readonly openapi: AddRoute };

/**
 * Makes the router of one area. Its routes validate requests with their own zod schemas. A request that fails
 * validation gets one refusal, `invalid_request`, that names every invalid field.
 */
export function createArea(): Area {
  const area = new OpenAPIHono<AppEnvironment>({
    router: new FixedPathRouter(),
    defaultHook: (result, c: Context<AppEnvironment>) => {
      if (result.success) return undefined;
      // The validator also gives what it checked, which its type does not say.
      const errors = describeFieldErrors(result.error, result as unknown as Checked);
      const isCursor = errors.every(({ pointer, code }) => pointer === 'cursor' && code !== 'unknown_parameter');
      return sendProblem(c, isCursor ? badCursor : refuse('invalid_request', 'The request is not valid.', { errors }));
    },
  });
  const add = area.openapi as unknown as AddRoute;
  const openapi: AddRoute = (route, handler) => add(closeQuery(route), handler);
  return Object.assign(area as Pick<Area, keyof typeof area & keyof Area>, { openapi }) as Area;
}

/**
 * A route that needs a key takes no query parameter that it does not name: a misspelt `limit` would give another page.
 * Public routes ignore them. Throws when the Worker starts if such a route's query is not a `z.strictObject`.
 */
function closeQuery<Route extends RouteConfig>(route: Route): Route {
  if (!route.security) return route;
  const query = route.request?.query ?? z.strictObject({});
  if (!isStrict(query as unknown as Schema)) throw new TypeError(`${route.path} takes unknown query parameters`);
  return { ...route, request: { ...route.request, query } };
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

/** Refusals that any route may give. */
const general: readonly ProblemCode[] = ['service_unavailable', 'internal_error'];

/** The refusals of a body that is taken as JSON. */
export const bodyRefusals = [
  'invalid_request',
  'unsupported_media_type',
  'payload_too_large',
] as const satisfies readonly ProblemCode[];

/**
 * The documented responses of an operation's refusals, from the one table; spread into `responses`. They are hidden
 * from Hono's types, so that a handler returns either a `WrittenAnswer`, or a body that fits the schema of its
 * response.
 */
export function problemResponses(...declared: DeclaredProblem[]): object {
  return describeProblems([...declared, ...general]);
}

/** A documented JSON answer. */
export function jsonContent<T extends z.ZodType>(schema: T) {
  return { 'application/json': { schema } };
}

/**
 * The documented answers of an operation that goes through the edge cache. 304, which has no body, is hidden from
 * Hono's types.
 */
export function cacheableResponses<T extends z.ZodType>(description: string, schema: T) {
  const headers = headersOf('ETag', 'Cache-Control');
  const notModified: object = {
    304: { description: 'Nothing has changed since the ETag in If-None-Match', headers },
  };
  return { 200: { description, headers, content: jsonContent(schema) }, ...notModified };
}
