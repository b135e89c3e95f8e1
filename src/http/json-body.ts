import type { z } from '@hono/zod-openapi';
import type { ZodError } from 'zod';
import type { FieldError } from './refusal.ts';

/**
 * The documented JSON body of a request. Every object in it, however deep, must be a `z.strictObject`: a member that
 * nobody reads is a client's mistake, such as a misspelt halt, and is refused by name. Throws when the Worker starts if
 * an object is not strict.
 */
export function jsonBody<T extends z.ZodType>(schema: T) {
  for (const { type, shape, catchall } of definitionsIn(schema)) {
    if (type === 'object' && catchall?.def.type !== 'never') {
      throw new TypeError(`a body takes unknown members: ${Object.keys(shape ?? {}).join(', ')}`);
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

interface Schema {
  readonly def: Definition;
}

/** The definition of a schema and of everything in it. */
function definitionsIn({ def }: Schema): Definition[] {
  const { shape = {}, options = [], element, valueType, innerType, in: input } = def;
  const inner = [...Object.values(shape), ...options, element, valueType, innerType, input];
  return [def, ...inner.filter((part) => part !== undefined).flatMap(definitionsIn)];
}

/** The errors of a body: one for each invalid field and each unknown member. Pointers are those of RFC 6901. */
export function describeBodyErrors(error: ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ pointer: writePointer(issue.path), code: issue.code, detail: issue.message }];
    }
    return issue.keys.map((key) => ({
      pointer: writePointer([...issue.path, key]),
      code: 'unrecognized_key',
      detail: 'is not known here: nothing was done',
    }));
  });
}

function writePointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
