import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { NextCursor } from '../http/list.ts';
import { AuditEntry, AuditQuery, readAuditPage, showAuditEntry } from '../db/list-audit.ts';
import { authenticateOperator, operatorRefusals } from './authenticate-operator.ts';
import { SearchResult, search } from './search.ts';

const AUDIT_PATH = '/operator/v1/audit';
const MAX_QUERY_LENGTH = 200;

const common = { security: [{ operatorToken: [] }], middleware: authenticateOperator('read') };

/** The operator's routes that find things: who changed what, and what an id or a hash is. */
export const auditRoutes = createArea();

auditRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listAudit',
    method: 'get',
    path: AUDIT_PATH,
    tags: ['Audit'],
    summary: 'Who changed what, newest first',
    description:
      'Every change that was made through the operator’s API, and the reconciliation’s halts. With filters a page may be short and still have a next one.',
    request: { query: AuditQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ entries: z.array(AuditEntry), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
    },
  }),
  async (c) => {
    const cursors = { path: AUDIT_PATH, secret: config.CURSOR_SECRET };
    const page = await readAuditPage(c.env, c.req.valid('query'), cursors);
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ entries: rows.map(showAuditEntry), nextCursor }, 200);
  },
);

auditRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'search',
    method: 'get',
    path: '/operator/v1/search',
    tags: ['Audit'],
    summary: 'What an id, a deposit address or a transaction hash is',
    description:
      'Finds accounts, API keys, orders, deposits, withdrawals, settlements and violations by their id, accounts by a deposit address, and deposits and withdrawals by the hash of their transaction. An order, a settlement or a credit that was written long after the time of its id is found in the lists of its account only, and so is a withdrawal by its transaction when it is not among the newest 600.',
    request: {
      query: z.strictObject({
        q: z
          .string()
          .min(1)
          .max(MAX_QUERY_LENGTH)
          .openapi({ description: 'Exactly', example: '01a1fcca-895a-7000-b43c-11f474a4f8d5' }),
      }),
    },
    responses: {
      200: {
        description: 'At most 50 of each kind',
        content: jsonContent(z.object({ results: z.array(SearchResult) })),
      },
      ...problemResponses('invalid_request', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { q } = c.req.valid('query');
    return c.json({ results: await search(c.env, q) }, 200);
  },
);
