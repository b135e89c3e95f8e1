import { createRoute, z } from '@hono/zod-openapi';
import { createArea, jsonContent, problemResponses } from '../http/area.ts';
import { ListQuery } from '../http/list.ts';
import { firstLedger } from '../ledger/ledgers.ts';
import { AuditEntry, followAudit, showAuditEntry } from '../ledger/list-audit.ts';
import { authenticateOperator, operatorRefusals } from './authenticate-operator.ts';

const DEFAULT_LIMIT = 50;

/** The operator's own feed: the audit, in the order in which its rows were written. */
export const eventRoutes = createArea();

eventRoutes.openapi(
  createRoute({
    operationId: 'followAudit',
    method: 'get',
    path: '/operator/v1/events',
    tags: ['Audit'],
    summary: 'Who changed what, oldest first, from a number on',
    description:
      'The rows of the audit with a higher number than `after`. They are numbered 1, 2, 3 and so on without a gap and kept for good, so a reader who sends the `nextAfter` of the page before misses none. What the custodian or a holder did is in the lists of deposits and withdrawals, by their state.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    request: {
      query: z.object({
        after: z
          .string()
          .regex(/^\d{1,15}$/, 'is not a whole number')
          .transform(Number)
          .optional()
          .openapi({
            type: 'integer',
            minimum: 0,
            default: 0,
            description: 'Rows with a higher number than this one; from the first unless told',
          }),
        limit: ListQuery.shape.limit,
      }),
    },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(
          z.object({
            entries: z.array(AuditEntry),
            nextAfter: z.number().int().openapi({ description: 'Send it as `after` for what comes next', example: 41 }),
          }),
        ),
      },
      ...problemResponses('invalid_request', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { after = 0, limit = DEFAULT_LIMIT } = c.req.valid('query');
    const rows = await followAudit(firstLedger(c.env), after, limit);
    return c.json({ entries: rows.map(showAuditEntry), nextAfter: Number(rows.at(-1)?.id ?? after) }, 200);
  },
);
