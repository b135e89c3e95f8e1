import type { OperatorEvent } from '../../src/events/operator-event.ts';
import { asOperator, json } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { NOBODY, must } from './model.ts';
import type { World } from './world.ts';

interface Page {
  readonly events: readonly OperatorEvent[];
  readonly nextAfter: number;
  readonly since: number;
  readonly newest: number;
}

async function countAudit(): Promise<number> {
  return Number(await env.DB.prepare('SELECT coalesce(max(id), 0) AS n FROM audit').first('n'));
}

/** The operator begins to listen. What was before is told to nobody. */
export async function followExchange({ model }: World): Promise<void> {
  const { newest } = await json<Page>(await asOperator('GET', '/events'));
  must(newest === 0, 'the operator was told before it listened', newest);
  model.operator.audited = await countAudit();
}

/**
 * Reads a page of the operator's feed: each row of the audit, by its number, and of each account every status of its
 * deposits and withdrawals, in order. Returns how many events came; `undefined` when the exchange refused.
 */
export async function readOperator(world: World, limit: number): Promise<number | undefined> {
  const { operator } = world.model;
  const response = await asOperator('GET', `/events?after=${operator.after}&limit=${limit}`);
  if (response.status === 503) return undefined;
  must(response.status === 200, 'the operator’s events were answered', response.status);
  const { events, nextAfter, since, newest } = await json<Page>(response);
  must(since === 0 && events.length <= limit, 'a page for the operator is', since, events.length, limit);
  for (const event of events) {
    operator.after += 1;
    const isNext = event.sequence === operator.after && event.id === `evt_operator_0_${event.sequence}`;
    must(isNext, 'the operator’s event is out of order', event, operator.after);
    take(world, event);
  }
  must(nextAfter === operator.after && nextAfter <= newest, 'a page for the operator ends at', nextAfter, newest);
  return events.length;
}

function take({ model }: World, { type, data }: OperatorEvent): void {
  const { operator } = model;
  if ('entry' in data) {
    operator.audited += 1;
    must(data.entry.id === String(operator.audited), 'the operator is told of', data.entry, operator.audited);
    return;
  }
  must('deposit' in data || 'withdrawal' in data, 'the operator is told', type, data);
  const record = 'deposit' in data ? data.deposit : data.withdrawal;
  const expected = operator.expected.get(record.accountId ?? NOBODY)?.shift();
  must(expected?.type === type, 'the operator is told', type, record, 'instead of', expected);
  must(expected.subject === null || record.id === expected.subject, 'the operator is shown', record, expected);
  const withdrawal = model.withdrawals.get(record.id);
  if (withdrawal) must(record.status === withdrawal.status, 'the operator is shown', record, withdrawal);
}

/** The operator comes to the end of the feed, and has seen exactly the audit and what the model expects. */
export async function checkOperatorFeed(world: World): Promise<void> {
  const { operator } = world.model;
  while ((await readOperator(world, 200)) !== 0);
  const missing = [...operator.expected].filter(([, events]) => events.length > 0);
  must(missing.length === 0, 'the operator was not told', missing);
  const audited = await countAudit();
  must(operator.audited === audited, 'the operator was not told of the audit’s rows after', operator.audited, audited);
}
