import { z } from '@hono/zod-openapi';
import { laneUnreachable } from '../access/admit.ts';
import { type MoveEnd, finishMove } from '../accounts/moves/finish-move.ts';
import { findLeaving, findObstacle, leaveLedger } from '../accounts/moves/leave-ledger.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { Id } from '../http/wire-types.ts';
import { tellLanes } from '../lane/tell-lanes.ts';
import type { Actor } from '../ledger/audit.ts';
import { findNumberedLedger } from '../ledger/ledgers.ts';
import { MAX_LEDGER, ledgerNumberOf } from '../ledger/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';
import { refuseLedger } from './unknown-ledger.ts';

/** The body with which an account is moved. */
export const MoveAccount = z
  .strictObject({
    ledger: z
      .int()
      .min(0)
      .max(MAX_LEDGER)
      .openapi({ description: 'The number of the ledger that it goes to', example: 1 }),
  })
  .openapi('MoveAccount');

export type MoveAccount = z.output<typeof MoveAccount>;

/** The move of an account that was made. */
export const AccountMove = z
  .object({
    accountId: Id,
    from: z.int().openapi({ description: 'The ledger in which it was opened, and which its id names', example: 0 }),
    to: z.int().openapi({ description: 'The ledger that it is in now', example: 1 }),
  })
  .openapi('AccountMove');

export type AccountMove = z.output<typeof AccountMove>;

const onItsWay = refuse(
  'service_unavailable',
  'The account has left its ledger, and the other one has not confirmed it. Send the same request again, or wait a minute.',
  { retryAfterSeconds: 1 },
);

/**
 * Moves a frozen account to another ledger, once and for good. The same call again finishes a move that was cut off, or
 * answers the same; so does the keeper of the ledger that the account left, each minute. Refuses with `not_found`, with
 * `invalid_request` for a ledger that does not exist, with `invalid_state` while something keeps the account where it is
 * (see `findObstacle`), and with `service_unavailable` when a lane of its keys or a database did not answer. Throws when
 * D1 cannot be read.
 */
export async function moveAccount(
  bindings: Bindings,
  accountId: string,
  { ledger: to }: MoveAccount,
  actor: Actor,
): Promise<Outcome<AccountMove>> {
  const found = await findLeaving(bindings, accountId);
  if (!found.ok) return found;
  if (!findNumberedLedger(bindings, to)) return refuseLedger('/ledger');
  if (found.value.home.movedTo !== to) {
    const obstacle = await findObstacle(bindings, found.value, to, actor.now_ms);
    if (obstacle) return obstacle;
    // A lane that does not know that the account is frozen would go on reading in the ledger that it left.
    if (!(await tellLanes(bindings, accountId, actor.now_ms))) return laneUnreachable;
    const left = await leaveLedger(bindings, found.value, to, actor);
    if (!left.ok) return left;
  }
  return describeEnd(await finishMove(bindings, accountId, actor.now_ms), {
    accountId,
    from: ledgerNumberOf(accountId),
    to,
  });
}

function describeEnd(end: MoveEnd, move: AccountMove): Outcome<AccountMove> {
  switch (end) {
    case 'finished':
      return accept(move);
    case 'unknown':
      return onItsWay;
    case 'refused':
      throw new Error(`ledger ${move.to} does not take in the account ${move.accountId}`);
  }
}
