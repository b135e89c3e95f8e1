import { type RouteConfig, type RouteHandler, createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONValue } from 'hono/utils/types';
import { type Area, type WrittenAnswer, sendProblem } from './area.ts';
import type { AppEnvironment } from './context.ts';
import { type HeaderName, headersOf } from './document/headers.ts';
import { type DeclaredProblem, describeProblems } from './document/problem-responses.ts';
import { type Schema, isStrict } from './json-body.ts';
import type { Outcome } from './refusal.ts';

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

/** What an operation does with a request. */
export interface Handled<
  Parts extends RequestParts,
  Body extends BodyParts,
  Given,
  Environment extends AppEnvironment,
> {
  readonly handle: (c: OperationContext<Parts, Environment>) => Answered<Given, Body>;
}

/** What all operations of a kind have in common. */
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
 * accepts a body with additional members; here they do not compile, so that no handler answers more than the document says.
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

/** The names of the members of any type of a union. */
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
  const Parts extends RequestParts = object,
  Body extends BodyParts = BodyParts,
>(area: Area, kind: OperationKind, operation: Operation<Parts, Body> & Handled<Parts, Body, Given, Environment>): void {
  const { answer, headers, body, content, isCacheable, refusals, request, handle, ...rest } = operation;
  const { operationId, summary, description, ...named } = rest;
  const { before = [], after = [], responses, tags, ...common } = kind;
  const answers = typeof answer === 'string' ? { 200: answer } : answer;
  const described = {
    ...((headers ?? isCacheable) && { headers: headersOf(...(headers ?? cacheHeaders)) }),
    content: { ...(body && jsonContent(body)), ...content },
  };
  const problems = [...refusalsOf(request ?? {}), ...before, ...(refusals ?? []), ...after, ...general];
  const query = request?.query ?? (kind.security && z.strictObject({}));
  if (kind.security && !isStrict(query as unknown as Schema)) {
    throw new TypeError(`${operation.path} takes unknown query parameters`);
  }
  const route = createRoute({
    method: 'get',
    operationId,
    tags,
    summary,
    description,
    ...common,
    ...named,
    request: { ...request, ...(query && { query }) },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([of, meaning]) => [of, { description: meaning, ...described }]),
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
    const answered = await handle(c as unknown as OperationContext<Parts, Environment>);
    if (answered instanceof Response) return answered;
    if (!answered.ok) return sendProblem(c, answered);
    return c.json(answered.value as object, others.length === 0 ? (status as ContentfulStatusCode) : undefined);
  });
}

const cacheHeaders = ['ETag', 'Cache-Control'] as const;

/** A documented JSON answer. */
export function jsonContent(body: BodyParts) {
  return { 'application/json': { schema: body instanceof z.ZodType ? body : z.object(body) } };
}

/** Refusals that any operation may give. */
const general = ['service_unavailable', 'internal_error'] as const;

/** The refusals of what a request brings. */
function refusalsOf({ body, query }: RequestParts): DeclaredProblem[] {
  return [
    ...(body || query ? (['invalid_request'] as const) : []),
    ...(body ? (['unsupported_media_type', 'payload_too_large'] as const) : []),
    ...(query && 'shape' in query && 'cursor' in query.shape ? (['invalid_cursor'] as const) : []),
  ];
}
