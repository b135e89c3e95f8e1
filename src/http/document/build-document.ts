import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { ProblemCode } from '../problems.ts';
import { type ExampleSchema, composeExample } from './compose-example.ts';
import { headerComponents, headersOfStatus, rateHeadersOf } from './headers.ts';
import { exampleOfProblem } from './problem-examples.ts';
import { Problem } from './problem-responses.ts';
import { parameterComponents, parametersOf } from './request-headers.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

type Frame = Parameters<OpenAPIHono['getOpenAPI31Document']>[0];
type PathItem = NonNullable<OpenApiDocument['paths']>[string];
type Operation = NonNullable<PathItem['get']>;
type Components = NonNullable<OpenApiDocument['components']>;
type SecurityScheme = NonNullable<Components['securitySchemes']>[string];

/** The parts of a document that are not routes. */
export interface DocumentFrame extends Omit<Frame, 'openapi'> {
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The optional security of routes that name none. */
  readonly publicSecurity: NonNullable<Operation['security']>;
  /** What the exchange itself sends, one for each type. */
  readonly events?: readonly SentEvent[];
}

/** A type of event that the exchange sends. */
export interface SentEvent {
  readonly type: string;
  readonly summary: string;
  /** The name of its schema among the components. */
  readonly schema: string;
  /** The members of the record by which the schema's example becomes one of this type. */
  readonly shown: object;
}

interface DeclaredResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, DeclaredContent>>;
}

interface DeclaredContent {
  readonly schema: ExampleSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

type Schemas = Readonly<Record<string, ExampleSchema>>;

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The OpenAPI 3.1 document of the given routes, made of the schemas that validate their requests: with every header,
 * an example of every body and parameter, and the components that they name. Pure, and the same for the same routes.
 */
export function buildDocument(routes: readonly RouteConfig[], frame: DocumentFrame): OpenApiDocument {
  const { securitySchemes, publicSecurity, events = [], ...head } = frame;
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.register('Problem', Problem);
  for (const route of routes) openAPIRegistry.registerPath(route);
  const { webhooks: _webhooks, ...drawn } = getOpenAPI31Document(
    { openapi: '3.1.0', ...head },
    { sortComponents: 'alphabetically' },
  );
  const schemas = (drawn.components?.schemas ?? {}) as Schemas;
  const paths = Object.fromEntries(
    Object.entries(drawn.paths ?? {}).map(([path, item]) => [path, completePath(item, schemas, publicSecurity)]),
  );
  const used = JSON.stringify(paths);
  return {
    ...drawn,
    paths,
    ...(events.length > 0 && { webhooks: describeEvents(events, schemas) }),
    components: {
      schemas: drawn.components?.schemas ?? {},
      parameters: pickUsed('parameters', parameterComponents, used),
      headers: pickUsed('headers', headerComponents, used),
      examples: describeExamples(used),
      securitySchemes: { ...securitySchemes },
    },
  };
}

/** The events by their types, as OpenAPI's `webhooks` (OpenAPI 3.1, 4.8.1). */
function describeEvents(events: readonly SentEvent[], schemas: Schemas): NonNullable<OpenApiDocument['webhooks']> {
  const described = events.map(({ type, summary, schema, shown }) => {
    const reference = { $ref: `#/components/schemas/${schema}` };
    const composed = composeExample(reference, schemas) as { readonly data: Readonly<Record<string, object>> };
    const data = Object.entries(composed.data).map(([name, record]) => [name, { ...record, ...shown }] as const);
    const example = { ...composed, type, data: Object.fromEntries(data) };
    const operation = {
      operationId: type.replaceAll(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      tags: ['Events'],
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: reference, example } } },
      responses: { '2XX': { description: 'It was received' } },
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(described);
}

function completePath(item: PathItem, schemas: Schemas, publicSecurity: DocumentFrame['publicSecurity']): PathItem {
  const completed = { ...item };
  for (const method of methods) {
    const operation = item[method];
    if (operation) completed[method] = completeOperation(operation, schemas, publicSecurity);
  }
  return completed;
}

function completeOperation(
  operation: Operation,
  schemas: Schemas,
  publicSecurity: DocumentFrame['publicSecurity'],
): Operation {
  const responses = (operation.responses ?? {}) as Readonly<Record<string, DeclaredResponse>>;
  const counted = operation.security ? operation.security.some((one) => 'apiKey' in one) : undefined;
  return {
    ...operation,
    security: operation.security ?? publicSecurity,
    parameters: parametersOf(operation.parameters ?? [], Object.keys(responses)),
    ...(operation.requestBody && { requestBody: withExample(operation.requestBody as DeclaredResponse, schemas) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        { ...withExample(response, schemas), headers: completeHeaders(Number(status), response, counted) },
      ]),
    ),
  } as Operation;
}

/** `isCounted`: in a bucket of its key; `undefined` where a key is optional. */
function completeHeaders(status: number, response: DeclaredResponse, isCounted: boolean | undefined) {
  const isSuccess = status < 400;
  return {
    ...headersOfStatus(status),
    ...response.headers,
    ...(isCounted !== false && isSuccess && rateHeadersOf(isCounted === true)),
    ...(isCounted !== false && status === 429 && rateHeadersOf(false)),
  };
}

function withExample<T extends Pick<DeclaredResponse, 'content'>>(described: T, schemas: Schemas): T {
  if (!described.content) return described;
  const content = Object.entries(described.content).map(([type, declared]) => [
    type,
    declared.examples ? declared : { ...declared, example: composeExample(declared.schema, schemas) },
  ]);
  return { ...described, content: Object.fromEntries(content) };
}

function pickUsed<T>(kind: string, components: Readonly<Record<string, T>>, used: string): Record<string, T> {
  const isUsed = ([name]: readonly [string, T]) => used.includes(`"#/components/${kind}/${name}"`);
  return Object.fromEntries(Object.entries(components).filter(isUsed));
}

const IN_PATH = '_in_path';

function describeExamples(used: string) {
  const names = new Set(Array.from(used.matchAll(/#\/components\/examples\/(\w+)/g), ([, name = '']) => name));
  return Object.fromEntries(
    [...names].toSorted().map((name) => {
      const code = name.replace(IN_PATH, '') as ProblemCode;
      return [name, { value: exampleOfProblem(code, name.endsWith(IN_PATH)) }];
    }),
  );
}
