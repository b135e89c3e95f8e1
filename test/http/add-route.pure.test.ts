import { createRoute, z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { answerJson } from '../../src/http/answer.ts';
import { createArea, jsonContent, send } from '../../src/http/area.ts';

const Row = z.object({ id: z.string(), note: z.string().nullable(), tags: z.array(z.string()).optional() });

const route = createRoute({
  method: 'get',
  path: '/rows',
  responses: {
    200: {
      description: 'Rows',
      content: jsonContent(z.object({ rows: z.array(Row), facts: z.object({ n: z.int() }) })),
    },
  },
});

const row = { id: '1', note: null };
const facts = { n: 1 };

/** The compiler checks this: `npm run check` fails if a line after `@ts-expect-error` compiles. */
describe('the body of an answer', () => {
  it('compiles when it is what the response schema says', async () => {
    const area = createArea();
    area.openapi(route, (c) => c.json({ rows: [row, { ...row, tags: ['a'] }], facts }, 200));
    area.openapi(route, async (c) => {
      await Promise.resolve();
      return c.req.header('X-Refuse') ? send(c, answerJson(503, {})) : c.json({ rows: [], facts }, 200);
    });
    expect(await (await area.request('/rows')).json()).toEqual({ rows: [row, { ...row, tags: ['a'] }], facts });
  });

  it('does not compile with a member that the schema does not have, at any depth, or without one that it has', () => {
    const area = createArea();
    // @ts-expect-error: `secret` is not in the schema
    area.openapi(route, (c) => c.json({ rows: [row], facts, secret: 'x' }, 200));
    // @ts-expect-error: a row has no `secret`
    area.openapi(route, (c) => c.json({ rows: [{ ...row, secret: 'x' }], facts }, 200));
    // @ts-expect-error: `facts` has no `secret`
    area.openapi(route, (c) => c.json({ rows: [row], facts: { ...facts, secret: 'x' } }, 200));
    // @ts-expect-error: also beside a refusal, and in a promise
    area.openapi(route, async (c) => {
      await Promise.resolve();
      return c.req.header('X-Refuse') ? send(c, answerJson(503, {})) : c.json({ rows: [], facts, secret: 'x' }, 200);
    });
    // @ts-expect-error: `facts` is missing
    area.openapi(route, (c) => c.json({ rows: [row] }, 200));
    expect(area.openAPIRegistry.definitions).toHaveLength(5);
  });
});
