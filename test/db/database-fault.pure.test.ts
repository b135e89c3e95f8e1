import { describe, expect, it } from 'vitest';
import { classifyFault, isDatabaseFault, messageOfFault } from '../../src/db/commit.ts';
import { describeError } from '../../src/platform/log.ts';

/** An error as D1 throws it: the code is in the outer message, and not in that of the cause. */
const ofD1 = (message: string) => new Error(`D1_ERROR: ${message}`, { cause: new Error(message) });

/** The same as Drizzle throws it when a single query fails. It throws that of a batch as it is. */
const ofQuery = (message: string) => new Error('Failed query: select 1\nparams: secret', { cause: ofD1(message) });

describe.each([
  ['a batch', ofD1],
  ['a query', ofQuery],
])('a failure of D1 in %s', (_, fail) => {
  it('is known as one, so that a client is told to come again', () => {
    expect(isDatabaseFault(fail('Network connection lost.'))).toBe(true);
    expect(isDatabaseFault(fail('D1 DB is overloaded. Requests queued for too long.'))).toBe(true);
    expect(classifyFault(fail('D1 DB is overloaded. Requests queued for too long.'))).toBe('overloaded');
    expect(classifyFault(fail('Network connection lost.'))).toBe('unknown');
  });

  it('is none when SQLite refused the statement', () => {
    expect(isDatabaseFault(fail('no such table: orders: SQLITE_ERROR'))).toBe(false);
  });

  it('is told with its code and without parameters', () => {
    const error = fail('Network connection lost.');
    expect(messageOfFault(error)).toBe('D1_ERROR: Network connection lost.');
    expect(describeError(error)).toContain('D1_ERROR: Network connection lost.');
    expect(describeError(error)).not.toContain('secret');
  });
});

it('an error that is not of D1 is no failure of it', () => {
  expect(isDatabaseFault(new TypeError('undefined is not a function'))).toBe(false);
  expect(isDatabaseFault('text')).toBe(false);
});
