import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { describeFieldErrors } from '../../src/http/field-errors.ts';
import { fieldFaults } from '../../src/http/answer.ts';

const schema = z.strictObject({
  side: z.enum(['BUY', 'SELL']),
  value: z.string().regex(/^\d+$/, 'is not a whole number').min(2).max(4),
  count: z.number().min(1).max(9),
  list: z.array(z.strictObject({ 'a/b': z.boolean() })).min(1),
  when: z.string().refine((text) => text !== 'never', 'is no time'),
});

const good = { side: 'BUY', value: '100', count: 5, list: [{ 'a/b': true }], when: 'now' };

function errorsOf(change: Record<string, unknown>, target: 'json' | 'query' = 'json') {
  const data = JSON.parse(JSON.stringify({ ...good, ...change })) as unknown;
  const parsed = schema.safeParse(data);
  return parsed.success ? [] : describeFieldErrors(parsed.error, { target, data });
}

describe('the errors of a field', () => {
  it.each([
    ['side', undefined, 'missing'],
    ['value', undefined, 'missing'],
    ['count', '5', 'wrong_type'],
    ['value', null, 'wrong_type'],
    ['side', 'buy', 'unknown_value'],
    ['value', 'abc', 'wrong_format'],
    ['value', '1', 'too_short'],
    ['value', '12345', 'too_long'],
    ['list', [], 'too_short'],
    ['count', 0, 'below_minimum'],
    ['count', 10, 'above_maximum'],
    ['when', 'never', 'not_valid'],
    ['strange', 1, 'unknown_member'],
  ])('have a word of our own: %s = %j is %s', (name, value, code) => {
    expect(errorsOf({ [name]: value }).map((error) => [error.pointer, error.code])).toEqual([[`/${name}`, code]]);
    expect(Object.keys(fieldFaults)).toContain(code);
  });

  it('point into the body as RFC 6901 says, and name a parameter as it is', () => {
    const [error] = errorsOf({ list: [{ 'a/b': true }, { 'a/b': 1 }] });
    expect(error).toMatchObject({ pointer: '/list/1/a~1b', code: 'wrong_type' });
    expect(errorsOf({ limitt: 1 }, 'query')).toMatchObject([{ pointer: 'limitt', code: 'unknown_parameter' }]);
  });

  it('are all told at once, and keep what the schema says of them', () => {
    expect(errorsOf({ side: 'buy', value: 'abc', other: 1 }).map(({ pointer }) => pointer)).toEqual([
      '/side',
      '/value',
      '/other',
    ]);
    expect(errorsOf({ when: 'never' })[0]?.detail).toBe('is no time');
  });
});
