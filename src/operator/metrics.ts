import type { CustodyStanding } from '../db/custody-standing.ts';
import type { KeeperStanding } from '../reconciliation/reach-keeper.ts';
import type { BreakerState } from '../markets/sources/circuit-breakers.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { coinSymbols } from '../money/assets.ts';
import type { House } from './house.ts';
import { MOST_COUNTED, type OpenState, type OpenWork, sumOpenWork } from './open-work.ts';

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
  readonly snapshot: MarketSnapshot | undefined;
  readonly custodian: CustodyStanding | undefined;
  /** How each source of prices stands, and how many orders are in all gates. */
  readonly sources: Readonly<Record<string, BreakerState>> | undefined;
  readonly ordersAtGate: number | undefined;
  readonly now_ms: number;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | string];

interface Family {
  readonly name: string;
  readonly unit?: 'seconds' | 'ratio' | 'bytes';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Writes the metrics of a moment as OpenMetrics text. All are gauges. Pure. */
export function writeMetrics(measured: Measured): string {
  const families = [
    ...listWork(measured),
    ...listPositions(measured),
    ...listCustody(measured),
    ...listTrading(measured),
    ...listObjects(measured),
  ];
  return `${families
    .filter(({ samples }) => samples.length > 0)
    .map(writeFamily)
    .join('')}# EOF\n`;
}

function writeFamily({ name, unit, help, samples }: Family): string {
  const full = `bureau_${name}${unit === undefined ? '' : `_${unit}`}`;
  const head = [
    `# TYPE ${full} gauge`,
    ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
    `# HELP ${full} ${help}`,
  ];
  const lines = samples.map(([labels, value]) => {
    const written = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${full}${written.length > 0 ? `{${written.join()}}` : ''} ${value}`;
  });
  return [...head, ...lines, ''].join('\n');
}

const ageOf = (since_ms: number, now_ms: number) => Math.max(0, now_ms - since_ms) / 1_000;

/** Of all ledgers that answered: what one of them has must be seen, whatever the others do. */
function listWork({ ledgers, now_ms }: Measured): Family[] {
  const work = sumOpenWork(ledgers.flatMap((one) => (one.work ? [one.work] : [])));
  const age = ({ oldest_ms }: OpenState) => (oldest_ms === null ? 0 : ageOf(oldest_ms, now_ms));
  const ages = (open: Readonly<Record<string, OpenState>>): Sample[] =>
    Object.entries(open).map(([status, state]) => [{ status }, age(state)]);
  return [
    { name: 'trading_halted', help: 'Whether trading is halted', samples: [[{}, work.tradingHalted]] },
    { name: 'withdrawals_halted', help: 'Whether withdrawals are halted', samples: [[{}, work.withdrawalsHalted]] },
    {
      name: 'violations_open',
      help: 'Violations that the reconciliation found and nobody cleared',
      samples: [[{}, work.violations]],
    },
    {
      name: 'withdrawals_open',
      help: `Withdrawals that wait for a review or for the custodian, at most ${MOST_COUNTED}`,
      samples: Object.entries(work.withdrawals).map(([status, { count }]) => [{ status }, count]),
    },
    {
      name: 'withdrawals_oldest_age',
      unit: 'seconds',
      help: 'How long the oldest of them has waited; 0 without any',
      samples: ages(work.withdrawals),
    },
    {
      name: 'payouts_held',
      help: `Payouts that the custodian holds before it pays, of the oldest ${MOST_COUNTED} that are with it`,
      samples: [[{}, work.heldPayouts.count]],
    },
    {
      name: 'payouts_held_oldest_age',
      unit: 'seconds',
      help: 'How long the oldest of them is known to be held; 0 without any',
      samples: [[{}, age(work.heldPayouts)]],
    },
    {
      name: 'deposits_open',
      help: `Deposits that wait for confirmations, or are quarantined and no dust, at most ${MOST_COUNTED}`,
      samples: Object.entries(work.deposits).map(([status, { count }]) => [{ status }, count]),
    },
    {
      name: 'deposits_oldest_age',
      unit: 'seconds',
      help: 'How long ago the oldest of them was first reported; 0 without any',
      samples: ages(work.deposits),
    },
  ];
}

/** Positions are of all ledgers, or absent: a sum without one of them would look like a loss. */
function listPositions({ house }: Measured): Family[] {
  const isWhole = house.ledgers.every(({ assets }) => assets !== null);
  const of = (member: keyof House['assets'][number]): Sample[] =>
    (isWhole ? house.assets : []).flatMap((asset) => {
      const value = asset[member];
      return value === null ? [] : [[{ asset: asset.asset }, value] as const];
    });
  return [
    { name: 'owed_to_clients', help: 'The sum of all clients’ balances, in the asset', samples: of('owedToClients') },
    {
      name: 'in_flight',
      help: 'Taken for withdrawals that have not ended, in the asset',
      samples: of('inFlight'),
    },
    { name: 'fees_earned', help: 'Withdrawal fees so far, in the asset', samples: of('feesEarned') },
    {
      name: 'inventory',
      help: 'What orders fill from, in the asset; below zero the house is short',
      samples: of('inventory'),
    },
    {
      name: 'exposure_used',
      unit: 'ratio',
      help: 'How much of the exposure limit is used',
      samples: of('exposureUsed'),
    },
    {
      name: 'supply_cap_used',
      unit: 'ratio',
      help: 'How much of the supply cap is used',
      samples: of('supplyCapUsed'),
    },
    {
      name: 'share_used',
      unit: 'ratio',
      help: 'How much a ledger has used of its share of a limit',
      samples: listShares(house),
    },
  ];
}

/** Of each ledger that answered; without a share there is nothing to show. */
function listShares({ ledgers }: House): Sample[] {
  return ledgers.flatMap(({ ledger, assets }) =>
    (assets ?? []).flatMap(({ asset, exposureUsed, supplyCapUsed }) => {
      const shares = { exposure: exposureUsed, supply_cap: supplyCapUsed };
      return Object.entries(shares).flatMap(([limit, used]): Sample[] =>
        used === null ? [] : [[{ ledger: String(ledger), limit, asset }, used]],
      );
    }),
  );
}

function listCustody({ house, custodian, now_ms }: Measured): Family[] {
  const since = custodian?.answeredAt ?? custodian?.firstAskedAt ?? null;
  return [
    {
      name: 'custody_answer_age',
      unit: 'seconds',
      help: 'How long ago the custodian last said what it holds, or since when it was asked in vain',
      samples: since === null ? [] : [[{}, ageOf(since, now_ms)]],
    },
    {
      name: 'custody_known',
      help: 'Whether the custodian said of every network how much of the asset it holds',
      samples: house.assets.map(({ asset, custodyCovers }) => [{ asset }, custodyCovers === 'unknown' ? 0 : 1]),
    },
    {
      name: 'custody_short',
      help: 'Whether it then holds less than it should by the ledger; 0 while that is not known',
      samples: house.assets.map(({ asset, custodyCovers }) => [{ asset }, custodyCovers === 'shortfall' ? 1 : 0]),
    },
  ];
}

function listTrading({ house, sources, ordersAtGate, now_ms }: Measured): Family[] {
  const today = new Date(now_ms).toISOString().slice(0, 10);
  const spread = house.spreadEarned?.filter(({ day }) => day === today);
  const of = (member: 'orders' | 'usdt'): Sample[] =>
    spread
      ? coinSymbols.map((coin) => [{ coin }, spread.find((one) => one.coin === coin)?.[member] ?? 0] as const)
      : [];
  return [
    { name: 'orders_of_day', help: 'Orders that were filled today, in UTC', samples: of('orders') },
    { name: 'spread_of_day', help: 'What they earned by their spread, in USDT', samples: of('usdt') },
    {
      name: 'gate_up',
      help: 'Whether the gates of all ledgers answered',
      samples: [[{}, ordersAtGate === undefined ? 0 : 1]],
    },
    {
      name: 'gate_orders',
      help: 'Orders that are in all gates at this moment',
      samples: ordersAtGate === undefined ? [] : [[{}, ordersAtGate]],
    },
    {
      name: 'price_source_up',
      help: 'Whether a source of prices is asked; 0 while it is suspended after failures',
      samples: Object.entries(sources ?? {}).map(([source, standing]) => [{ source }, standing === 'good' ? 1 : 0]),
    },
  ];
}

function listObjects({ snapshot, ledgers, now_ms }: Measured): Family[] {
  const prices = coinSymbols.map((coin) => ({ coin, market: snapshot?.markets[coin] }));
  const stepped = ledgers.flatMap(({ keeper }) => keeper?.progress.steppedAt ?? []);
  const behind = ledgers.flatMap(({ keeper, work }) =>
    keeper && work ? [Math.max(0, work.newestTransfer - keeper.progress.newest.after)] : [],
  );
  return [
    { name: 'price_hub_up', help: 'Whether the price hub answered', samples: [[{}, snapshot ? 1 : 0]] },
    {
      name: 'price_age',
      unit: 'seconds',
      help: 'How long ago the price was received that venues agree on; absent without one',
      samples: prices.flatMap(({ coin, market }) =>
        market?.agreed ? [[{ coin }, ageOf(market.agreed.received_ms, now_ms)] as const] : [],
      ),
    },
    {
      name: 'price_sources',
      help: 'The venues that the shown price is made of',
      samples: snapshot
        ? prices.map(
            ({ coin, market }) =>
              [{ coin }, market?.shown?.isHeld === false ? market.shown.sources.length : 0] as const,
          )
        : [],
    },
    {
      name: 'ledger_up',
      help: 'Whether the database of the ledger answered',
      samples: ledgers.map(({ ledger, work }) => [{ ledger: String(ledger) }, work ? 1 : 0]),
    },
    {
      name: 'database',
      unit: 'bytes',
      help: 'How large the database of the ledger is; D1 allows 10 GB',
      samples: ledgers.flatMap(({ ledger, work }) =>
        work ? [[{ ledger: String(ledger) }, work.databaseBytes] as const] : [],
      ),
    },
    {
      name: 'keeper_up',
      help: 'Whether the keepers of all ledgers answered',
      samples: [[{}, ledgers.every(({ keeper }) => keeper) ? 1 : 0]],
    },
    {
      name: 'reconciliation_step_age',
      unit: 'seconds',
      help: 'How long ago the reconciliation last made a step, in the ledger where it is the longest',
      samples: stepped.length > 0 ? [[{}, ageOf(Math.min(...stepped), now_ms)]] : [],
    },
    {
      name: 'reconciliation_transfers_behind',
      help: 'Transfers that the reconciliation has not read yet',
      samples: behind.length > 0 ? [[{}, behind.reduce((sum, one) => sum + one, 0)]] : [],
    },
  ];
}
