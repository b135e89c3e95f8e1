import type { paths } from './schema.d.ts';

type Method = 'get' | 'post';

/** The paths that take a method. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

/** The operation behind a method and a path, as the document describes it. */
type OperationOf<M extends Method, P extends PathOf<M>> = Extract<paths[P][M], { responses: unknown }>;

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : { body?: never };

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Omit<Parameters, 'cookie'> : object;

/** What an operation takes: its parameters by where they stand, and its body. */
export type Options<Operation> = ParametersOf<Operation> & BodyOf<Operation>;

type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;

/** What an operation may answer; its `status` tells which body it is. */
export type Answer<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: {
        readonly status: Status;
        readonly headers: Headers;
        readonly body: ContentOf<Responses[Status]>;
      };
    }[keyof Responses]
  : never;

/** Where the exchange is, and how it is reached. */
export interface Connection {
  readonly origin: string;
  readonly apiKey?: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

interface AnyOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/**
 * Calls an operation with exactly what its document allows, and gives what the document promises. A refusal is an
 * answer like any other; rejects only as `fetch` does.
 */
export async function call<M extends Method, P extends PathOf<M>>(
  connection: Connection,
  method: M,
  path: P,
  ...[options]: object extends Options<OperationOf<M, P>>
    ? [options?: Options<OperationOf<M, P>>]
    : [options: Options<OperationOf<M, P>>]
): Promise<Answer<OperationOf<M, P>>> {
  const { path: places = {}, query = {}, header = {}, body } = (options ?? {}) as AnyOptions;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ''));
  const url = new URL(filled, connection.origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = new Headers();
  for (const [name, value] of Object.entries(header)) if (value !== undefined) headers.set(name, value);
  if (connection.apiKey !== undefined) headers.set('Authorization', `Bearer ${connection.apiKey}`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const response = await connection.fetch(url.href, {
    method: method.toUpperCase(),
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  } as Answer<OperationOf<M, P>>;
}
