import { describe, expect, it } from 'vitest';
import { drawDeskTypes } from '../../scripts/openapi/draw-desk-types.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

const drawn = drawDeskTypes({
  components: {
    schemas: {
      Member: {
        type: 'object',
        properties: { email: { type: 'string' }, role: { type: ['string', 'null'], enum: ['admin', null] } },
        required: ['email'],
      },
    },
  },
  paths: {
    '/operator/v1/staff/{email}': {
      put: {
        parameters: [
          { name: 'email', in: 'path', schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
        ],
        requestBody: json({ type: 'object', properties: { roles: { type: 'array', items: { type: 'string' } } } }),
        responses: {
          200: json({ $ref: '#/components/schemas/Member' }),
          202: json({ type: 'object', additionalProperties: { type: ['number', 'null'] } }),
          404: json({ type: 'string' }),
        },
      },
    },
  },
});

describe('the types of the desk', () => {
  it('name every schema, with what may be absent and what may be null', () => {
    expect(drawn).toContain('export type Member = { readonly email: string; readonly role?: "admin" | null };');
  });

  it('say what an operation takes and answers with, the answer of a proposal included and refusals not', () => {
    expect(drawn).toContain(`  'put /staff/{email}': {
    query: { readonly limit?: number; readonly q: string };
    body: { readonly roles?: readonly (string)[] };
    answer: Member | { readonly [name: string]: number | null };
  };`);
  });
});
