import { type Schema, Validator } from '@cfworker/json-schema';
import { type JsonSchema, type Schemas, closeSchema, standAlone } from './closed-schema.ts';

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface DocumentedResponse extends Body {
  readonly headers?: Readonly<Record<string, Header>>;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
  readonly parameterCount: number;
  readonly requestBody: Body | undefined;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly schemas: Schemas;
  readonly headers: Readonly<Record<string, Header>>;
}

/** The part of a document that responses are checked against. */
interface Document {
  readonly paths?: Readonly<Record<string, { readonly [method in (typeof methods)[number]]?: DocumentedOperation }>>;
  readonly components?: { readonly schemas?: Schemas; readonly headers?: Readonly<Record<string, Header>> };
}

interface DocumentedOperation {
  readonly operationId?: string;
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, DocumentedResponse>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The operations of a document. When several paths match, one without parameters comes first, as in the router. */
export function listOperations(document: object): Operation[] {
  const { components, paths } = document as Document;
  const { schemas = {}, headers = {} } = components ?? {};
  const operations = Object.entries(paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      return {
        id: operation.operationId ?? '',
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        parameterCount: path.split('{').length - 1,
        requestBody: operation.requestBody,
        responses: operation.responses ?? {},
        schemas,
        headers,
      };
    }),
  );
  return operations.toSorted((one, other) => one.parameterCount - other.parameterCount);
}

/** The part of a request that its document describes. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
}

/**
 * Throws unless a response is as documented: the status, every required header, the content type, a body without any
 * other field, and one of the operation's codes. A request that is no operation must get a problem: 404, or 405 with
 * the methods of the path.
 */
export async function expectDocumented(
  request: SentRequest,
  response: Response,
  operations: readonly Operation[],
): Promise<void> {
  const fault = await findFault(request, response, operations);
  if (fault !== undefined) throw new Error(`${request.method} ${request.path} -> ${response.status}: ${fault}`);
}

export async function findFault(
  request: SentRequest,
  response: Response,
  operations: readonly Operation[],
): Promise<string | undefined> {
  const text = await response.clone().text();
  if (request.method === 'OPTIONS' && response.status === 204) return findFaultOfAny(operations, response);
  const path = request.path.split('?')[0] ?? '';
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const onPath = operations.filter((operation) => operation.path.test(path));
  const operation = onPath.find((one) => one.method === method);
  if (!operation) return findFaultOfUnknown(operations, response, text, onPath.length > 0);
  const documented = operation.responses[response.status];
  if (!documented) return 'the status is not documented';
  return (
    findHeaderFault({ ...operation, response: documented }, response) ??
    (request.method === 'HEAD' ? undefined : findBodyFault(operation, documented, response, text)) ??
    (response.ok ? findRequestFault(operation, request) : undefined)
  );
}

/** Checks that apply to every response. */
function findFaultOfAny([any]: readonly Operation[], response: Response): string | undefined {
  const documented = { headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } } };
  return findHeaderFault({ headers: any?.headers ?? {}, response: documented }, response);
}

function findFaultOfUnknown(
  operations: readonly Operation[],
  response: Response,
  text: string,
  isPathKnown: boolean,
): string | undefined {
  const [status, code] = isPathKnown ? [405, 'method_not_allowed'] : [404, 'not_found'];
  if (response.status !== status) return `no operation: expected ${status}`;
  if (isPathKnown && !response.headers.get('Allow')) return 'the header Allow is missing';
  if (response.headers.get('Content-Type') !== 'application/problem+json') return 'it is no problem';
  const body = JSON.parse(text) as { code?: string };
  if (body.code !== code) return `expected the code ${code}`;
  const schemas = operations[0]?.schemas ?? {};
  const validator = takeValidator('Problem', () => closeSchema({ $ref: '#/components/schemas/Problem' }, schemas));
  return describe(validator, body) ?? findFaultOfAny(operations, response);
}

function findHeaderFault(
  { headers, response: documented }: Pick<Operation, 'headers'> & { readonly response: DocumentedResponse },
  response: Response,
): string | undefined {
  for (const [name, declared] of Object.entries(documented.headers ?? {})) {
    const header = declared.$ref === undefined ? declared : headers[declared.$ref.split('/').at(-1) ?? ''];
    const schema = header?.schema;
    if (!header || !schema) return `the header ${name} is not described`;
    const value = response.headers.get(name);
    if (value === null && header.required) return `the header ${name} is missing`;
    const read = value !== null && schema['type'] === 'integer' ? Number(value) : value;
    const validator = takeValidator(header, () => schema);
    const fault = value === null ? undefined : describe(validator, read);
    if (fault !== undefined) return `the header ${name} is ${value}: ${fault}`;
  }
  return undefined;
}

/** By the name of a body, or by the declaration of a header. */
const validators = new Map<string | Header, Validator>();

/** The last body that each validator has allowed. Many readers of one answer would otherwise be checked one by one. */
const allowed = new Map<Validator, string>();

function takeValidator(name: string | Header, make: () => JsonSchema): Validator {
  const known = validators.get(name);
  if (known) return known;
  const made = new Validator(make() as unknown as Schema, '2020-12');
  validators.set(name, made);
  return made;
}

function findBodyFault(
  { id, schemas }: Operation,
  documented: DocumentedResponse,
  response: Response,
  text: string,
): string | undefined {
  if (!documented.content) return text === '' ? undefined : 'a body is not documented';
  const type = response.headers.get('Content-Type') ?? 'none';
  const content = documented.content[type];
  if (!content) return `the content type ${type} is not documented`;
  const validator = takeValidator(`${id} ${response.status} ${type}`, () => closeSchema(content.schema, schemas));
  if (allowed.get(validator) === text) return undefined;
  const fault = describe(validator, type.includes('json') ? JSON.parse(text) : text);
  if (fault === undefined) allowed.set(validator, text);
  return fault;
}

/** A request that was accepted must be allowed by the document, or the document says too little. */
function findRequestFault({ id, requestBody, schemas }: Operation, { body }: SentRequest): string | undefined {
  const content = requestBody?.content?.['application/json'];
  if (!content || body === undefined) return undefined;
  const fault = describe(
    takeValidator(id, () => standAlone(content.schema, schemas)),
    JSON.parse(body),
  );
  return fault && `the request was taken, and is not documented: ${fault}`;
}

function describe(validator: Validator, value: unknown): string | undefined {
  const { valid, errors } = validator.validate(value);
  if (valid) return undefined;
  const faults = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  return `${faults.join(' ')} in ${JSON.stringify(value).slice(0, 400)}`;
}
