import type { CustodyStanding } from '../db/custody-standing.ts';
import type { KeeperStanding } from '../reconciliation/reach-keeper.ts';
import type { SourceStandings } from '../markets/price-hub.ts';
import type { GateLoad } from '../orders/place-order.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type Coin, QUOTE_ASSET, coinSymbols, scaleOf } from '../money/assets.ts';
import { type Atoms, Exact, parseAmount } from '../money/amounts.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { partOf } from '../dealing/plan-hedge.ts';
import { dayOf } from '../reconciliation/day-sums.ts';
import { type ProfitOfDay, addParts, sumParts } from '../reconciliation/profit-of-day.ts';
import { type House, shareOf } from './house.ts';
import { showParts } from './profit.ts';
import type { Venues } from './venues.ts';
import { MOST_COUNTED, type OpenState, type OpenWork, sumStates } from '../exchange/open-work.ts';

/** The content type of the text (OpenMetrics 1.0.0). */
export const METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** What is open in a ledger, and how its reconciliation stands; `undefined` what did not answer. */
export interface MeasuredLedger {
  readonly ledger: number;
  readonly work: OpenWork | undefined;
  readonly keeper: KeeperStanding | undefined;
}

/** What a scrape shows. What could not be reached is absent. */
export interface Measured {
  readonly ledgers: readonly MeasuredLedger[];
  readonly house: House;
  /** Profit and loss of today, by ledger. */
  readonly gained: readonly LedgerAnswer<readonly ProfitOfDay[]>[];
  readonly dailyLoss: Atoms | null;
  readonly venues: Venues;
  readonly snapshot: MarketSnapshot | undefined;
  readonly custodian: CustodyStanding | undefined;
  readonly standings: SourceStandings | undefined;
  readonly load: GateLoad | undefined;
  readonly now_ms: number;
}

type Value = number | string | null | undefined;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: Value];

/** What each metric says. All are gauges, and a unit is the end of its name. */
const helps = {
  trading_halted: 'Whether trading is halted',
  withdrawals_halted: 'Whether withdrawals are halted',
  violations_open: 'Violations that the reconciliation found and nobody cleared',
  withdrawals_open: `Withdrawals that wait for a review or for the custodian, at most ${MOST_COUNTED}`,
  withdrawals_oldest_age_seconds: 'How long the oldest of them has waited; 0 without any',
  payouts_held: `Payouts that the custodian holds before it pays, of the oldest ${MOST_COUNTED} that are with it`,
  payouts_held_oldest_age_seconds: 'How long the oldest of them is known to be held; 0 without any',
  deposits_open: `Deposits that wait for confirmations, or are quarantined and no dust, at most ${MOST_COUNTED}`,
  deposits_oldest_age_seconds: 'How long ago the oldest of them was first reported; 0 without any',
  owed_to_clients: 'The sum of all clients’ balances, in the asset',
  in_flight: 'Taken for withdrawals that have not ended, in the asset',
  fees_earned: 'Withdrawal fees so far, in the asset',
  inventory: 'What orders fill from, in the asset; below zero the house is short',
  exposure_used_ratio: 'How much of the exposure limit is used',
  supply_cap_used_ratio: 'How much of the supply cap is used',
  share_used_ratio: 'How much a ledger has used of its share of a limit',
  custody_answer_age_seconds: 'How long ago the custodian last said what it holds, or since when it was asked in vain',
  custody_known: 'Whether the custodian said of every network how much of the asset it holds',
  custody_short: 'Whether it then holds less than it should by the ledger; 0 while that is not known',
  position_value: 'What the house bears the risk of, in USDT at the firm price; below zero it is short',
  profit_of_day: 'What the house gained today, in UTC, in USDT; below zero it lost',
  daily_loss_used_ratio:
    'How much a ledger has lost today of its part of dailyLoss, which halts trading; absent where none is set',
  hedge_cost_usdt: 'What hedges cost today, in UTC, against the middle price, with the venues’ fees',
  hedge_open_seconds: 'How long the oldest open hedge at a venue has been open; 0 without any',
  venue_lateness_seconds:
    'How long after its time an order may still be filled at a venue; absent while the dealer does not say',
  venue_difference:
    'What a venue holds more than the ledgers say, in the asset; below zero it holds less. 0 for what rounding leaves; absent while it is not known',
  hedging_halted: 'Whether hedging is halted',
  at_venues_used_ratio: 'How much of what may be at venues is there; absent while it is not known',
  orders_of_day: 'Orders that were filled today, in UTC',
  spread_of_day: 'What they earned by their spread, in USDT',
  gate_up: 'Whether the gates of all ledgers answered',
  gate_orders: 'Orders that are in all gates at this moment',
  order_wait_seconds:
    'How long the last hundred orders of each gate waited for their price: the median, and the longest',
  price_source_up: 'Whether a source of prices is asked; 0 while it is suspended after failures',
  stream_open: 'Whether the stream of a venue is open',
  stream_delay_seconds: 'How late the newest message of a venue’s stream was',
  stream_silence_seconds: 'How long ago a venue’s stream last said something',
  stream_books: 'The markets of which a venue’s stream holds a book',
  stream_reconnects: 'How often a venue’s stream was opened again',
  price_hub_up: 'Whether the price hub answered',
  price_age_seconds: 'How long ago the price was received that venues agree on; absent without one',
  price_sources: 'The venues that the shown price is made of',
  ledger_up: 'Whether the database of the ledger answered',
  database_bytes: 'How large the database of the ledger is; D1 allows 10 GB',
  keeper_up: 'Whether the keepers of all ledgers answered',
  reconciliation_step_age_seconds:
    'How long ago the reconciliation last made a step, in the ledger where it is the longest',
  reconciliation_transfers_behind: 'Transfers that the reconciliation has not read yet',
} as const;

type Metric = keyof typeof helps;

type Samples = Partial<Record<Metric, Value | readonly Sample[]>>;

/** A sample of each item, by one label. */
const by = <Item>(label: string, items: readonly Item[], sample: (item: Item) => readonly [string, Value]) =>
  items.map(sample).map(([name, value]): Sample => [{ [label]: name }, value]);

/** A family of gauges, of which a sample without a value is absent. */
function writeGauge(name: Metric, samples: Value | readonly Sample[]): string {
  const all: readonly Sample[] = Array.isArray(samples) ? samples : [[{}, samples as Value]];
  const lines = all.flatMap(([labels, value]) => {
    if (value === null || value === undefined) return [];
    const written = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `bureau_${name}${written.length > 0 ? `{${written.join()}}` : ''} ${value}\n`;
  });
  if (lines.length === 0) return '';
  const [, unit] = /_(seconds|ratio|bytes)$/.exec(name) ?? [];
  const measured = unit === undefined ? '' : `# UNIT bureau_${name} ${unit}\n`;
  return `# TYPE bureau_${name} gauge\n${measured}# HELP bureau_${name} ${helps[name]}\n${lines.join('')}`;
}

/** Writes the metrics of a moment as OpenMetrics text. All are gauges. Pure. */
export function writeMetrics(measured: Measured): string {
  const parts = [writeWork, writePositions, writeCustody, writeLiquidity, writeTrading, writeObjects];
  const gauges = parts.flatMap((write) => Object.entries(write(measured)));
  return `${gauges.map(([name, samples]) => writeGauge(name as Metric, samples)).join('')}# EOF\n`;
}

const ageOf = (since_ms: number, now_ms: number) => Math.max(0, now_ms - since_ms) / 1_000;

/** Samples by the status of what is open. */
const byStatus = (states: Readonly<Record<string, OpenState>>, value: (state: OpenState) => number) =>
  by('status', Object.entries(states), ([status, state]) => [status, value(state)]);

/** Of all ledgers that answered: what one of them has must be seen, whatever the others do. */
function writeWork({ ledgers, now_ms }: Measured): Samples {
  const works = ledgers.flatMap(({ work }) => work ?? []);
  const age = ({ oldest_ms }: OpenState) => (oldest_ms === null ? 0 : ageOf(oldest_ms, now_ms));
  const withdrawals = {
    PENDING: sumStates(works, 'withdrawalsPending'),
    PROCESSING: sumStates(works, 'withdrawalsProcessing'),
  };
  const deposits = {
    PENDING: sumStates(works, 'depositsPending'),
    QUARANTINED: sumStates(works, 'depositsQuarantined'),
  };
  const held = sumStates(works, 'payoutsHeld');
  return {
    trading_halted: Number(works.some((work) => work.isTradingHalted)),
    withdrawals_halted: Number(works.some((work) => work.areWithdrawalsHalted)),
    violations_open: works.reduce((sum, work) => sum + work.violations, 0),
    withdrawals_open: byStatus(withdrawals, ({ count }) => count),
    withdrawals_oldest_age_seconds: byStatus(withdrawals, age),
    payouts_held: held.count,
    payouts_held_oldest_age_seconds: age(held),
    deposits_open: byStatus(deposits, ({ count }) => count),
    deposits_oldest_age_seconds: byStatus(deposits, age),
  };
}

/** Positions are of all ledgers, or absent: a sum without one of them would look like a loss. */
function writePositions({ house }: Measured): Samples {
  const isWhole = house.ledgers.every(({ assets }) => assets !== null);
  const of = (member: Exclude<keyof House['assets'][number], 'band'>) =>
    by('asset', isWhole ? house.assets : [], (asset) => [asset.asset, asset[member]]);
  const shares = house.ledgers.flatMap(({ ledger, assets }) =>
    (assets ?? []).flatMap(({ asset, exposureUsed, supplyCapUsed }): Sample[] => [
      [{ ledger: String(ledger), limit: 'exposure', asset }, exposureUsed],
      [{ ledger: String(ledger), limit: 'supply_cap', asset }, supplyCapUsed],
    ]),
  );
  return {
    owed_to_clients: of('owedToClients'),
    in_flight: of('inFlight'),
    fees_earned: of('feesEarned'),
    inventory: of('inventory'),
    exposure_used_ratio: of('exposureUsed'),
    supply_cap_used_ratio: of('supplyCapUsed'),
    share_used_ratio: shares,
  };
}

function writeCustody({ house, custodian, now_ms }: Measured): Samples {
  const since = custodian?.answeredAt ?? custodian?.firstAskedAt ?? null;
  const byCover = (value: (cover: House['assets'][number]['custodyCovers']) => boolean) =>
    by('asset', house.assets, ({ asset, custodyCovers }) => [asset, Number(value(custodyCovers))]);
  return {
    custody_answer_age_seconds: since === null ? null : ageOf(since, now_ms),
    custody_known: byCover((cover) => cover !== 'unknown'),
    custody_short: byCover((cover) => cover === 'shortfall'),
  };
}

/** The exposure in USDT, which dailyLoss is divided by. */
const exposureOf = (assets: readonly { readonly asset: string; readonly exposure: string }[] | null) =>
  parseAmount(assets?.find(({ asset }) => asset === QUOTE_ASSET)?.exposure ?? '0', scaleOf(QUOTE_ASSET)) ?? 0n;

/** What is at venues is of all ledgers, or absent. */
function writeLiquidity({ house, gained, dailyLoss, venues, now_ms }: Measured): Samples {
  const isWhole = house.ledgers.every(({ assets }) => assets !== null);
  const isToday = ({ day }: ProfitOfDay) => day === dayOf(now_ms);
  const isKnown = gained.every(({ answer }) => answer);
  const days = gained.flatMap(({ answer }) => answer?.filter(isToday) ?? []);
  const ofDay = (value: (day: ReturnType<typeof showParts>) => Value) =>
    by('coin', coinSymbols, (coin) => {
      return [coin, isKnown ? value(showParts(addParts(days.filter((day) => day.coin === coin)))) : null];
    });
  const whole = isWhole ? exposureOf(house.assets) : 0n;
  const losses = by('ledger', gained, ({ ledger, answer }) => {
    const share = exposureOf(house.ledgers.find((one) => one.ledger === ledger)?.assets ?? null);
    return [
      String(ledger),
      answer && shareOf(-sumParts(answer.filter(isToday)), partOf(dailyLoss ?? 0n, { share, whole })),
    ];
  });
  const differences = venues.venues.flatMap(({ venue, balances }) =>
    balances.map(({ asset, difference, differs }): Sample => {
      return [{ venue, asset }, isWhole ? (differs === false ? 0 : differs && difference) : null];
    }),
  );
  const { atVenuesUsdValue: there, maxAtVenues: most } = venues;
  return {
    position_value: by('asset', isWhole ? house.assets : [], ({ asset, positionUsdValue }) => [
      asset,
      positionUsdValue,
    ]),
    profit_of_day: ofDay(({ profit }) => profit),
    daily_loss_used_ratio: losses,
    hedge_cost_usdt: ofDay(({ hedges, fees }) => new Exact(0).minus(hedges).minus(fees).toFixed()),
    hedge_open_seconds: by('venue', venues.venues, ({ venue, openHedges }) => [venue, openHedges[0]?.openSeconds ?? 0]),
    venue_lateness_seconds: by('venue', venues.venues, ({ venue, latenessSeconds }) => [venue, latenessSeconds]),
    venue_difference: differences,
    hedging_halted: Number(venues.hedgingHalted),
    at_venues_used_ratio:
      there === null || most === null || Number(most) <= 0 ? null : new Exact(there).dividedBy(most).toFixed(4),
  };
}

function inSeconds(value_ms: number | null): number | null {
  return value_ms === null ? null : value_ms / 1_000;
}

function writeTrading({ house, standings, load, now_ms }: Measured): Samples {
  const today = dayOf(now_ms);
  const spread = house.spreadEarned?.filter(({ day }) => day === today);
  const of = (member: 'orders' | 'usdt') =>
    by('coin', coinSymbols, (coin) => [coin, spread && (spread.find((one) => one.coin === coin)?.[member] ?? 0)]);
  const isUp = by('source', Object.entries(standings?.sources ?? {}), ([source, state]) => [
    source,
    Number(state === 'good'),
  ]);
  const ofStreams = (value: (state: SourceStandings['streams'][string]) => number | null) =>
    by('venue', Object.entries(standings?.streams ?? {}), ([venue, state]) => [venue, value(state)]);
  const waits_ms = load?.waits_ms.toSorted((one, other) => one - other) ?? [];
  const waitAt = (part: number) => inSeconds(waits_ms[Math.ceil(waits_ms.length * part) - 1] ?? null);
  const waits = [['median', waitAt(0.5)] as const, ['longest', waitAt(1)] as const];
  return {
    orders_of_day: of('orders'),
    spread_of_day: of('usdt'),
    gate_up: Number(load !== undefined),
    gate_orders: load?.orders,
    order_wait_seconds: by('of', waits, (wait) => wait),
    price_source_up: isUp,
    stream_open: ofStreams(({ standing }) => Number(standing === 'open')),
    stream_delay_seconds: ofStreams(({ delay_ms }) => inSeconds(delay_ms)),
    stream_silence_seconds: ofStreams(({ silent_ms }) => inSeconds(silent_ms)),
    stream_books: ofStreams(({ books }) => books),
    stream_reconnects: ofStreams(({ reconnects }) => reconnects),
  };
}

function writeObjects({ snapshot, ledgers, now_ms }: Measured): Samples {
  const byCoin = (value: (market: MarketSnapshot['markets'][Coin]) => Value) =>
    by('coin', coinSymbols, (coin) => [coin, snapshot && value(snapshot.markets[coin])]);
  const byLedger = (value: (work: OpenWork | undefined) => Value) =>
    by('ledger', ledgers, ({ ledger, work }) => [String(ledger), value(work)]);
  const stepped = ledgers.flatMap(({ keeper }) => keeper?.progress.steppedAt ?? []);
  const behind = ledgers.flatMap(({ keeper, work }) =>
    keeper && work ? [Math.max(0, work.newestTransfer - keeper.progress.newest.after)] : [],
  );
  return {
    price_hub_up: Number(snapshot !== undefined),
    price_age_seconds: byCoin((market) => market?.agreed && ageOf(market.agreed.received_ms, now_ms)),
    price_sources: byCoin((market) => (market?.shown?.isHeld === false ? market.shown.sources.length : 0)),
    ledger_up: byLedger((work) => Number(work !== undefined)),
    database_bytes: byLedger((work) => work?.databaseBytes),
    keeper_up: Number(ledgers.every(({ keeper }) => keeper)),
    reconciliation_step_age_seconds: stepped.length > 0 ? ageOf(Math.min(...stepped), now_ms) : null,
    reconciliation_transfers_behind: behind.length > 0 ? behind.reduce((sum, one) => sum + one, 0) : null,
  };
}
