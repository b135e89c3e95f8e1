import type { LedgerBindings } from '../platform/bindings.ts';
import type { Database } from '../db/database.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { Custody } from '../custody/custody.ts';
import { payOut } from '../withdrawals/pay-out.ts';
import type { WithdrawalRow } from '../withdrawals/withdrawal.ts';

/** How long a POST waits for the custodian. The whole answer must arrive within 8 s. */
const DEADLINE_MS = 6_500;

/** The payouts under way in one object. Requests for the same withdrawal wait for the same answer. */
export class Payouts {
  readonly #custody: Custody;
  readonly #ledgers: LedgerBindings;
  readonly #underWay = new Map<string, Promise<WithdrawalRow>>();

  constructor(custody: Custody, ledgers: LedgerBindings) {
    this.#custody = custody;
    this.#ledgers = ledgers;
  }

  /**
   * The withdrawal after the custodian's answer, or as it is when the custodian takes too long; the payout then
   * continues.
   */
  async payInTime(database: Database, row: WithdrawalRow, isFresh: boolean): Promise<WithdrawalRow> {
    let paying = this.#underWay.get(row.id);
    if (!paying) {
      const context = { database, ledgers: this.#ledgers, custody: this.#custody, now: () => Date.now() };
      paying = payOut(context, row, isFresh).finally(() => this.#underWay.delete(row.id));
      this.#underWay.set(row.id, paying);
    }
    const underWay = paying;
    try {
      return await withDeadline(DEADLINE_MS, () => underWay);
    } catch {
      return row;
    }
  }
}
