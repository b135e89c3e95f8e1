import type { ZodError } from 'zod';
import type { FieldError, FieldFault } from './answer.ts';

/** The part of a request that a schema checked, and what it was given. */
export interface Checked {
  readonly target: 'json' | 'query' | 'param' | 'header' | 'form' | 'cookie';
  readonly data: unknown;
}

type Issue = ZodError['issues'][number];

/**
 * The errors of a part of a request: one for each invalid field, and each unknown member or parameter by its name. Their
 * codes are words of this interface, so that another validator would not change them. In a body pointers are those of
 * RFC 6901.
 */
export function describeFieldErrors(error: ZodError, { target, data }: Checked): FieldError[] {
  const point = target === 'json' ? writePointer : (path: readonly PropertyKey[]) => path.join('.');
  return error.issues.flatMap((issue): FieldError[] => {
    if (issue.code === 'unrecognized_keys') {
      const code = target === 'json' ? 'unknown_member' : 'unknown_parameter';
      const detail = 'is not known here: nothing was done';
      return issue.keys.map((key) => ({ pointer: point([...issue.path, key]), code, detail }));
    }
    const pointer = point(issue.path);
    if (valueAt(data, issue.path) === undefined) return [{ pointer, code: 'missing', detail: 'is missing' }];
    return [{ pointer, code: nameFault(issue), detail: issue.message }];
  });
}

function nameFault(issue: Exclude<Issue, { code: 'unrecognized_keys' }>): FieldFault {
  switch (issue.code) {
    case 'invalid_type':
      return 'wrong_type';
    case 'too_small':
      return isCounted(issue.origin) ? 'too_short' : 'below_minimum';
    case 'too_big':
      return isCounted(issue.origin) ? 'too_long' : 'above_maximum';
    case 'invalid_format':
    case 'not_multiple_of':
      return 'wrong_format';
    case 'invalid_value':
    case 'invalid_union':
      return 'unknown_value';
    case 'invalid_key':
      return 'unknown_member';
    case 'invalid_element':
    case 'custom':
      return 'not_valid';
  }
}

/** Whether a bound is one of a length and not of a number. */
function isCounted(origin: string): boolean {
  return origin === 'string' || origin === 'array' || origin === 'map' || origin === 'set' || origin === 'file';
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, name) => (value as Record<PropertyKey, unknown> | null | undefined)?.[name], data);
}

/** A JSON pointer (RFC 6901). */
export function writePointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
