import { and, asc, eq, sql } from 'drizzle-orm';
import { commit } from '../../db/commit.ts';
import { type Database, firstLedger, listLedgers, openLedger } from '../../db/database.ts';
import { FIRST_LEDGER, moveToLedger } from '../../db/record-id.ts';
import { webhookEndpoints } from '../../db/schema/events.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { OPERATOR } from '../operator-event.ts';
import { listen } from '../read-events.ts';
import type { EndpointRow } from './endpoint.ts';
import { type SenderBindings, reachSender } from './reach-sender.ts';

/**
 * The operator's endpoints are rows of ledger 0. Every other ledger has a copy of each, under the same id with its own
 * number, so that an object of that ledger sends its events: with its own progress, to the same address, under the same
 * secrets. A copy is changed by nothing else. Only the original is ever switched off for a reason.
 */

type CopyBindings = LedgerBindings & SenderBindings;

/** Makes the copies of all ledgers agree with the originals. Throws unless each change is confirmed. */
export async function copyEndpointsToAll(bindings: CopyBindings): Promise<void> {
  await Promise.all(listLedgers(bindings).map((ledger) => copyEndpoints(bindings, ledger)));
}

/** Makes the copies of one ledger agree with the originals. Throws unless each change is confirmed. */
export async function copyEndpoints(bindings: CopyBindings, ledger: number): Promise<void> {
  if (ledger === FIRST_LEDGER) return;
  const database = openLedger(bindings, ledger);
  const [originals, copies] = await Promise.all([readEndpoints(firstLedger(bindings)), readEndpoints(database)]);
  const wanted = new Map(originals.map((row) => [moveToLedger(row.id, ledger), describeCopy(row)]));
  if (wanted.size > 0 && copies.length === 0) await listen(database, OPERATOR);
  for (const copy of copies.filter(({ id }) => !wanted.has(id))) await remove(bindings, database, copy.id);
  for (const [id, values] of wanted) {
    const copy = copies.find((row) => row.id === id);
    if (!copy) await insert(database, id, values);
    else if (differs(copy, values)) await update(bindings, database, copy, values);
  }
}

/** What a copy has of its original. */
function describeCopy({ url, description, types, status, sealedSecret, previousSecrets }: EndpointRow) {
  return { url, description, types, status, sealedSecret, previousSecrets };
}

type CopyValues = ReturnType<typeof describeCopy>;

const differs = (copy: EndpointRow, values: CopyValues) =>
  Object.entries(values).some(([name, value]) => copy[name as keyof CopyValues] !== value);

function readEndpoints(database: Database): Promise<EndpointRow[]> {
  return database
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, OPERATOR))
    .orderBy(asc(webhookEndpoints.id));
}

const isCopy = (id: string) => and(eq(webhookEndpoints.accountId, OPERATOR), eq(webhookEndpoints.id, id));

/** A new copy is sent what happens in its ledger from now on. */
async function insert(database: Database, id: string, values: CopyValues): Promise<void> {
  const delivered = sql`(SELECT sequence - 1 FROM next_events WHERE account_id = ${OPERATOR})`;
  const row = { accountId: OPERATOR, id, ...values, delivered };
  const outcome = await commit(database, [database.insert(webhookEndpoints).values(row)]);
  // Another run of this made it at the same time.
  if (outcome.kind === 'committed' || outcome.kind === 'exists') return;
  throw new Error(`an endpoint was not copied: ${outcome.kind}`);
}

/** A copy that is enabled again begins anew, whatever failed before. */
async function update(bindings: CopyBindings, database: Database, copy: EndpointRow, values: CopyValues) {
  const { id, accountId, delivered, status } = copy;
  const outcome = await commit(database, [
    database
      .update(webhookEndpoints)
      .set({ ...values, dueAt: 0 })
      .where(isCopy(id)),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`an endpoint was not copied: ${outcome.kind}`);
  if (values.status === 'enabled' && status !== 'enabled') {
    await reachSender(bindings, id).retry({ accountId, id }, delivered);
  }
}

async function remove(bindings: CopyBindings, database: Database, id: string): Promise<void> {
  const outcome = await commit(database, [database.delete(webhookEndpoints).where(isCopy(id))]);
  if (outcome.kind !== 'committed') throw new Error(`the copy of an endpoint was not deleted: ${outcome.kind}`);
  await reachSender(bindings, id).forget();
}
