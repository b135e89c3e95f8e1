import { ledgerOf } from './db/database.ts';
import { ledgerNumberOf } from './db/record-id.ts';
import { wakeSenders } from './events/webhooks/reach-sender.ts';
import { wakeAfterChange } from './events/webhooks/wake-after-change.ts';
import type { Caller, LaneOperations } from './lane/once.ts';
import { placeOrder } from './orders/place-order.ts';
import type { BoundsOf } from './orders/terms.ts';
import type { Bindings } from './platform/bindings.ts';
import { describeError, logFault } from './platform/log.ts';
import { type WithdrawalSettings, createWithdrawal } from './withdrawals/execute-withdrawal.ts';

export interface LaneSettings extends WithdrawalSettings {
  readonly boundsOf: BoundsOf;
}

/** Every operation that lanes execute, under the name of its route. */
export function listOperations(bindings: Bindings, settings: LaneSettings): LaneOperations {
  /** An order is told to its own account alone. If this fails, the sweep of the same minute does it. */
  const tellAccount = async ({ accountId }: Caller) => {
    try {
      await wakeSenders(bindings, ledgerOf(bindings, accountId), accountId);
    } catch (error) {
      logFault('senders_not_woken', { error: describeError(error) });
    }
  };
  const tellEveryone = ({ accountId }: Caller) => wakeAfterChange(bindings, ledgerNumberOf(accountId));
  return {
    placeOrder: placeOrder(bindings, settings.boundsOf, tellAccount),
    createWithdrawal: createWithdrawal(bindings, settings, tellEveryone),
  };
}
