import type { z } from '@hono/zod-openapi';
import { parseJson } from '../platform/parse-json.ts';
import { type FieldError, type Outcome, accept, refuse } from './refusal.ts';
import { findRepeatedMembers } from './repeated-members.ts';

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
  return errors.length === 0 ? accept(body) : refuse('invalid_request', 'The request is not valid.', { errors });
}
