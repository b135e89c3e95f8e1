import { z } from 'zod';
import { haltExchange } from '../db/copy-settings.ts';
import { readSettings } from '../db/settings.ts';
import { VALUE_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { QUOTE_ASSET, showUsdt } from '../money/assets.ts';
import { logFault } from '../platform/log.ts';
import type { Duty } from '../reconciliation/duty.ts';
import { dayOf } from '../reconciliation/day-sums.ts';
import { sumParts } from '../reconciliation/profit-of-day.ts';
import { readHedgeBook } from './hedge-book.ts';
import { partOf } from './plan-hedge.ts';

/** The day of the newest halt, and the loss of that day that two people have accepted by lifting it. */
const Accepted = z.object({ day: z.string(), loss: z.string() }).catch({ day: '', loss: '0' });

const STATE = 'loss';

/**
 * Values the house's positions at the prices of now, and halts trading in the whole exchange once this ledger has lost more
 * than its part of `dailyLoss` today (UTC): a loss in spite of hedges means that prices are wrong. Each ledger judges by
 * itself: if all lose more than the whole, one loses more than its part, so none has to hear of another. After two people
 * have lifted the halt, as much again may be lost that day.
 */
export const watchLoss: Duty = {
  fault: 'loss_not_watched',
  run: async ({ bindings, ledger, database, state, sums }) => {
    const { positions } = sums;
    // Without a position and an order of today there is nothing to value, and nothing is asked.
    if (positions.length === 0 && sums.listProfit(dayOf(Date.now())).length === 0) return;
    const snapshot = positions.length > 0 ? await readSnapshot(bindings, VALUE_MAX_AGE_MS) : undefined;
    const now_ms = Date.now();
    const firm = positions.flatMap((coin) => (snapshot && firmPrice(snapshot, coin, now_ms)) ?? []);
    sums.mark(new Map(firm.map(({ coin, price }) => [coin, price])), now_ms);
    const { dailyLoss, tradingHalted } = await readSettings(database);
    if (dailyLoss === null) return;
    const today = dayOf(now_ms);
    const loss = -sumParts(sums.listProfit(today).filter((one) => one.day === today));
    const accepted = Accepted.parse(state.read(STATE));
    const usdt = (await readHedgeBook(database.$client)).parts.get(QUOTE_ASSET);
    const most = (usdt ? partOf(dailyLoss, usdt) : 0n) + (accepted.day === today ? BigInt(accepted.loss) : 0n);
    if (loss <= most) return;
    if (!tradingHalted) {
      const reason = `ledger ${ledger} has lost ${showUsdt(loss)} USDT today, and ${showUsdt(most)} are allowed`;
      logFault('loss_halts_trading', { ledger, loss: showUsdt(loss), allowed: showUsdt(most) });
      await haltExchange(bindings, { tradingHalted: true }, 'trading', { reason }, now_ms);
    }
    state.write(STATE, { day: today, loss: String(loss) });
  },
};
