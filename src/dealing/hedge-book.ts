import { readFailure } from '../db/commit.ts';
import { newRecordId } from '../db/record-id.ts';
import { VENUE_PREFIX } from '../db/transfers.ts';
import { type Asset, type Coin, QUOTE_ASSET, assets, scaleOf, toUsdt } from '../money/assets.ts';
import { type Atoms, floorAmount, formatAmount, formatPrice } from '../money/amounts.ts';
import type { Deal } from './contract.ts';
import type { DealState } from './dealer.ts';
import { type HedgePlan, type Part, ceilAmount } from './plan-hedge.ts';

/** A hedge whose end is not known. */
export interface OpenHedge {
  readonly id: string;
  readonly venue: string;
  readonly coin: Coin;
  readonly side: 'BUY' | 'SELL';
  readonly coinAmount: Atoms;
  readonly limitPrice: Atoms;
  readonly setAside: Atoms;
  readonly sendBy_ms: number;
}

/** What a ledger has, as hedges are planned by it. All of one moment. */
export interface HedgeBook {
  readonly open: readonly OpenHedge[];
  /** By asset, what the house has beyond its capital. */
  readonly positions: ReadonlyMap<string, Atoms>;
  /** By `<venue> <asset>`, what the house has at a venue, less what open hedges may spend of it. */
  readonly atVenues: ReadonlyMap<string, Atoms>;
  /** By asset, the ledger's part of the exchange's exposure. */
  readonly parts: ReadonlyMap<string, Part>;
}

const READ_OPEN = `
  SELECT id, substr(account_id, ${VENUE_PREFIX.length + 1}) AS venue, coin, side, CAST(coin_amount AS TEXT) AS coinAmount,
    CAST(limit_price AS TEXT) AS limitPrice, CAST(set_aside AS TEXT) AS setAside, send_by AS sendBy
  FROM hedges WHERE status = 'OPEN'`;
const READ_OWN = `
  SELECT account, asset, CAST(amount - capital AS TEXT) AS amount FROM balances
  WHERE account IN ('house:liquidity', 'house:hedging') OR account GLOB '${VENUE_PREFIX}*'`;
const READ_PARTS = `
  SELECT asset.key AS asset, coalesce(asset.value ->> settings.ledger, '0') AS share, asset.value AS shares
  FROM settings, json_each(settings.shares, '$."house:liquidity"') AS asset`;
const READ_VOLUME = `
  SELECT coin, CAST(iif(status = 'OPEN', coin_amount, dealt_coin) AS TEXT) AS coinAmount,
    CAST(middle_price AS TEXT) AS middle
  FROM hedges WHERE id >= ? AND status <> 'NEVER'`;

type Row = Readonly<Record<string, string>>;

/** Reads all that hedges are planned by, in one batch. Throws when D1 fails. */
export async function readHedgeBook(d1: D1Database): Promise<HedgeBook> {
  const results = await d1.batch<Row>([READ_OPEN, READ_OWN, READ_PARTS].map((text) => d1.prepare(text)));
  const [open = [], own = [], parts = []] = results.map((one) => one.results);
  const hedges = open.map((row) => ({
    id: row['id'] ?? '',
    venue: row['venue'] ?? '',
    coin: row['coin'] as Coin,
    side: row['side'] as OpenHedge['side'],
    coinAmount: BigInt(row['coinAmount'] ?? 0),
    limitPrice: BigInt(row['limitPrice'] ?? 0),
    setAside: BigInt(row['setAside'] ?? 0),
    sendBy_ms: Number(row['sendBy']),
  }));
  const positions = new Map<string, Atoms>();
  const atVenues = new Map<string, Atoms>();
  for (const { account = '', asset = '', amount = '0' } of own) {
    if (account.startsWith(VENUE_PREFIX)) {
      const venue = account.slice(VENUE_PREFIX.length);
      const spoken = hedges.filter((hedge) => hedge.venue === venue && givesOf(hedge) === asset);
      const bound = spoken.reduce((sum, { setAside }) => sum + setAside, 0n);
      atVenues.set(`${venue} ${asset}`, -BigInt(amount) - bound);
    } else positions.set(asset, (positions.get(asset) ?? 0n) + BigInt(amount));
  }
  return {
    open: hedges,
    positions,
    atVenues,
    parts: new Map(
      parts.map(({ asset = '', share = '0', shares = '[]' }) => {
        const all = (JSON.parse(shares) as string[]).map(BigInt);
        return [asset, { share: BigInt(share), whole: all.reduce((sum, one) => sum + one, 0n) }];
      }),
    ),
  };
}

/**
 * What was hedged since the id that the day begins with, and may still be by what is open, in atoms of USDT. Throws when D1
 * fails.
 */
export async function readVolume(d1: D1Database, dayBegin: string): Promise<Atoms> {
  const { results } = await d1.prepare(READ_VOLUME).bind(dayBegin).all<Row>();
  return results.reduce((sum, { coin, coinAmount = '0', middle = '0' }) => {
    return sum + toUsdt(coin as Coin, BigInt(coinAmount), BigInt(middle), 'up');
  }, 0n);
}

const READ_NEWEST_ENDS = `SELECT reason FROM hedges WHERE status <> 'OPEN' ORDER BY id DESC LIMIT ?`;

/** Why a hedge may be NEVER although nothing is wrong with it: another one may succeed. */
const HARMLESS = ['busy', 'nothing_filled', 'deadline_passed', 'absent', 'paused', 'by_hand'] as const;

const isError = (reason: string | null) => reason !== null && !HARMLESS.some((word) => reason.startsWith(`${word}:`));

/** Whether each of the newest `count` hedges that have ended was refused for an error. Throws when D1 fails. */
export async function areAllErrors(d1: D1Database, count: number): Promise<boolean> {
  const { results } = await d1.prepare(READ_NEWEST_ENDS).bind(count).all<{ readonly reason: string | null }>();
  return results.length === count && results.every(({ reason }) => isError(reason));
}

const givesOf = ({ side, coin }: Pick<OpenHedge, 'side' | 'coin'>): Asset => (side === 'BUY' ? QUOTE_ASSET : coin);

const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM transfers)';
const OPEN_HEDGE = `
  INSERT INTO hedges (account_id, id, coin, side, coin_amount, limit_price, middle_price, set_aside, send_by, status,
    taken_transfer)
  VALUES (?, ?, ?, ?, CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER), ?, 'OPEN', ${NEXT})`;
const END_HEDGE = `
  UPDATE hedges SET status = ?, dealt_coin = CAST(? AS INTEGER), dealt_usdt = CAST(? AS INTEGER), fee_asset = ?,
    fee = CAST(? AS INTEGER), venue_reference = ?, reason = ?, ended_at = ?, ended_transfer = ${NEXT}
  WHERE id = ?`;

/**
 * Writes a hedge, which sets aside what it may spend. Returns it, or why it is not written: the guard or floor that refused
 * it, or that D1 did not say. Then nothing may be sent; if it was written all the same, the next look finds it.
 */
export async function openHedge(
  d1: D1Database,
  ledger: number,
  venue: string,
  plan: HedgePlan,
  sendBy_ms: number,
  now_ms: number,
): Promise<OpenHedge | string> {
  const { coin, side, coinAmount, limitPrice, middlePrice, setAside } = plan;
  const id = newRecordId(now_ms, ledger);
  const amounts = [coinAmount, limitPrice, middlePrice, setAside].map(String);
  const statement = d1.prepare(OPEN_HEDGE).bind(VENUE_PREFIX + venue, id, coin, side, ...amounts, sendBy_ms);
  try {
    await statement.run();
  } catch (error) {
    const outcome = readFailure(error);
    return outcome.kind === 'guarded' ? outcome.guard : outcome.kind;
  }
  return { id, venue, coin, side, coinAmount, limitPrice, setAside, sendBy_ms };
}

/** The deal of a hedge. It is the same whenever it is submitted, to the byte: all of it is in the hedge's row. */
export function dealOf(hedge: OpenHedge, ledger: number): Deal {
  return {
    id: hedge.id,
    ledger,
    venue: hedge.venue,
    coin: hedge.coin,
    side: hedge.side,
    amount: formatAmount(hedge.coinAmount, scaleOf(hedge.coin)),
    limitPrice: formatPrice(hedge.limitPrice),
    sendBy: new Date(hedge.sendBy_ms).toISOString(),
  };
}

/** How a hedge ended, in atoms: rounded against the house, by less than an atom of each. */
export interface HedgeEnd {
  readonly coin: Atoms;
  readonly usdt: Atoms;
  readonly fee: { readonly asset: Asset; readonly amount: Atoms } | null;
  readonly reference: string;
}

/**
 * What a dealt hedge moved, or why it cannot be: the ledger then leaves it open, and a person looks at it. `isWorse` says
 * that the price is beyond the limit, though the money that was set aside is enough for it. Pure.
 */
export function readEnd(
  { side, coin, coinAmount, limitPrice, setAside }: OpenHedge,
  { amount, cost, fee }: Extract<DealState, { kind: 'dealt' }>,
): (Omit<HedgeEnd, 'reference'> & { readonly isWorse: boolean }) | string {
  const isBuy = side === 'BUY';
  const dealtCoin = (isBuy ? floorAmount : ceilAmount)(amount, scaleOf(coin));
  const dealtUsdt = (isBuy ? ceilAmount : floorAmount)(cost, scaleOf(QUOTE_ASSET));
  if (dealtCoin === 0n || dealtUsdt === 0n) return 'less than an atom was dealt';
  if (dealtCoin > coinAmount) return 'more was dealt than ordered';
  if ((isBuy ? dealtUsdt : dealtCoin) > setAside) return 'more was dealt than set aside';
  if (fee && !(fee.asset in assets)) return `the fee is in ${fee.asset}`;
  const limit = toUsdt(coin, dealtCoin, limitPrice, isBuy ? 'up' : 'down');
  const isWorse = isBuy ? dealtUsdt > limit + 1n : dealtUsdt + 1n < limit;
  const asset = fee?.asset as Asset;
  return {
    coin: dealtCoin,
    usdt: dealtUsdt,
    fee: fee && { asset, amount: ceilAmount(fee.amount, scaleOf(asset)) },
    isWorse,
  };
}

/** The statement that ends a hedge as DEALT, or as NEVER with the reason. */
export function endHedge(d1: D1Database, id: string, end: HedgeEnd | { readonly reason: string }, now_ms: number) {
  const statement = d1.prepare(END_HEDGE);
  if ('reason' in end) return statement.bind('NEVER', '0', '0', null, '0', null, end.reason, now_ms, id);
  const { coin, usdt, fee, reference } = end;
  const [asset, paid] = [fee?.asset ?? null, String(fee?.amount ?? 0n)];
  return statement.bind('DEALT', String(coin), String(usdt), asset, paid, reference, null, now_ms, id);
}

/** Runs the statement of `endHedge`. A hedge that has ended meanwhile stays as it is. Throws when D1 fails or refuses it. */
export async function runEnd(statement: D1PreparedStatement): Promise<void> {
  try {
    await statement.run();
  } catch (error) {
    const outcome = readFailure(error);
    if (outcome.kind !== 'guarded' || outcome.guard !== 'hedge_ended') throw error;
  }
}
