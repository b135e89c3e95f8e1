import type { OperatorEvent } from '../../src/events/operator-event.ts';
import { asOperator, json } from '../support/exchange.ts';
import type { FeedPage } from '../support/events/feed.ts';
import { databaseOf, ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { NOBODY } from './model.ts';
import { must } from './must.ts';
import type { World } from './world.ts';

type Page = FeedPage<OperatorEvent>;

async function countAudit(ledger: number): Promise<number> {
  return Number(await databaseOf(ledger).prepare('SELECT coalesce(max(id), 0) AS n FROM audit').first('n'));
}

function feedOf({ model }: World, ledger: number) {
  const feed = model.operator.feeds[ledger];
  must(feed !== undefined, 'there is no ledger', ledger);
  return feed;
}

/** The operator begins to listen in every ledger. What was before is told to nobody. */
export async function followExchange(world: World): Promise<void> {
  for (const ledger of ledgersUnderTest) {
    const { newest } = await json<Page>(await asOperator('GET', `/events?ledger=${ledger}`));
    must(newest === 0, 'the operator was told before it listened', newest);
    feedOf(world, ledger).audited = await countAudit(ledger);
  }
}

/**
 * Reads a page of the operator's feed of a ledger: each row of the audit, by its number, and of each account every
 * status of its deposits and withdrawals, in order. Returns how many events came; `undefined` when the exchange
 * refused.
 */
export async function readOperator(world: World, ledger: number, limit: number): Promise<number | undefined> {
  const feed = feedOf(world, ledger);
  const response = await asOperator('GET', `/events?ledger=${ledger}&after=${feed.after}&limit=${limit}`);
  if (response.status === 503) return undefined;
  must(response.status === 200, 'the operator’s events were answered', response.status);
  const { events, nextAfter, since, newest } = await json<Page>(response);
  must(since === 0 && events.length <= limit, 'a page for the operator is', since, events.length, limit);
  for (const event of events) {
    feed.after += 1;
    const isNext = event.sequence === feed.after && event.id === `evt_operator_${ledger}_${event.sequence}`;
    must(isNext, 'the operator’s event is out of order', event, feed.after);
    take(world, ledger, event);
  }
  must(nextAfter === feed.after && nextAfter <= newest, 'a page for the operator ends at', nextAfter, newest);
  return events.length;
}

function take(world: World, ledger: number, { type, data }: OperatorEvent): void {
  const { operator, withdrawals } = world.model;
  const feed = feedOf(world, ledger);
  if ('entry' in data) {
    feed.audited += 1;
    const isNext = data.entry.id === String(feed.audited) && data.entry.ledger === ledger;
    must(isNext, 'the operator is told of', data.entry, ledger, feed.audited);
    return;
  }
  must('deposit' in data || 'withdrawal' in data, 'the operator is told', type, data);
  const record = 'deposit' in data ? data.deposit : data.withdrawal;
  const expected = operator.expected.get(record.accountId ?? NOBODY)?.shift();
  must(expected?.type === type, 'the operator is told', type, record, 'instead of', expected);
  must(expected.subject === null || record.id === expected.subject, 'the operator is shown', record, expected);
  const withdrawal = withdrawals.get(record.id);
  if (withdrawal) must(record.status === withdrawal.status, 'the operator is shown', record, withdrawal);
}

/** The operator comes to the end of every feed, and has seen exactly the audit and what the model expects. */
export async function checkOperatorFeed(world: World): Promise<void> {
  for (const ledger of ledgersUnderTest) {
    while ((await readOperator(world, ledger, 200)) !== 0);
    const audited = await countAudit(ledger);
    const told = feedOf(world, ledger).audited;
    must(told === audited, 'the operator was not told of the audit’s rows after', ledger, told, audited);
  }
  const missing = [...world.model.operator.expected].filter(([, events]) => events.length > 0);
  must(missing.length === 0, 'the operator was not told', missing);
}
