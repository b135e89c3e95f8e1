import { add, divide } from '../../exact.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { type BarsOf, lastDays, showGain, showSigned, showUsed, sumByDay } from '../parts/day-bars.ts';
import type { FlowReport, House, Profit } from '../schema.d.ts';

/** So many days are drawn, and the week before today is compared with. */
const DAYS = 14;
const WEEK = 7;
const USDT_DECIMALS = 6;

/** A chart of days, once its script is there. */
export function DayChart(bars: BarsOf) {
  const { loaded } = useLoaded(() => import('../parts/bars.tsx'));
  const isEmpty = bars.series.every(({ values }) => values.every((value) => Number(value) === 0));
  if (isEmpty) return <p class="empty">Nothing in these days.</p>;
  return <Shown loaded={loaded}>{({ default: Bars }) => <Bars {...bars} />}</Shown>;
}

/** What moved, was traded and earned today, beside yesterday and the average of the seven days before today. */
export function Figures({
  flows,
  profit,
  house,
}: {
  readonly flows: FlowReport;
  readonly profit: Profit;
  readonly house: House;
}) {
  const days = lastDays(DAYS, Date.parse(flows.ts));
  const byDay = new Map(flows.days.map((flow) => [flow.day, flow]));
  const flowsOf = (name: 'deposits' | 'withdrawals' | 'orders') =>
    days.map((day) => byDay.get(day)?.[name].usdt ?? '0');
  const [earned, spread] = [sumByDay(profit.days, days, 'profit'), sumByDay(profit.days, days, 'spread')];
  const [deposits, withdrawals, volume] = [flowsOf('deposits'), flowsOf('withdrawals'), flowsOf('orders')];
  const charts = [
    [
      'Money moved',
      [
        { name: 'Came in', values: deposits },
        { name: 'Paid out', values: withdrawals },
      ],
    ],
    ['Traded', [{ name: 'Traded', values: volume }]],
    [
      'Spread, and profit or loss',
      [
        { name: 'Spread', values: spread, show: showGain },
        { name: 'Profit or loss', values: earned, show: showGain },
      ],
    ],
  ] as const;
  return (
    <section class="card">
      <div class="top">
        <h2>The day in figures</h2>
        <span class="quiet">In USDT, days in UTC</span>
      </div>
      {flows.missingLedgers.length > 0 && (
        <p class="notice warn">Ledger {flows.missingLedgers.join(', ')} does not answer: the figures are without it.</p>
      )}
      <dl class="figures">
        <Figure name="Came in" values={deposits} />
        <Figure name="Paid out" values={withdrawals} />
        <Figure name="Traded" values={volume} />
        <Figure name="Profit or loss" values={earned} show={showGain} />
        <Figure name="Spread earned" values={spread} show={showGain} />
        <ExposureFigure house={house} days={days} />
        <MostUsed assets={house.assets} />
        <Inventory house={house} />
      </dl>
      <details class="on-telephone plain-details">
        <summary>Charts of the last {DAYS} days</summary>
      </details>
      <div class="charts">
        {charts.map(([title, series]) => (
          <div key={title}>
            <h3>{title}</h3>
            <DayChart days={days} label={describe(days, series)} series={series} />
          </div>
        ))}
        <div>
          <h3>Positions at the end of each day</h3>
          <ExposureChart house={house} days={days} />
        </div>
      </div>
    </section>
  );
}

/** The assets that use the most of what the house may be short of, or long beyond its capital. */
export function MostUsed({ assets }: { readonly assets: House['assets'] }) {
  const used = assets
    .flatMap(({ asset, exposureUsed }) => {
      return Number(exposureUsed ?? 0) > 0 ? [[asset, exposureUsed ?? '0'] as const] : [];
    })
    .toSorted(([, one], [, other]) => Number(other) - Number(one));
  const [most, ...others] = used.slice(0, 3).map(([asset, share]) => `${asset} ${showUsed(share)}`);
  return (
    <div>
      <dt>Position limit used most</dt>
      <dd>
        <strong>{most ?? 'none'}</strong>
        <small>{others.join(', ')}</small>
      </dd>
    </div>
  );
}

/** What orders fill from, capital and all. */
export function Inventory({ house: { inventoryUsdValue } }: { readonly house: House }) {
  return (
    <div>
      <dt>Inventory and capital</dt>
      <dd>
        <strong>{inventoryUsdValue === null ? 'not known' : showSigned(inventoryUsdValue)}</strong>
        {inventoryUsdValue === null && <small>a price is missing</small>}
      </dd>
    </div>
  );
}

/** A chart in words, for who does not see it. */
function describe(days: readonly string[], series: BarsOf['series']): string {
  const names = series.map(({ name }, at) => (at === 0 ? name : name.toLowerCase())).join(' and ');
  const sums = series.map(({ values, show = showSigned }) => show(add(values))).join(' and ');
  return `${names} by day since ${days[0]}: ${sums} USDT in all. The arrow keys read it day by day.`;
}

/** What the positions of all coins are worth now; `null` while a price is missing. */
function listExposed({ assets }: House): readonly string[] | null {
  const values = assets.filter(({ asset }) => asset !== 'USDT').map(({ positionUsdValue }) => positionUsdValue);
  return values.includes(null) ? null : values.map((value) => value ?? '0');
}

/** Long and short added up. */
const addSizes = (values: readonly string[] | null) => values && add(values.map((value) => value.replace('-', '')));

/**
 * What all positions were worth at the end of each of these days, and today's now; nothing of days on which a price was
 * missing. The days are counted every minute, and what the house has now is not waited for.
 */
const exposedOn = (house: House, days: readonly string[]) => {
  const byDay = new Map(house.positionsByDay?.map(({ day, usdValue }) => [day, usdValue]));
  return days.map((day, at) => (at === days.length - 1 ? addSizes(listExposed(house)) : byDay.get(day)) ?? '0');
};

/** What all positions are worth now, beside yesterday and the week. */
export function ExposureFigure({ house, days }: { readonly house: House; readonly days: readonly string[] }) {
  const name = 'Positions in coins';
  const compared = house.positionsByDay?.slice(0, WEEK + 1);
  const exposed = listExposed(house);
  if (exposed && compared?.slice(1).every(({ usdValue }) => usdValue !== null)) {
    const [short, long] = [true, false].map((isShort) =>
      showGain(add(exposed.filter((value) => value.startsWith('-') === isShort))),
    );
    return <Figure name={name} values={exposedOn(house, days)} note={[`long ${long}`, `short ${short}`]} />;
  }
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>not known</strong>
        <small>{compared ? 'a price was missing' : 'a ledger does not answer'}</small>
      </dd>
    </div>
  );
}

/** What the house bears the risk of, at the end of each day, in total. */
export function ExposureChart({ house, days }: { readonly house: House; readonly days: readonly string[] }) {
  if (house.positionsByDay === null) return <p>It is not known now. It is counted every minute.</p>;
  const values = exposedOn(house, days);
  const incomplete = house.positionsByDay.some(({ day, usdValue }) => usdValue === null && days.includes(day));
  return (
    <>
      <DayChart
        days={days}
        label={`Positions at the end of each day since ${days[0]}: now ${showSigned(values.at(-1) ?? '0')} USDT. The arrow keys read it day by day.`}
        series={[{ name: 'All positions, long and short', values }]}
      />
      {incomplete && <p class="quiet">A day on which a price was missing is shown as nothing.</p>}
    </>
  );
}

/** A figure by day, the oldest first: today’s, and yesterday’s and the average of the seven days before today if they have any. */
export function Figure({
  name,
  values,
  show = showSigned,
  note,
}: {
  readonly name: string;
  readonly values: readonly string[];
  readonly show?: (decimal: string) => string;
  readonly note?: readonly string[];
}) {
  const [today = '0', yesterday = '0'] = values.toReversed();
  const before = values.slice(-WEEK - 1, -1);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong class={Number(today) === 0 ? 'dim' : undefined}>{show(today)}</strong>
        {note && <Sides of={note} />}
        {before.some((value) => Number(value) !== 0) && (
          <Sides
            of={[
              `yesterday ${show(yesterday)}`,
              `7-day average ${show(divide(add(before), String(WEEK), USDT_DECIMALS))}`,
            ]}
          />
        )}
      </dd>
    </div>
  );
}

/** Below each other, and on a telephone at both ends of a line. */
function Sides({ of }: { readonly of: readonly string[] }) {
  return (
    <small>
      {of.map((words) => (
        <span key={words}>{words}</span>
      ))}
    </small>
  );
}
