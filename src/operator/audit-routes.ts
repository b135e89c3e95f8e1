import { cursorsOf } from '../access/answer-read.ts';
import { createOperatorArea } from './operations.ts';
import { AuditEntry, AuditQuery, readAuditPage, showAuditEntry } from '../db/list-audit.ts';
import { onePage, showPage } from '../http/list.ts';
import { z } from '@hono/zod-openapi';
import { SearchResult, search } from './search.ts';
import { accept } from '../http/answer.ts';

const MAX_QUERY_LENGTH = 200;

/** The operator's routes that find things: who changed what, and what an id or a hash is. */
export const auditRoutes = createOperatorArea('Audit');

auditRoutes.add({
  operationId: 'listAudit',
  path: '/operator/v1/audit',
  duty: 'read',
  summary: 'Who changed what, newest first',
  description:
    'Every change that was made through the operator’s API, and the reconciliation’s halts. With filters a page may be short and still have a next one.',
  request: { query: AuditQuery },
  ...onePage('entries', AuditEntry),
  handle: async (c) =>
    showPage(await readAuditPage(c.env, c.req.valid('query'), cursorsOf(c)), 'entries', showAuditEntry),
});

auditRoutes.add({
  operationId: 'search',
  path: '/operator/v1/search',
  duty: 'read',
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
  answer: 'At most 50 of each kind',
  body: { results: z.array(SearchResult) },
  handle: async (c) => accept({ results: await search(c.env, c.req.valid('query').q) }),
});
