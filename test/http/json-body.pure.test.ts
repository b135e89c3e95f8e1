import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { jsonBody } from '../../src/http/request.ts';

const open = z.object({ inside: z.string() });

describe('the body of a request', () => {
  it.each([
    ['an object', open],
    ['an object that takes anything', z.looseObject({ inside: z.string() })],
    ['a member', z.strictObject({ member: open })],
    ['an optional member', z.strictObject({ member: open.optional() })],
    ['a member with a default, or none', z.strictObject({ member: open.nullable().default(null) })],
    ['a list', z.strictObject({ list: z.array(open) })],
    ['a map', z.strictObject({ map: z.partialRecord(z.enum(['a']), open) })],
    [
      'an alternative',
      z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('a') }), open.extend({ kind: z.literal('b') })]),
    ],
    ['a member that is transformed', z.strictObject({ member: open.transform(({ inside }) => inside) })],
  ])('is refused when the Worker starts if %s in its schema allows unknown members', (_, schema) => {
    expect(() => jsonBody(schema as z.ZodType as never)).toThrow('a body takes unknown members: inside');
  });

  it('is documented as required JSON when its schema allows no unknown members', () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ inside: z.string() })) });
    expect(jsonBody(schema)).toEqual({ required: true, content: { 'application/json': { schema } } });
  });
});
