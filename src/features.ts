import { type CustodySettings, compareHoldings } from './custody/watch-custody.ts';
import { ledgerOf } from './db/database.ts';
import { ledgerNumberOf } from './db/record-id.ts';
import { compareVenueOrders } from './dealing/check-venue-orders.ts';
import { NearlyUsed, watchShares } from './db/shares/watch-shares.ts';
import { watchLoss } from './dealing/watch-loss.ts';
import { purgeEvents } from './events/purge-events.ts';
import { copyEndpoints } from './events/webhooks/endpoint-copies.ts';
import { wakeAfterChange, wakeSenders } from './events/webhooks/reach-sender.ts';
import { wakeStream } from './events/reach-stream.ts';
import type { Caller, LaneOperations } from './lane/once.ts';
import { placeOrder } from './orders/place-order.ts';
import type { BoundsOf } from './orders/terms.ts';
import type { Bindings } from './platform/bindings.ts';
import { tryOrLog } from './platform/log.ts';
import type { Duty } from './reconciliation/duty.ts';
import { comparePayments } from './withdrawals/check-payments.ts';
import { type WithdrawalSettings, createWithdrawal } from './withdrawals/execute-withdrawal.ts';
import { sweepWithdrawals } from './withdrawals/pay-out.ts';

export interface LaneSettings extends WithdrawalSettings {
  readonly boundsOf: BoundsOf;
}

/** Every operation that lanes execute, under the name of its route. */
export function listOperations(bindings: Bindings, settings: LaneSettings): LaneOperations {
  /** An order is told to its own account alone. If this fails, the sweep of the same minute does it. */
  const tellAccount = async ({ accountId, hasWebhooks, hasStream }: Caller) => {
    if (hasStream) await wakeStream(bindings, accountId);
    if (!hasWebhooks) return;
    await tryOrLog('senders_not_woken', {}, undefined, () =>
      wakeSenders(bindings, ledgerOf(bindings, accountId), accountId),
    );
  };
  /** A withdrawal may be told to its receiver as well; its own stream does not wait for the keeper. */
  const tellEveryone = async ({ accountId, hasStream }: Caller) => {
    if (hasStream) await wakeStream(bindings, accountId);
    await wakeAfterChange(bindings, ledgerNumberOf(accountId));
  };
  return {
    placeOrder: placeOrder(bindings, settings.boundsOf, tellAccount),
    createWithdrawal: createWithdrawal(bindings, settings, tellEveryone),
  };
}

/** What every keeper does each minute, in this order. */
export function listDuties(settings: CustodySettings): readonly Duty[] {
  const { custody } = settings;
  /** Each time the next accounts are looked at. After a restart it starts over; order does not matter. */
  let purgedTo: string | null = null;
  return [
    watchLoss,
    comparePayments(custody),
    {
      fault: 'sweep_failed',
      run: ({ bindings: ledgers, database }) => sweepWithdrawals({ database, ledgers, custody, now: () => Date.now() }),
    },
    compareHoldings(settings),
    compareVenueOrders(),
    {
      fault: 'shares_not_watched',
      run: async ({ database, ledger, state }) => {
        const known = NearlyUsed.parse(state.read('shares') ?? []);
        const nearlyUsed = await watchShares(database, ledger, known, Date.now());
        if (nearlyUsed.join() !== known.join()) state.write('shares', nearlyUsed);
      },
    },
    { fault: 'endpoints_not_copied', run: ({ bindings, ledger }) => copyEndpoints(bindings, ledger) },
    {
      fault: 'events_not_purged',
      run: async ({ database }) => {
        purgedTo = await purgeEvents(database, purgedTo);
      },
    },
  ];
}
