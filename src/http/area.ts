import type { Context, Hono, MiddlewareHandler, TypedResponse } from 'hono';
import type { Bindings } from '../platform/bindings.ts';
import { routePath } from 'hono/route';
import { logEvent } from '../platform/log.ts';
import { type RouteConfig, type RouteHandler, createRoute, z, OpenAPIHono } from '@hono/zod-openapi';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONValue } from 'hono/utils/types';
import { type HeaderName, headersOf } from './document/headers.ts';
import { type DeclaredProblem, describeProblems } from './document/problem-responses.ts';
import { type Schema, isStrict, parseBody } from './request.ts';
import {
  type Outcome,
  accept,
  refuse,
  refuseFields,
  type Answer,
  type RequestFacts,
  answerProblem,
  type Refusal,
} from './answer.ts';
import { digest } from '../platform/digest.ts';
import { bodyLimit } from 'hono/body-limit';
import { badCursor } from './cursor.ts';
import { type Checked, describeFieldErrors } from './field-errors.ts';

/**
 * Where an answer that anybody may have came from: the isolate, the edge cache, or made anew because the cache had none
 * or failed.
 */
export type AnswerSource = 'isolate' | 'hit' | 'miss' | 'failed';

/** The Hono environment of every route. */
export interface AppEnvironment {
  readonly Bindings: Bindings;
  readonly Variables: {
    requestId: string;
    /** The caller, for the log, once it is known: a key's id, or an operator's role. */
    caller?: string;
    /** Of an answer through the edge cache, for the log. */
    edgeCache?: AnswerSource;
    /** The ledger of a change of the operator's, where no other one can have told anybody of it. */
    changedLedger?: number;
  };
}

/**
 * The part of a request's context that code shared by all routes needs. Variables are read by `get`, since `var` copies
 * all of them each time.
 */
export type RequestContext = Pick<Context<AppEnvironment>, 'req' | 'env' | 'get' | 'header' | 'body'>;

/** A client's own id is echoed when it is at most 128 visible ASCII characters. */
const CLIENT_ID_SYNTAX = /^[!-~]{1,128}$/;

/**
 * Gives every request an id, and every response the header X-Request-Id. It is set before the handler runs, because
 * adding a header to a finished response copies its body.
 */
export const assignRequestId: MiddlewareHandler<AppEnvironment> = (c, next) => {
  const own = c.req.header('X-Request-Id');
  const requestId = own !== undefined && CLIENT_ID_SYNTAX.test(own) ? own : crypto.randomUUID();
  c.set('requestId', requestId);
  c.header('X-Request-Id', requestId);
  return next();
};

/**
 * Refuses what reached the platform over HTTP, which it says in a header: whatever such a request carried, a key above
 * all, could be read on its way. The zone redirects before that, where it is set up as it should be.
 */
export const refuseHttp: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  if (!c.req.header('CF-Visitor')?.includes('"http"')) return next();
  return sendProblem(
    c,
    refuse('invalid_request', 'Use https. A key that was sent over http is known to others: revoke it.'),
  );
};

/**
 * Writes one line for every request: its id, the route that answered (never the path as sent, which may hold anything),
 * the status, the milliseconds, the caller (a key's id, or an operator's role), and
 * where an answer through the edge cache came from.
 */
export const logRequest: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  const begun_ms = Date.now();
  await next();
  logEvent('request', {
    requestId: c.get('requestId'),
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    ms: Date.now() - begun_ms,
    caller: c.get('caller'),
    edgeCache: c.get('edgeCache'),
  });
};

/** The schemas of what a request brings. */
export type RequestParts = NonNullable<RouteConfig['request']>;

/** The schema of an answer's body, or its members. */
export type BodyParts = z.ZodType | Readonly<Record<string, z.ZodType>>;

/** What an operation is, takes, answers and refuses with. */
export interface Operation<Parts extends RequestParts, Body extends BodyParts> {
  readonly operationId: string;
  /** `get` unless told. */
  readonly method?: 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: NonNullable<RouteConfig['parameters']>;
  readonly request?: Parts;
  /** What the answer is: with the status 200, or by its status. */
  readonly answer: string | Readonly<Record<number, string>>;
  readonly headers?: readonly HeaderName[];
  /** Of JSON; what else the answer may be is in `content`. */
  readonly body?: Body;
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType }>>;
  /** Whether it goes through the edge cache. */
  readonly isCacheable?: true;
  /** Beyond those of each operation of its kind, and those of what it takes. */
  readonly refusals?: readonly DeclaredProblem[];
}

/** What the path of an operation names: its parameters, and how it is found. Its refusal is the answer. */
export interface Named<Path extends z.ZodType, Found> {
  readonly params: Path;
  find(bindings: Bindings, path: z.output<Path>, c: Context): Promise<Outcome<Found>>;
}

/** What an operation does with a request, and with what its path names. */
export interface Handled<
  Parts extends RequestParts,
  Body extends BodyParts,
  Given,
  Environment extends AppEnvironment,
  Found,
> {
  readonly of?: Named<z.ZodObject, Found>;
  readonly handle: (c: OperationContext<Parts, Environment>, found: Found) => Answered<Given, Body>;
}

export interface OperationKind {
  readonly tags: string[];
  /** An operation without it is public. */
  readonly security?: NonNullable<RouteConfig['security']>;
  readonly middleware: MiddlewareHandler;
  /** The refusals of the kind, before those of the operation and after them. */
  readonly before?: readonly DeclaredProblem[];
  readonly after?: readonly DeclaredProblem[];
  readonly responses?: object;
}

/** The context of a handler, in which `c.req.valid` gives what the schemas made of the request. */
export type OperationContext<Parts extends RequestParts, Environment extends AppEnvironment> = Parameters<
  RouteHandler<{ method: 'get'; path: string; request: Parts; responses: Record<string, never> }, Environment>
>[0];

/**
 * What a handler returns: the body of the answer, a refusal, or an answer that is written already. Structural typing
 * accepts a body with additional members; here they do not compile, so that no handler answers more than the document
 * says.
 */
export type Answered<Given, Body extends BodyParts> = Promised<
  | Outcome<Given & WithoutExcess<Excess<Given, BodyOf<Body>>>>
  | (Response & TypedResponse<Given, 200, 'json'>)
  | WrittenAnswer
>;

/** The body that the schema of an operation allows. */
export type BodyOf<Body extends BodyParts> = ReadonlyDeep<
  Body extends z.ZodType
    ? z.input<Body>
    : { [Name in keyof Body]: Body[Name] extends z.ZodType ? z.input<Body[Name]> : never }
>;

type Promised<Value> = Value | Promise<Value>;

type ReadonlyDeep<Value> = Value extends object ? { readonly [Name in keyof Value]: ReadonlyDeep<Value[Name]> } : Value;

type WithoutExcess<Names> = [Names] extends [never] ? unknown : { readonly notInTheResponseSchema: Names };

/** The names of the members, at any depth, that `Given` has and `Declared` has not. A schema may allow any JSON. */
type Excess<Given, Declared> = JSONValue extends Declared
  ? never
  : Given extends readonly (infer Item)[]
    ? Declared extends readonly (infer DeclaredItem)[]
      ? Excess<Item, DeclaredItem>
      : never
    : Given extends object
      ? {
          [Name in keyof Given]-?: Name extends NamesOf<Declared>
            ? Excess<Given[Name], MemberOf<Declared, Name>>
            : Name;
        }[keyof Given]
      : never;

type NamesOf<Union> = Union extends Union ? keyof Union : never;

type MemberOf<Union, Name extends PropertyKey> = Union extends { readonly [Each in Name]?: infer Member }
  ? Member
  : never;

/**
 * Adds an operation to an area: documented as it is declared, with its requests checked by its schemas. An operation that
 * is not public takes no query parameter that it does not name: a misspelt `limit` would give another page. Throws when
 * the Worker starts if the query of such an operation is not a `z.strictObject`.
 */
export function addOperation<
  Environment extends AppEnvironment,
  Given extends BodyOf<Body>,
  Found,
  const Parts extends RequestParts = object,
  Body extends BodyParts = BodyParts,
>(
  area: Area,
  kind: OperationKind,
  operation: Operation<Parts, Body> & Handled<Parts, Body, Given, Environment, Found>,
): void {
  const { answer, headers, body, content, isCacheable, refusals = [], request, of, handle } = operation;
  const { operationId, method = 'get', path, summary, description, parameters } = operation;
  const { before = [], after = [], responses, tags, ...common } = kind;
  const answers = typeof answer === 'string' ? { 200: answer } : answer;
  const described = {
    ...((headers ?? isCacheable) && { headers: headersOf(...(headers ?? cacheHeaders)) }),
    content: { ...(body && jsonContent(body)), ...content },
  };
  const ofPath = of ? (['not_found'] as const) : [];
  const problems = [...refusalsOf(request ?? {}), ...before, ...ofPath, ...refusals, ...after, ...general];
  const query = request?.query ?? (kind.security && z.strictObject({}));
  if (kind.security && !isStrict(query as unknown as Schema)) {
    throw new TypeError(`${path} takes unknown query parameters`);
  }
  const route = createRoute({
    method,
    path,
    operationId,
    tags,
    summary,
    description,
    ...common,
    ...(parameters && { parameters }),
    request: { ...request, ...(of && { params: of.params }), ...(query && { query }) },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([code, meaning]) => [code, { description: meaning, ...described }]),
      ),
      ...(isCacheable && {
        304: { description: 'Nothing has changed since the ETag in If-None-Match', headers: described.headers },
      }),
      ...responses,
      ...describeProblems(problems),
    },
  } as RouteConfig);
  // With several answers the handler sets the status.
  const [status, ...others] = Object.keys(answers).map(Number);
  area.openapi(route, async (c) => {
    const found = of ? await of.find(c.env, c.req.valid('param' as never), c) : accept(undefined as Found);
    const answered = found.ok ? await handle(c as unknown as OperationContext<Parts, Environment>, found.value) : found;
    if (answered instanceof Response) return answered;
    if (!answered.ok) return sendProblem(c, answered);
    return c.json(answered.value as object, others.length === 0 ? (status as ContentfulStatusCode) : undefined);
  });
}

/** An area of operations of one kind, which `kindOf` tells by what they say beyond every other. */
export function createAreaOf<Environment extends AppEnvironment, Own extends object = object>(
  kindOf: (operation: Own & Pick<Operation<RequestParts, BodyParts>, 'method' | 'request'>) => OperationKind,
) {
  const area = createArea();
  const add = <
    Given extends BodyOf<Body>,
    Found,
    const Parts extends RequestParts = object,
    Body extends BodyParts = BodyParts,
  >(
    operation: Operation<Parts, Body> & Handled<Parts, Body, Given, Environment, Found> & Own,
  ): void => addOperation(area, kindOf(operation), operation as never);
  return Object.assign(area, { add });
}

const cacheHeaders = ['ETag', 'Cache-Control', 'X-Edge-Cache'] as const;

/** A documented JSON answer. */
export function jsonContent(body: BodyParts) {
  return { 'application/json': { schema: body instanceof z.ZodType ? body : z.object(body) } };
}

/** Refusals that any operation may give. */
const general = ['service_unavailable', 'internal_error'] as const;

function refusalsOf({ body, query }: RequestParts): DeclaredProblem[] {
  return [
    ...(body || query ? (['invalid_request'] as const) : []),
    ...(body ? (['unsupported_media_type', 'payload_too_large'] as const) : []),
    ...(query && 'shape' in query && 'cursor' in query.shape ? (['invalid_cursor'] as const) : []),
  ];
}

/** How the header is documented; `readIdempotencyKey` is what reads it. */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request take effect at most once in 24 hours, however often it is sent: 1 to 255 visible ASCII characters, of your choice, new for every new request. It is valid for one API key.',
  schema: { type: 'string' },
  example: 'b7c4b1b2-6d4e-4f1c-9a53-0a4d2f9f6f10',
} as const;

const KEY_SYNTAX = /^[!-~]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/**
 * Reads the header Idempotency-Key (spec, "Limits"): `null` where there is none, since it is optional. A quoted value
 * equals the bare one. Refuses with `invalid_idempotency_key`.
 */
export function readIdempotencyKey(header: string | undefined): Outcome<string | null> {
  if (header === undefined) return accept(null);
  const key = QUOTED.exec(header)?.[1] ?? header;
  if (KEY_SYNTAX.test(key)) return accept(key);
  return refuse('invalid_idempotency_key', 'An Idempotency-Key is 1 to 255 visible ASCII characters.');
}

/**
 * The fingerprint of a POST: a digest of method, route and validated body. The body is as the schema gave it, so
 * the order of its fields does not change it; amounts count as they were sent.
 */
export function fingerprint(
  method: string,
  route: string,
  body: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const fields = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digest(JSON.stringify([method, route, fields]));
}

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
    defaultHook: (result, c: Context<AppEnvironment>) => {
      if (result.success) return undefined;
      // The validator also gives what it checked, which its type does not say.
      const errors = describeFieldErrors(result.error, result as unknown as Checked);
      const isCursor = errors.every(({ pointer, code }) => pointer === 'cursor' && code !== 'unknown_parameter');
      return sendProblem(c, isCursor ? badCursor : refuseFields(errors));
    },
  });
}

/**
 * Parses a JSON body of at most this many bytes, before any schema checks it. Refuses with `unsupported_media_type`,
 * `payload_too_large`, and `invalid_request` for a body that is not JSON.
 */
export function takeJsonUpTo(maxBytes = MAX_BODY_BYTES): MiddlewareHandler<AppEnvironment> {
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
