import { add } from '../../exact.ts';
import { showAmount, showCents, showPrice, showSum } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { BAND_WIDTH, Band } from '../parts/band.tsx';
import { lastDays, showDay, showSigned, showUsed, sumByDay } from '../parts/day-bars.ts';
import { State, Time } from '../parts/names.tsx';
import { Matters } from '../parts/matters.tsx';
import { isLacking, showShare } from '../parts/percent.ts';
import { type Column, Records } from '../parts/records.tsx';
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
const number = (name: string, valueOf: (row: HouseAsset) => string | null): Column<HouseAsset> => ({
  name,
  isNumber: true,
  show: (row) => {
    const value = valueOf(row);
    if (value === '0') return <span class="dim">0</span>;
    return value === null ? '–' : showAmount(value);
  },
});

const percentage = (name: string, shareOf: (row: HouseAsset) => string | null): Column<HouseAsset> => ({
  name,
  isNumber: true,
  show: (row) => {
    const value = shareOf(row);
    return value === null ? '–' : showShare(value);
  },
});

/** What custody holds of an asset, marked where that is less than it owes. */
function InCustody({ of: row }: { readonly of: HouseAsset }) {
  const held = showAmount(row.custodyShouldHold);
  if (!isUncovered(row)) return row.custodyShouldHold === '0' ? <span class="dim">0</span> : <>{held}</>;
  return (
    <>
      <strong class="lacking">{held}</strong>
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
  { name: 'In custody', isNumber: true, show: (row) => <InCustody of={row} /> },
  ...(custodyAnsweredAt === null ? [] : [number('Custodian says', (row) => row.custodyHolds)]),
  number('At venues', (row) => row.atVenues),
  number('Inventory', (row) => row.inventory),
  number('In flight', (row) => row.inFlight),
  ...(ledgers.length > 1 ? [number('In transit', (row) => row.inTransit)] : []),
  number('Fees earned', (row) => row.feesEarned),
];

/** Less of a limit than this cannot be seen, and more than that is marked. */
const LEAST_DRAWN = 0.01;
const MUCH_USED = 0.8;

const limits: readonly Column<HouseAsset>[] = [
  asset,
  {
    name: 'Price, USDT',
    isNumber: true,
    narrow: 'beside',
    show: ({ price }) => (
      <>
        <span class="narrow quiet">Price </span>
        {price === null ? '–' : showPrice(price)}
        <span class="narrow quiet"> USDT</span>
      </>
    ),
  },
  {
    name: 'Inventory, USDT',
    isNumber: true,
    show: ({ inventoryUsdValue: value }) =>
      value === null ? '–' : value === '0' ? <span class="dim">0</span> : showSigned(value),
  },
  number('Position limit', (row) => row.exposure),
  number('Supply limit', (row) => row.supplyCap),
  {
    name: 'Supply limit used',
    isNumber: true,
    show: ({ supplyCapUsed: share }) =>
      share === null ? (
        '–'
      ) : Number(share) > MUCH_USED ? (
        <strong class="lacking">{showUsed(share)}</strong>
      ) : (
        showUsed(share)
      ),
  },
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

/** Whether nothing of an asset is to be looked at. */
const isCalm = (row: HouseAsset) => row.position === '0' && !isUncovered(row) && row.custodyCovers !== 'shortfall';

/** How each asset is covered, and how long or short the house is of it; in a line of its own what is as it should be. */
function EachAsset({ house }: { readonly house: House }) {
  return (
    <section class="card">
      <h2>Each asset</h2>
      <p class="quiet">
        A position is what the house has beyond its capital.
        {house.custodyAnsweredAt === null &&
          ' The custodian sends no report, so what is in custody is what the ledger says.'}
      </p>
      <ul class="legend" aria-label="The bars of what covers">
        <li class="key key-own">in custody</li>
        <li class="key key-short">in custody, less than owed</li>
        <li class="key key-venues">at venues</li>
        <li class="key key-owed">all that is owed</li>
      </ul>
      <Records
        label="Each asset"
        rows={house.assets.filter((row) => !isCalm(row))}
        keyOf={(row) => row.asset}
        columns={house.custodyAnsweredAt === null ? glances : [...glances, custodian]}
        empty="The house has no position."
      />
      {house.assets.some(isCalm) && (
        <>
          <h3>Covered, and without a position</h3>
          <Records
            isSmall
            label="Covered, and without a position"
            rows={house.assets.filter(isCalm)}
            keyOf={(row) => row.asset}
            columns={[
              asset,
              number('Owed', (row) => row.owedToClients),
              percentage('In custody', (row) => row.coveredByCustody),
              percentage('With venues', (row) => row.coveredWithVenues),
            ]}
            empty=""
          />
        </>
      )}
    </section>
  );
}

/** Where a row is a block, two of its figures stand beside each other. */
const shownInPairs = (column: Column<HouseAsset>): Column<HouseAsset> => ({ narrow: 'half', ...column });

/** All amounts, on a telephone a block for each asset. */
function Amounts({ house }: { readonly house: House }) {
  const held = holdingsOf(house);
  const tables = [
    ['What is owed and held', 'off-telephone', held],
    ['Prices and limits', 'off-telephone', limits],
    ['Each asset', 'on-telephone', [...held, ...limits.slice(1)].map(shownInPairs)],
  ] as const;
  return (
    <>
      <p class="quiet">
        Amounts are in the asset. Inventory is the house’s own, from which orders are filled. In flight is what was
        taken for withdrawals that have not ended. The position limit is how far the house may be short or long, the
        supply limit how much clients may own in all. <a href="/desk/settings?show=risk">Set limits</a>
      </p>
      {tables.map(([label, where, columns]) => (
        <section key={label} class={`card ${where}`}>
          <h2>{label}</h2>
          <Records label={label} rows={house.assets} keyOf={(row) => row.asset} columns={columns} empty="" />
        </section>
      ))}
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
        <p class="notice">Ledger {missing.join(', ')} does not answer: the figures are without it.</p>
      )}
      <dl class="figures">
        <Figure name="Profit or loss today" values={sumByDay(profit.days, days, 'profit')} />
        <Figure name="Spread earned today" values={sumByDay(profit.days, days, 'spread')} />
        <ExposureFigure name="Positions" house={house} days={days} />
        <div>
          <dt>Least covered</dt>
          <dd>
            <strong class={lowest && isLacking(lowest.share) ? 'lacking' : undefined}>
              {lowest ? `${lowest.asset} ${showShare(lowest.share)}` : 'nothing owed'}
            </strong>
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
    return value === null ? 'no price' : showSigned(value ?? '0');
  };
  const valueIn = (coins: typeof yesterday, name: string) => {
    const value = coins?.find(({ coin }) => coin === name)?.usdValue;
    return value === null ? 'no price' : showSigned(value ?? '0');
  };
  const names = [
    ...now.map((row) => row.asset),
    ...[yesterday, lastWeek].flatMap((coins) => coins?.map(({ coin }) => coin) ?? []),
  ];
  return (
    <section class="card">
      <h2>Positions by day</h2>
      <p class="quiet">
        What the house has of each coin beyond its capital, in USDT at the last price of each day (UTC). The chart
        counts long and short alike.
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
  {
    name: 'Owed to clients',
    isNumber: true,
    narrow: 'beside',
    show: ({ owedToClients }) => (
      <>
        <span class="narrow quiet">Owed </span>
        {showAmount(owedToClients)}
      </>
    ),
  },
  { name: 'Covered', narrow: 'half', show: (row) => <Cover of={row} /> },
  { name: 'Position', narrow: 'half', show: (row) => <Exposure of={row} /> },
];

const custodian: Column<HouseAsset> = {
  name: 'Custodian',
  show: ({ custodyCovers }) => <State of={custodyCovers} words={custodianWords[custodyCovers]} />,
};

/** All that is owed is so far from the left; what is beyond it has the rest. */
const WHOLE = 128;

/** How much of what is owed is in custody, and with venues, drawn and in words. */
function Cover({ of: { asset: name, coveredByCustody: own, coveredWithVenues: both } }: { readonly of: HouseAsset }) {
  if (own === null || both === null) return <span class="quiet">nothing is owed</span>;
  const width = (share: string) => Math.max(0, Math.min(BAND_WIDTH - 1, Number(share) * WHOLE));
  const venues = own === both ? [] : [`with venues ${showShare(both)}`];
  return (
    <Band
      label={`${name} in custody: ${[showShare(own), ...venues].join(', ')}`}
      value={isLacking(own) ? <strong class="lacking">{showShare(own)}</strong> : showShare(own)}
      lines={venues}
    >
      <rect class="outer" x={0} y={5} width={WHOLE} height={12} rx={3} />
      <rect class="inner" x={0.5} y={5} width={width(both)} height={12} rx={3} />
      <rect class={`mark ${isLacking(own) ? 'warn' : 'good'}`} x={0.5} y={8} width={width(own)} height={6} rx={2} />
      <line class="zero" x1={WHOLE} x2={WHOLE} y1={2} y2={20} />
      {Number(both) * WHOLE > BAND_WIDTH && <path class="cut" d="M140 24 L149 -2 H155 L146 24 Z" />}
    </Band>
  );
}

/** How far the house is short or long in words, and drawn once that is a part of what it may be that can be seen. */
function Exposure({ of: row }: { readonly of: HouseAsset }) {
  const { asset: name, position, positionUsdValue, exposure, exposureUsed } = row;
  if (position === '0') return <span class="quiet">no position</span>;
  const used = Number(exposureUsed ?? 0);
  const isShort = position.startsWith('-');
  const size = showSum(position.replace('-', ''), name);
  const worth = name === 'USDT' ? position : positionUsdValue;
  const side = `${isShort ? 'short' : 'long'} ${worth === null ? size : `${showCents(worth.replace('-', ''))}\u00A0USDT`}`;
  const limit =
    exposureUsed === null
      ? 'it may not be short'
      : isShort && used === 0
        ? `within its capital, ${showSum(row.capital, name)}`
        : `${used === 0 ? '' : `${showUsed(exposureUsed)} of the `}limit ${showSum(exposure, name)}`;
  const lines = worth === null || name === 'USDT' ? [limit] : [size, limit];
  const middle = BAND_WIDTH / 2;
  const length = Math.min(1, used) * middle;
  const tone = used > 0.9 ? 'bad' : used > MUCH_USED ? 'warn' : 'good';
  return (
    <Band label={[side, ...lines].join(', ')} value={side} lines={lines}>
      {used >= LEAST_DRAWN && (
        <>
          <rect class="outer" x={0} y={6} width={BAND_WIDTH} height={10} rx={3} />
          <rect class={`mark ${tone}`} x={isShort ? middle - length : middle} y={6} width={length} height={10} />
          <line class="zero" x1={middle} x2={middle} y1={3} y2={19} />
        </>
      )}
    </Band>
  );
}

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
            { name: 'Earned, USDT', isNumber: true, show: ({ usdt }) => showSigned(usdt) },
            {
              name: 'By coin, USDT',
              show: ({ coins }) => coins.map(({ coin, usdt }) => `${coin} ${showSigned(usdt)}`).join(' · '),
            },
          ]}
          empty="No order was filled in the last 31 days."
        />
      )}
    </section>
  );
}
