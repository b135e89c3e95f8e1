import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { Amount, Decimal, Id, Timestamp } from '../http/wire-types.ts';
import { type Outcome, accept, refuse, refusePrecision, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type Database, directoryOf, openLedger } from '../db/database.ts';
import { claimNames } from '../db/directory.ts';
import { approvalRefusals, explain } from '../db/explain.ts';
import { commit } from '../db/commit.ts';
import { newRecordId, timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, fundings } from '../db/schema.ts';
import { VENUE_PREFIX, house, nextTransfer } from '../db/transfers.ts';
import { assetSymbols, scaleOf } from '../money/assets.ts';
import { MAX_ATOMS, formatAmount, parseAmount } from '../money/amounts.ts';

const OWNER = 'owner';
const CUSTODY = 'custody';

const Place = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'is neither owner, custody nor a name of a venue')
  .openapi({ description: 'owner, custody, or the name of a venue at the dealer', example: 'binance' });

/** The body of POST /operator/v1/fundings. Its reference makes it happen once. */
export const CreateFunding = z
  .strictObject({
    ledger: z.int().min(0).openapi({ description: 'The ledger whose money it is', example: 0 }),
    from: Place,
    to: Place,
    asset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
    amount: Amount.openapi({ example: '50000' }),
    reference: z
      .string()
      .regex(/^[!-~]{1,100}$/, 'is not 1 to 100 visible ASCII characters')
      .openapi({ description: 'Your own name of it, such as a hash, which makes it happen once', example: 'tx-7' }),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'is where it comes from' })
  .openapi('CreateFunding');

export type CreateFunding = z.output<typeof CreateFunding>;

/** Money of the house that went from one place to another. */
export const Funding = CreateFunding.safeExtend({ id: Id, ts: Timestamp, amount: Decimal }).openapi('Funding');

export type Funding = z.output<typeof Funding>;

interface Funded {
  readonly funding: Funding;
  readonly isNew: boolean;
}

/** The house's account of a place. The owner's purse is what the inventory gets as capital, or gives up. */
const accountOf = (place: string) =>
  place === OWNER ? house.liquidity : place === CUSTODY ? house.custody : VENUE_PREFIX + place;

const placeOf = (account: string) =>
  account === house.liquidity ? OWNER : account === house.custody ? CUSTODY : account.slice(VENUE_PREFIX.length);

/** Whether a place is a venue. */
export function isVenue(place: string): boolean {
  return place !== OWNER && place !== CUSTODY;
}

const usedReference = refuse('invalid_state', 'Another funding was entered under this reference. Use a new one.');

const unconfirmed = refuseUnconfirmed('The funding was not confirmed. Send it again with the same reference.');

/**
 * Records that money of the house went from one place to another, once per reference: capital that its owner brought in or
 * took out, and what went to a venue or came back. Two people agree on it. Refuses with `precision_exceeded`,
 * `amount_below_minimum`, `amount_above_maximum`, `invalid_state` when the reference was used for another one, and
 * `order_rejected` when the place does not have so much or custody's cap would be passed. Throws when D1 cannot be read.
 */
export async function fund(bindings: LedgerBindings, wanted: CreateFunding, actor: Actor): Promise<Outcome<Funded>> {
  const { ledger, asset, reference } = wanted;
  const amount = parseAmount(wanted.amount, scaleOf(asset));
  if (amount === undefined) return refusePrecision(asset);
  if (amount === 0n) return refuse('amount_below_minimum', 'A funding moves more than nothing.');
  if (amount > MAX_ATOMS) return refuse('amount_above_maximum', `The ledger cannot count so much ${asset}.`);
  const database = openLedger(bindings, ledger);
  const earlier = await findFunding(database, ledger, reference);
  if (earlier) return repeat(earlier, wanted);
  const claim = { kind: 'funding', name: reference, holder: String(ledger) } as const;
  const [holder] = await claimNames(directoryOf(bindings), [claim]);
  if (holder !== claim.holder) return usedReference;
  const id = newRecordId(actor.now_ms, ledger);
  const [accountId, source] = [accountOf(wanted.to), accountOf(wanted.from)];
  const outcome = await commit(
    database,
    [
      insertAudit(database, actor, 'fund', id, wanted),
      database.insert(fundings).values({ accountId, id, source, asset, amount, reference, transfer: nextTransfer() }),
    ],
    [{ debit: accountId, credit: source, asset, amount, kind: 'funding', reference: id }],
  );
  if (outcome.kind === 'floor') return refuseFloor(outcome.account, asset, outcome.balance);
  const refusal = explain(outcome, approvalRefusals);
  if (refusal) return refusal;
  const landed = await findFunding(database, ledger, reference);
  if (!landed) return unconfirmed;
  return landed.id === id ? accept({ funding: landed, isNew: true }) : repeat(landed, wanted);
}

function refuseFloor(account: string, asset: (typeof assetSymbols)[number], balance: bigint | undefined) {
  const has = balance === undefined ? '' : ` It has ${formatAmount(balance, scaleOf(asset))}.`;
  const detail =
    account === house.custody && balance === undefined
      ? `Custody would hold more ${asset} than the supply cap allows.`
      : `There is not so much ${asset} at ${account}.${has}`;
  return refuse('order_rejected', detail);
}

function repeat(earlier: Funding, wanted: CreateFunding): Outcome<Funded> {
  const isSame = (['from', 'to', 'asset'] as const).every((name) => earlier[name] === wanted[name]);
  return isSame &&
    parseAmount(wanted.amount, scaleOf(wanted.asset)) === parseAmount(earlier.amount, scaleOf(wanted.asset))
    ? accept({ funding: earlier, isNew: false })
    : usedReference;
}

async function findFunding(database: Database, ledger: number, reference: string): Promise<Funding | undefined> {
  const [row] = await database.select(columnsOf(fundings)).from(fundings).where(eq(fundings.reference, reference));
  if (!row) return undefined;
  const { id, accountId, source, asset } = row;
  return {
    id,
    ts: timestampOfRecord(id),
    ledger,
    from: placeOf(source),
    to: placeOf(accountId),
    asset,
    amount: formatAmount(row.amount, scaleOf(asset)),
    reference,
  };
}
