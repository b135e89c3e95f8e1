import { z } from '@hono/zod-openapi';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { OperatorEventPage, OperatorEventQuery, readEvents } from '../events/read-events.ts';
import { findNumberedLedger } from '../db/database.ts';
import { refuseLedger } from './find-records.ts';
import { operatorFeed } from '../events/feed.ts';

/** The parameter that names the ledger of the operator's events. */
export const LedgerNumber = z
  .string()
  .regex(/^\d{1,4}$/, 'is not the number of a ledger')
  .transform(Number)
  .optional()
  .openapi({
    type: 'integer',
    minimum: 0,
    default: FIRST_LEDGER,
    description: 'The ledger whose events are meant; each has numbers of its own',
  });

/** The operator's own feed: what happened in a ledger, in the order in which it happened. */
export const eventRoutes = createArea();

const add = operationsOf(eventRoutes, 'Events');

add({
  operationId: 'listOperatorEvents',
  path: '/operator/v1/events',
  duty: 'read',
  summary: 'What happened in the exchange, oldest first',
  description:
    'Each row of the audit (`audit.added`), and each status that a deposit or a withdrawal of any account takes, in the order in which they happened, each once. The operator listens from its first request on; what was before is in the audit and in the lists. Read with the `nextAfter` of the page before, and nothing is missed however long you were away: events are kept for 90 days. `data` is the record as it is now, so it may be newer than the event; `sequence` gives the order. Deposits below the minimum are not told: `GET /operator/v1/deposits/dust` has their sums. With `types` a page may be short, or empty, and still be followed by another.',
  request: { query: OperatorEventQuery.extend({ ledger: LedgerNumber }) },
  answer: 'One page',
  body: OperatorEventPage,
  refusals: ['events_expired'],
  handle: async (c) => {
    const { ledger = FIRST_LEDGER, ...query } = c.req.valid('query');
    const database = findNumberedLedger(c.env, ledger);
    if (!database) return refuseLedger('ledger');
    return readEvents(database, operatorFeed(ledger), query);
  },
});
