import type { Asset } from '../../src/money/assets.ts';
import { houseOfAccount } from './house-of.ts';
import {
  type Model,
  type ModelReference,
  type ModelTrade,
  type Movement,
  must,
  sameMovements,
  withoutReference,
} from './model.ts';

/** A trade is delivered within this time or given back. */
const DELIVERED_WITHIN_MS = 82_800_000;

type Row = Omit<Movement, 'reference'>;

/** What each step of a trade moves, in the ledgers of both accounts. */
function stepsOf({ buyer, seller, coin, coinAmount, usdtAmount }: ModelTrade) {
  const [own, peer] = [houseOfAccount(buyer), houseOfAccount(seller)];
  const row = (kind: string, debit: string, credit: string, asset: Asset): Row => ({
    kind,
    debit,
    credit,
    asset,
    amount: asset === 'USDT' ? usdtAmount : coinAmount,
  });
  return {
    hold: [row('hold', buyer, own.payouts, 'USDT')],
    delivery: [row('movement', peer.transit, seller, 'USDT'), row('movement', seller, peer.transit, coin)],
    payment: [row('movement', own.payouts, own.transit, 'USDT'), row('movement', own.transit, buyer, coin)],
    giveBack: [row('hold', own.payouts, buyer, 'USDT')],
  };
}

/** The refusal of a trade whose USDT is held, if the seller's ledger refuses it. */
export function refuseHeld(model: Model, trade: ModelTrade, now_ms: number): string | null {
  if (trade.state !== 'held') return null;
  const [buyer, seller] = [model.account(trade.buyer), model.account(trade.seller)];
  if (now_ms - trade.heldAt_ms >= DELIVERED_WITHIN_MS) return 'service_unavailable';
  if (seller?.frozen) return 'account_frozen';
  if (model.settings.tradingHalted) return buyer?.frozen ? 'account_frozen' : 'trading_halted';
  if (trade.isRefused) return 'service_unavailable';
  return model.affords(trade.seller, trade.coin, trade.coinAmount) ? null : 'insufficient_balance';
}

/**
 * Notes that the seller's ledger has refused a held trade. The refusal stands, whatever changes before the USDT is given
 * back, and there was a reason for it.
 */
export function noteRefusal(model: Model, now_ms: number, id: string): void {
  const trade = model.trades.get(id)?.trade;
  must(trade?.state === 'held', 'a refusal of no held trade', id, trade);
  must(refuseHeld(model, trade, now_ms) !== null, 'refused without a reason', id, trade);
  trade.isRefused = true;
}

/**
 * Holds what was moved for one settlement, in all ledgers, against its steps: each comes once, whole, and in order. What
 * is held goes back only where the seller's ledger refuses. `wanted` is what the request in progress asks for.
 */
export function advanceTrade(
  model: Model,
  wanted: ModelReference | null,
  now_ms: number,
  id: string,
  rows: readonly Movement[],
): void {
  const known = model.trades.get(id);
  const reference = known ?? wanted;
  const trade = reference?.trade;
  must(trade !== undefined, 'a trade between two ledgers that nobody asked for', id, rows);
  let left: readonly Row[] = rows.map(withoutReference);
  const take = (step: readonly Row[]): boolean => {
    const rest = left.filter((one) => !step.some((other) => sameMovements([one], [other])));
    if (left.length - rest.length !== step.length) return false;
    left = rest;
    return true;
  };
  const steps = stepsOf(trade);
  if (!known && trade.state === 'none' && take(steps.hold)) {
    model.trades.set(id, reference as ModelReference);
    Object.assign(trade, { state: 'held', heldAt_ms: now_ms, isRefused: false });
  }
  must(model.trades.has(id), 'not held', id, rows);
  const isRefused = refuseHeld(model, trade, now_ms) !== null;
  if (trade.state === 'held' && take(steps.delivery)) {
    must(!trade.isRefused, 'delivered though it was refused', id, trade);
    trade.state = 'delivered';
  }
  if (trade.state === 'delivered' && take(steps.payment)) {
    trade.state = 'paid';
    (reference as ModelReference).isDone = true;
  }
  if (trade.state === 'held' && take(steps.giveBack)) {
    must(isRefused, 'given back though it was not refused', id, trade);
    trade.state = 'none';
  }
  must(left.length === 0, 'moved for a trade', id, left, trade);
}
