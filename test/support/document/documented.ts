import { type Schema, Validator } from '@cfworker/json-schema';
import {
  type Document,
  type Header,
  type Operation as DocumentedOperation,
  type Response as DocumentedResponse,
  listOperations as listAll,
  resolve,
} from '../../../scripts/openapi/document.ts';
import { closeSchema, standAlone } from './closed-schema.ts';

/** An operation, and the part of its document that its responses are checked against. */
interface Operation {
  readonly operation: DocumentedOperation;
  readonly method: string;
  readonly path: RegExp;
  readonly parameterCount: number;
  readonly components: NonNullable<Document['components']>;
}

/** The operations of a document. When several paths match, one without parameters comes first, as in the router. */
export function listOperations(document: object): Operation[] {
  const { components = {} } = document as Document;
  const operations = listAll(document as Document).map(({ path, method, operation }) => ({
    operation,
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameterCount: path.split('{').length - 1,
    components,
  }));
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
  const documented = operation.operation.responses?.[response.status];
  if (!documented) return 'the status is not documented';
  return (
    findHeaderFault(operation, documented, response) ??
    (request.method === 'HEAD' ? undefined : findBodyFault(operation, documented, response, text)) ??
    (response.ok ? findRequestFault(operation, request) : undefined)
  );
}

/** Checks that apply to every response. */
function findFaultOfAny([any]: readonly Operation[], response: Response): string | undefined {
  const documented = { headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } } };
  return any && findHeaderFault(any, documented, response);
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
  const { schemas = {} } = operations[0]?.components ?? {};
  const validator = takeValidator('Problem', () => closeSchema({ $ref: '#/components/schemas/Problem' }, schemas));
  return describe(validator, body) ?? findFaultOfAny(operations, response);
}

function findHeaderFault(
  { components }: Operation,
  documented: DocumentedResponse,
  response: Response,
): string | undefined {
  for (const [name, declared] of Object.entries(documented.headers ?? {})) {
    const header = resolve(declared, components.headers);
    const { schema } = header;
    if (!schema) return `the header ${name} is not described`;
    const value = response.headers.get(name);
    if (value === null && header.required) return `the header ${name} is missing`;
    const read = value !== null && schema.type === 'integer' ? Number(value) : value;
    const validator = takeValidator(header, () => standAlone(schema, {}));
    const fault = value === null ? undefined : describe(validator, read);
    if (fault !== undefined) return `the header ${name} is ${value}: ${fault}`;
  }
  return undefined;
}

/** By the name of a body, or by the declaration of a header. */
const validators = new Map<string | Header, Validator>();

/** The last body that each validator has allowed. Many readers of one answer would otherwise be checked one by one. */
const allowed = new Map<Validator, string>();

function takeValidator(name: string | Header, make: () => Schema): Validator {
  const known = validators.get(name);
  if (known) return known;
  const made = new Validator(make(), '2020-12');
  validators.set(name, made);
  return made;
}

function findBodyFault(
  { operation, components: { schemas = {} } }: Operation,
  documented: DocumentedResponse,
  response: Response,
  text: string,
): string | undefined {
  if (!documented.content) return text === '' ? undefined : 'a body is not documented';
  const type = response.headers.get('Content-Type') ?? 'none';
  const content = documented.content[type];
  if (!content) return `the content type ${type} is not documented`;
  const name = `${operation.operationId} ${response.status} ${type}`;
  const validator = takeValidator(name, () => closeSchema(content.schema ?? {}, schemas));
  if (allowed.get(validator) === text) return undefined;
  const fault = describe(validator, type.includes('json') ? JSON.parse(text) : text);
  if (fault === undefined) allowed.set(validator, text);
  return fault;
}

/** A request that was accepted must be allowed by the document, or the document says too little. */
function findRequestFault({ operation, components }: Operation, { body }: SentRequest): string | undefined {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  if (!schema || body === undefined) return undefined;
  const fault = describe(
    takeValidator(operation.operationId ?? '', () => standAlone(schema, components.schemas ?? {})),
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
