import type { ComponentChildren } from 'preact';
import { add } from '../../exact.ts';
import { showAmount, showPrice } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { addPlus, lastDays, showDay, showGain, showSigned, showUsed, sumByDay } from '../parts/day-bars.ts';
import { State, Time } from '../parts/names.tsx';
import { Matters } from '../parts/matters.tsx';
import { isLacking, showShare } from '../parts/percent.ts';
import { type Column, Facts, Records } from '../parts/records.tsx';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import type { Place } from '../place.ts';
import type { House, Profit } from '../schema.d.ts';
import { findMissing, isUncovered, listShortfalls } from './exchange-matters.tsx';
import { ExposureChart, ExposureFigure, Figure, Inventory, MostUsed } from './figures.tsx';

type HouseAsset = House['assets'][number];

const EVERY_MS = 15_000;
/** Today, and the seven days before it. */
const DAYS = 8;

const asset: Column<HouseAsset> = { name: 'Asset', show: (row) => row.asset };

/** Amounts, or what `show` makes of them; of one that is not known a dash. */
const number = (
  name: string,
  valueOf: (row: HouseAsset) => string | null,
  meaning = '',
  show = showAmount,
): Column<HouseAsset> => ({
  name,
  meaning,
  isNumber: true,
  show: (row) => {
    const value = valueOf(row);
    if (value === '0') return <span class="quiet">{show(value)}</span>;
    return value === null ? '–' : show(value);
  },
});

/** A figure of which something is to be done. */
const Lacking = ({ words }: { readonly words: string }) => <strong class="lacking state warn">{words}</strong>;

/** Shares, marked where something is to be done. */
const percentage = (
  name: string,
  shareOf: (row: HouseAsset) => string | null,
  isMarked: (share: string) => boolean,
  show: (share: string) => string,
): Column<HouseAsset> => ({
  name,
  isNumber: true,
  show: (row) => {
    const value = shareOf(row);
    if (value === null) return '–';
    return isMarked(value) ? <Lacking words={show(value)} /> : show(value);
  },
});

/** What custody holds of an asset, with what is said beside it; marked where that is less than it owes. */
function InCustody({ of: row, beside }: { readonly of: HouseAsset; readonly beside?: ComponentChildren }) {
  const held = showAmount(row.custodyShouldHold);
  if (!isUncovered(row)) {
    return (
      <>
        {row.custodyShouldHold === '0' ? <span class="quiet">0</span> : held}
        {beside}
      </>
    );
  }
  return (
    <>
      <strong class="lacking">{held}</strong>
      {beside}
      <small class="below">
        <State
          of={Number(row.coveredWithVenues) >= 1 ? 'unknown' : 'shortfall'}
          words={`short by ${showAmount(findMissing(row))}`}
        />
      </small>
    </>
  );
}

/** What is owed and held. Only between several ledgers is anything in transit, and not every custodian says what it holds. */
const holdingsOf = ({ ledgers, custodyAnsweredAt }: House): readonly Column<HouseAsset>[] => [
  asset,
  number('Owed to clients', (row) => row.owedToClients),
  { name: 'In custody', meaning: 'by the ledger', isNumber: true, show: (row) => <InCustody of={row} /> },
  ...(custodyAnsweredAt === null ? [] : [number('Custodian says', (row) => row.custodyHolds)]),
  number('At venues', (row) => row.atVenues),
  number('Inventory', (row) => row.inventory, 'the house’s own, for orders'),
  number('In flight', (row) => row.inFlight, 'being withdrawn'),
  ...(ledgers.length > 1 ? [number('In transit', (row) => row.inTransit)] : []),
  number('Fees earned', (row) => row.feesEarned),
];

/** More of a limit than this is marked. */
const MUCH_USED = 0.8;

const isMuch = (used: string) => Number(used) > MUCH_USED;

/** An asset of which the house has less than its capital, but still some, uses nothing of its limit; USDT has no limit on being long. */
const positionUsed: Column<HouseAsset> = {
  name: 'Limit used',
  isNumber: true,
  show: ({ exposureUsed: used }) => {
    if (used === null) return '–';
    if (Number(used) === 0) return <span class="quiet">{showUsed(used)}</span>;
    return isMuch(used) ? <Lacking words={showUsed(used)} /> : showUsed(used);
  },
};

const limits: readonly Column<HouseAsset>[] = [
  asset,
  {
    name: 'Price, USDT',
    isNumber: true,
    show: ({ price }) => (price === null ? '–' : showPrice(price)),
  },
  number('Inventory, USDT', (row) => row.inventoryUsdValue, '', showSigned),
  number(
    'Position',
    (row) => row.position,
    'against the capital',
    (amount) => addPlus(showAmount(amount)),
  ),
  number('Position limit', (row) => row.exposure, 'short or long'),
  positionUsed,
  number('Supply limit', (row) => row.supplyCap, 'of all clients'),
  percentage('Supply limit used', (row) => row.supplyCapUsed, isMuch, showUsed),
];

async function read() {
  const [{ house }, { profit }] = await Promise.all([operate('get /house'), operate('get /profit')]);
  return { house, profit };
}

const parts = { now: 'Now', days: 'By day', amounts: 'All amounts' } as const;

/** What is owed and held, how far the house may go, and what it earned. */
export function HouseScreen({ query }: Place) {
  const { loaded } = useLoaded(read, EVERY_MS);
  const shown = shownOf(parts, query);
  return (
    <>
      <h1>House</h1>
      <Tabs label="Of the house" path="/desk/house" of={parts} shown={shown} />
      <Shown loaded={loaded}>
        {({ house, profit }) => {
          switch (shown) {
            case 'now':
              return (
                <>
                  <Matters label="What is not covered" of={listShortfalls(house)} />
                  <Glance house={house} profit={profit} />
                  <EachAsset house={house} />
                </>
              );
            case 'days':
              return (
                <>
                  <Exposed house={house} />
                  <Spread earned={house.spreadEarned} />
                </>
              );
            case 'amounts':
              return <Amounts house={house} />;
          }
        }}
      </Shown>
    </>
  );
}

/** What custody is short of first, then what the house has a position in. */
const sortAssets = ({ assets }: House) => assets.toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf(row: HouseAsset): number {
  if (isUncovered(row) || row.custodyCovers === 'shortfall') return 0;
  return row.position === '0' ? 2 : 1;
}

/** How each asset is covered, and how long or short the house is of it. */
function EachAsset({ house }: { readonly house: House }) {
  return (
    <section class="card">
      <h2>Each asset</h2>
      <p class="quiet">
        How much of what clients are owed is in custody, and in custody and at venues together. Positions are in USDT: +
        is long, − is short.
        <span class="off-telephone"> A short one uses its limit once the house’s own coins are spent.</span>
      </p>
      <Records
        isSmall
        label="Each asset"
        rows={sortAssets(house)}
        keyOf={(row) => row.asset}
        columns={house.custodyAnsweredAt === null ? glances : [...glances, custodian]}
        empty=""
      />
    </section>
  );
}

/** All amounts, on a telephone behind a line for each asset. */
function Amounts({ house }: { readonly house: House }) {
  const held = holdingsOf(house);
  const rows = sortAssets(house);
  const units = (
    <>
      Amounts are in the asset, unless a name says USDT. <a href="/desk/settings?show=risk">Set limits</a>
    </>
  );
  const tables = [
    ['What is owed and held', 'Amounts are in the asset.', held],
    ['Prices and limits', units, limits],
  ] as const;
  return (
    <>
      {tables.map(([label, about, columns]) => (
        <section key={label} class="card off-telephone">
          <div class="top">
            <h2>{label}</h2>
            <span class="quiet">{about}</span>
          </div>
          <Records label={label} rows={rows} keyOf={(row) => row.asset} columns={columns} empty="" />
        </section>
      ))}
      <section class="card on-telephone">
        <h2>Each asset</h2>
        <p class="quiet">What custody holds, by the ledger, of what clients are owed. {units}</p>
        <div class="folded-rows">
          {rows.map((row) => (
            <details key={row.asset}>
              <summary>
                <strong>{row.asset}</strong>
                <span>
                  <InCustody of={row} beside={<span class="quiet"> of {showAmount(row.owedToClients)}</span>} />
                </span>
              </summary>
              <Facts
                of={[...held.slice(3), ...limits.slice(1)].map(
                  ({ name, meaning, show }) => [meaning ? `${name}, ${meaning}` : name, show(row)] as const,
                )}
              />
            </details>
          ))}
        </div>
      </section>
    </>
  );
}

/** The few figures that say whether somebody has to look further. */
function Glance({ house, profit }: { readonly house: House; readonly profit: Profit }) {
  const days = lastDays(DAYS, Date.parse(profit.ts));
  const lowest = findLeastCovered(house.assets);
  const missing = house.ledgers.filter(({ assets }) => assets === null).map(({ ledger }) => ledger);
  return (
    <section class="card">
      <div class="top">
        <h2>At a glance</h2>
        <span class="quiet">
          In USDT, as of <Time iso={house.ts} />.{' '}
          {house.custodyAnsweredAt && (
            <>
              The custodian’s report: <Time iso={house.custodyAnsweredAt} />.
            </>
          )}
        </span>
      </div>
      {missing.length > 0 && (
        <p class="notice warn">Ledger {missing.join(', ')} does not answer: the figures are without it.</p>
      )}
      <dl class="figures">
        <Figure name="Profit or loss today" values={sumByDay(profit.days, days, 'profit')} show={showGain} />
        <Figure name="Spread earned today" values={sumByDay(profit.days, days, 'spread')} show={showGain} />
        <ExposureFigure house={house} days={days} />
        <div>
          <dt>Least covered</dt>
          <dd>
            {lowest && isLacking(lowest.share) ? (
              <Lacking words={`${lowest.asset} ${showShare(lowest.share)}`} />
            ) : (
              <strong>{lowest ? `${lowest.asset} ${showShare(lowest.share)}` : 'nothing owed'}</strong>
            )}
            <small>by custody alone</small>
          </dd>
        </div>
        <MostUsed assets={house.assets} />
        <Inventory house={house} />
      </dl>
    </section>
  );
}

/** So many days of positions are drawn. */
const DAYS_DRAWN = 31;

/** What the house bears the risk of, by day, and what it is made of now beside the day before and a week before. */
function Exposed({ house }: { readonly house: House }) {
  const days = lastDays(DAYS_DRAWN, Date.parse(house.ts));
  const [yesterday, lastWeek] = [1, 7].map((ago) => house.positionsByDay?.at(ago)?.coins ?? []);
  const now = house.assets.filter(({ asset: name, position }) => name !== 'USDT' && position !== '0');
  const valueNow = (name: string) => {
    const value = house.assets.find((row) => row.asset === name)?.positionUsdValue;
    return value === null ? 'no price' : showGain(value ?? '0');
  };
  const valueIn = (coins: typeof yesterday, name: string) => {
    const value = coins?.find(({ coin }) => coin === name)?.usdValue;
    return value === null ? 'no price' : showGain(value ?? '0');
  };
  const names = [
    ...now.map((row) => row.asset),
    ...[yesterday, lastWeek].flatMap((coins) => coins?.map(({ coin }) => coin) ?? []),
  ];
  return (
    <section class="card">
      <h2>Positions by day</h2>
      <p class="quiet">
        What the house has of each coin beyond its capital, in USDT at the last price of each day (UTC). The chart shows
        how large all of them are together, long or short.
      </p>
      <ExposureChart house={house} days={days} />
      {names.length > 0 && (
        <Records
          isSmall
          label="Positions by day"
          rows={[...new Set(names)].toSorted()}
          keyOf={(coin) => coin}
          columns={[
            { name: 'Coin', show: (coin) => coin },
            { name: 'Now, USDT', isNumber: true, show: valueNow },
            { name: 'End of yesterday', isNumber: true, show: (coin) => valueIn(yesterday, coin) },
            { name: 'A week ago', isNumber: true, show: (coin) => valueIn(lastWeek, coin) },
          ]}
          empty=""
        />
      )}
    </section>
  );
}

/** The asset that custody covers least; `undefined` where nothing is owed. */
function findLeastCovered(assets: readonly HouseAsset[]) {
  const shares = assets.flatMap(({ asset: name, coveredByCustody: share }) =>
    share === null ? [] : [{ asset: name, share }],
  );
  return shares.toSorted((one, other) => Number(one.share) - Number(other.share)).at(0);
}

/** Whether the custodian holds what it should of an asset. */
export const custodianWords = { covered: 'holds enough', shortfall: 'shortfall', unknown: 'no report' } as const;

const glances: readonly Column<HouseAsset>[] = [
  asset,
  percentage('Custody', (row) => row.coveredByCustody, isLacking, showShare),
  percentage('With venues', (row) => row.coveredWithVenues, isLacking, showShare),
  number('Position', (row) => row.positionUsdValue, '', showGain),
  // Among all amounts, where a telephone has no room here.
  { ...positionUsed, narrow: 'nowhere' },
  { ...number('Owed, in the asset', (row) => row.owedToClients), narrow: 'nowhere' },
];

const custodian: Column<HouseAsset> = {
  name: 'Custodian',
  show: ({ custodyCovers }) => <State of={custodyCovers} words={custodianWords[custodyCovers]} />,
};

/** What the spread earned by day, in total and by coin. */
function Spread({ earned }: { readonly earned: House['spreadEarned'] }) {
  const days = [...new Set((earned ?? []).map(({ day }) => day))].map((day) => {
    const coins = (earned ?? []).filter((row) => row.day === day);
    return {
      day,
      coins,
      orders: coins.reduce((sum, { orders }) => sum + orders, 0),
      usdt: add(coins.map(({ usdt }) => usdt)),
    };
  });
  return (
    <section class="card">
      <h2>Spread earned by day</h2>
      <p class="quiet">What clients paid more, or got less, than the middle price. Days are in UTC.</p>
      {earned === null ? (
        <p>It is not known now. It is counted every minute.</p>
      ) : (
        <Records
          label="Spread earned by day"
          rows={days}
          keyOf={({ day }) => day}
          columns={[
            { name: 'Day', show: ({ day }) => showDay(day) },
            { name: 'Orders', isNumber: true, show: ({ orders }) => String(orders) },
            { name: 'Earned, USDT', isNumber: true, show: ({ usdt }) => showGain(usdt) },
            {
              name: 'By coin, USDT',
              show: ({ coins }) => coins.map(({ coin, usdt }) => `${coin} ${showGain(usdt)}`).join(' · '),
            },
          ]}
          empty="No order was filled in the last 31 days."
        />
      )}
    </section>
  );
}
