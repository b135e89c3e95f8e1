import { json, type Trader } from '../support/exchange.ts';
import { type FeedPage, recordOf } from '../support/events/feed.ts';
import { CONNECTION_LOST, OVERLOADED, abort, aroundBatches, fail } from '../support/runtime/faults.ts';
import { ledgersUnderTest, queryAll } from '../support/db/open-in-ledger.ts';
import type { Draw } from '../support/draw.ts';
import type { ModelAccount, ModelReader } from './model.ts';
import { must } from './must.ts';
import { checkOperatorFeed, readOperator } from './operator-feed.ts';
import type { World } from './world.ts';

const isEventRead = (text: string) => text.includes('from \\"listeners\\"');

/** Reads the next events of an account or of the operator, in some steps while the database or an account’s lane dies. */
export async function stepEvents(world: World, draw: Draw): Promise<void> {
  const account = draw.pick([...world.model.accounts.filter(({ reader }) => reader !== null), null]);
  const fault = draw.weigh({ none: 6, d1_lost: 2, d1_overloaded: 1, lane_aborted: account ? 2 : 0 });
  const trader = account && readingKey(account);
  if (account && !trader) return;
  if (trader && fault === 'lane_aborted') await abort(trader.lane);
  const message = fault === 'd1_overloaded' ? OVERLOADED : CONNECTION_LOST;
  const moment = draw.pick(['before', 'after'] as const);
  const injection = fault.startsWith('d1') ? aroundBatches(moment, 1, fail(message), isEventRead) : undefined;
  const limit = 1 + draw.below(30);
  const count = await (trader
    ? readNext(world, account, trader, limit)
    : readOperator(world, draw.pick(ledgersUnderTest), limit));
  injection?.restore();
  if (fault !== 'none') world.count('faults', `events_${fault}`);
  world.count('operations', 'event that was read', count ?? 0);
}

export function readingKey({ keys }: ModelAccount): Trader | undefined {
  return keys.find(({ revoked, scopes }) => !revoked && scopes.includes('read'))?.trader;
}

/** Reads a page after the reader's number. Returns how many events came; `undefined` when the exchange refused. */
async function readNext(
  world: World,
  { id, reader }: ModelAccount,
  trader: Trader,
  limit: number,
): Promise<number | undefined> {
  if (!reader) return undefined;
  const response = await trader.get(`/api/v1/events?after=${reader.after}&limit=${limit}`);
  if (response.status === 503) return undefined;
  must(response.status === 200, 'events were answered', response.status);
  const { events, nextAfter, since } = await json<FeedPage>(response);
  must(since === 0 && events.length <= limit, 'a page of events is', since, events.length, limit);
  for (const event of events) {
    const expected = reader.expected[reader.seen.length];
    const isNext = event.sequence === reader.seen.length + 1 && event.id === `evt_${id}_${event.sequence}`;
    must(isNext, 'an event is out of order', event, reader.seen.length);
    must(expected?.type === event.type, 'an event is', event, 'instead of', expected, reader.seen.length);
    const record = recordOf(event);
    must(expected.subject === null || record['id'] === expected.subject, 'an event shows', record, expected);
    const withdrawal = world.model.withdrawals.get(String(record['id']));
    if (withdrawal) must(record['status'] === withdrawal.status, 'an event shows', record, withdrawal);
    reader.seen.push(event.id);
  }
  reader.after = reader.seen.length;
  must(nextAfter === reader.after, 'a page of events ends at', nextAfter, reader.after);
  return events.length;
}

/** Each reader comes to the end of its feed, and has seen exactly what the model expects, each event once. */
export async function checkEvents(world: World): Promise<void> {
  for (const account of world.model.accounts) {
    const trader = readingKey(account);
    if (account.reader && trader) {
      while ((await readNext(world, account, trader, 200)) !== 0);
      checkSeen(account.reader);
    }
  }
  await checkOperatorFeed(world);
  const [silent] = world.model.accounts;
  const told = await queryAll('SELECT sequence FROM events WHERE account_id = ?', silent?.id ?? '');
  must(told.length === 0, 'an account that does not listen has events');
}

function checkSeen({ expected, seen }: ModelReader): void {
  must(seen.length === expected.length, 'events are missing', seen.length, expected.slice(seen.length).slice(0, 3));
  must(new Set(seen).size === seen.length, 'an event came twice');
}
