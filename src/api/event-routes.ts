import { admitRead } from '../access/admit-read.ts';
import { accountFeed } from '../events/feed.ts';
import { EventPage, EventQuery, beginToListen, findEvents } from '../events/read-events.ts';
import { ledgerOf } from '../db/database.ts';
import { createKeyArea } from '../access/operations.ts';

export const events = createKeyArea('Events');

events.add({
  operationId: 'listEvents',
  path: '/api/v1/events',
  scope: 'read',
  summary: 'What happened to the account, oldest first',
  description:
    'Fills, deposits, withdrawals, settlements, freezes, keys and approved addresses, in the order in which they happened, each once. The feed begins with the account’s orders, deposits, withdrawals and settlements of the 90 days before its first request, one event for each in its status of then, the newest 1,000 at most; what was before is in the lists. Of keys, freezes and approved addresses it tells from that request on. Read with the `nextAfter` of the page before, and nothing is missed however long you were away: events are kept for 90 days. `data` is the record as it is now, so it may be newer than the event; `sequence` gives the order. With `types` a page may be short, or empty, and still be followed by another.',
  request: { query: EventQuery },
  answer: 'One page',
  body: EventPage,
  refusals: ['events_expired'],
  handle: async (c) => {
    const query = c.req.valid('query');
    const admitted = await admitRead(c, 'read', (accountId) =>
      findEvents(ledgerOf(c.env, accountId), accountFeed(accountId), query),
    );
    if (!admitted.ok) return admitted;
    const { accountId, value: found } = admitted.value;
    return found ?? beginToListen(ledgerOf(c.env, accountId), accountFeed(accountId), query);
  },
});
