import { writePointer } from './field-errors.ts';
import type { z } from '@hono/zod-openapi';
import { type FieldError, type Outcome, accept, refuse, refuseFields } from './answer.ts';

/** The value that a text from outside is the JSON of, or `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parts of a JSON text that say where a member begins: texts, brackets and commas. */
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** An object or a list that is open: in an object the names so far, and the name or the place of the present value. */
interface Open {
  readonly names: Set<string> | undefined;
  at: string | number;
}

/**
 * The members that come twice or more in one object, as JSON pointers: of such a member each parser may read another
 * value (RFC 8259, section 4). `text` must be JSON. It is read once, from the beginning to the end.
 */
export function findRepeatedMembers(text: string): string[] {
  const repeated = new Set<string>();
  const open: Open[] = [];
  let isName = false;
  for (const [part] of text.matchAll(PARTS)) {
    const inner = open.at(-1);
    if (part === '{' || part === '[') {
      open.push(part === '{' ? { names: new Set(), at: '' } : { names: undefined, at: 0 });
      isName = part === '{';
    } else if (part === '}' || part === ']') {
      open.pop();
      isName = false;
    } else if (part === ',') {
      isName = inner?.names !== undefined;
      if (typeof inner?.at === 'number') inner.at += 1;
    } else if (isName && inner?.names) {
      isName = false;
      inner.at = JSON.parse(part) as string;
      if (inner.names.has(inner.at)) repeated.add(writePointer(open.map(({ at }) => at)));
      inner.names.add(inner.at);
    }
  }
  return [...repeated];
}

/**
 * The documented JSON body of a request. Every object in it, however deep, must be a `z.strictObject`: a member that
 * nobody reads is a client's mistake, such as a misspelt halt, and is refused by name. Throws when the Worker starts if
 * an object is not strict.
 */
export function jsonBody<T extends z.ZodType>(schema: T) {
  for (const part of schemasIn(schema)) {
    if (part.def.type === 'object' && !isStrict(part)) {
      throw new TypeError(`a body takes unknown members: ${Object.keys(part.def.shape ?? {}).join(', ')}`);
    }
  }
  return { required: true, content: { 'application/json': { schema } } } as const;
}

/** The part of zod's definition of a schema that bodies use: an object, a list, a map, alternatives, or a wrapper. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  /** The schema of unknown members: `never` in a strict object. */
  readonly catchall?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly innerType?: Schema;
  readonly in?: Schema;
}

export interface Schema {
  readonly def: Definition;
}

/** Whether a schema is a `z.strictObject`. */
export function isStrict({ def }: Schema): boolean {
  return def.catchall?.def.type === 'never';
}

/** A schema and everything in it. */
function schemasIn(schema: Schema): Schema[] {
  const { shape = {}, options = [], element, valueType, innerType, in: input } = schema.def;
  const inner = [...Object.values(shape), ...options, element, valueType, innerType, input];
  return [schema, ...inner.filter((part) => part !== undefined).flatMap(schemasIn)];
}

const malformed = refuse('invalid_request', 'The body is not JSON.');

/** Parses the text of a body. Refuses with `invalid_request` what is not JSON, and each member that comes twice. */
export function parseBody(text: string): Outcome<unknown> {
  const body = parseJson(text);
  if (body === undefined) return malformed;
  const errors = findRepeatedMembers(text).map((pointer): FieldError => ({
    pointer,
    code: 'repeated',
    detail: 'comes more than once: nothing was done',
  }));
  return errors.length === 0 ? accept(body) : refuseFields(errors);
}
