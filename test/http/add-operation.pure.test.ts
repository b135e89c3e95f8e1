import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { answerJson, accept } from '../../src/http/answer.ts';
import { addOperation, createArea, send } from '../../src/http/area.ts';

const Row = z.object({ id: z.string(), note: z.string().nullable(), tags: z.array(z.string()).optional() });

const kind = { tags: ['Rows'], middleware: (_c: unknown, next: () => Promise<void>) => next() };

const operation = {
  operationId: 'listRows',
  path: '/rows',
  summary: 'Rows',
  description: 'Rows.',
  answer: 'Rows',
  body: { rows: z.array(Row), facts: z.object({ n: z.int() }) },
};

const row = { id: '1', note: null };
const facts = { n: 1 };

/** The compiler checks this: `npm run check` fails if a line after `@ts-expect-error` compiles. */
describe('the body of an answer', () => {
  it('compiles when it is what the response schema says', async () => {
    const area = createArea();
    const handle = () => accept({ rows: [row, { ...row, tags: ['a'] }], facts });
    addOperation(area, kind, { ...operation, handle });
    addOperation(area, kind, {
      ...operation,
      handle: async (c) => {
        await Promise.resolve();
        return c.req.header('X-Refuse') ? send(c, answerJson(503, {})) : accept({ rows: [], facts });
      },
    });
    expect(await (await area.request('/rows')).json()).toEqual({ rows: [row, { ...row, tags: ['a'] }], facts });
  });

  it('does not compile with a member that the schema does not have, at any depth, or without one that it has', () => {
    const area = createArea();
    // @ts-expect-error: `secret` is not in the schema
    addOperation(area, kind, { ...operation, handle: () => accept({ rows: [row], facts, secret: 'x' }) });
    // @ts-expect-error: a row has no `secret`
    addOperation(area, kind, { ...operation, handle: () => accept({ rows: [{ ...row, secret: 'x' }], facts }) });
    // @ts-expect-error: `facts` has no `secret`
    addOperation(area, kind, { ...operation, handle: () => accept({ rows: [row], facts: { ...facts, secret: 'x' } }) });
    addOperation(area, kind, {
      ...operation,
      // @ts-expect-error: also beside a refusal, and in a promise
      handle: async (c) => {
        await Promise.resolve();
        return c.req.header('X-Refuse') ? send(c, answerJson(503, {})) : accept({ rows: [], facts, secret: 'x' });
      },
    });
    // @ts-expect-error: `facts` is missing
    addOperation(area, kind, { ...operation, handle: () => accept({ rows: [row] }) });
    expect(area.openAPIRegistry.definitions).toHaveLength(5);
  });
});
