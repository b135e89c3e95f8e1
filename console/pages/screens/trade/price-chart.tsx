import { Suspense, lazy } from 'preact/compat';
import { useState } from 'preact/hooks';
import { api } from '../../ask.ts';
import { showAmount } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Switch } from '../../parts/form.tsx';
import { Shown, Waiting } from '../../parts/notice.tsx';
import type { ChartPoint } from '../../parts/chart.tsx';

const Chart = lazy(() => import('../../parts/chart.tsx'));

type Interval = NonNullable<NonNullable<Parameters<typeof api.listCandles>[1]>['interval']>;

/** How far back a chart reaches, and by candles of which length. */
const spans = {
  day: { label: 'Day', words: 'the last day', interval: '15m', limit: 96 },
  week: { label: 'Week', words: 'the last week', interval: '1h', limit: 168 },
  month: { label: 'Month', words: 'the last month', interval: '4h', limit: 180 },
  year: { label: 'Year', words: 'the last year', interval: '1d', limit: 365 },
} as const satisfies Record<string, { label: string; words: string; interval: Interval; limit: number }>;

type Span = keyof typeof spans;

/** A coin's price over some time, as the market saw it. */
export function PriceChart({ coin }: { readonly coin: string }) {
  const [span, setSpan] = useState<Span>('day');
  return (
    <>
      <Switch
        label="How far back"
        value={span}
        set={setSpan}
        options={Object.entries(spans).map(([name, { label }]) => [name as Span, label] as const)}
      />
      <Candles key={`${coin}-${span}`} coin={coin} span={span} />
    </>
  );
}

function Candles({ coin, span }: { readonly coin: string; readonly span: Span }) {
  const { interval, limit, words } = spans[span];
  const { loaded } = useLoaded(async () => {
    const { candles } = await api.listCandles(coin, { interval, limit });
    return candles.map(({ ts, close }) => ({ at: Date.parse(ts) / 1_000, value: Number(close) }));
  });
  return (
    <Shown loaded={loaded}>
      {(points) =>
        points.length < 2 ? (
          <p>There are no prices of this time yet.</p>
        ) : (
          <Suspense fallback={<Waiting />}>
            <Chart points={points} label={`${coin} in ${words}: ${describe(points)}`} unit="USDT" />
          </Suspense>
        )
      }
    </Shown>
  );
}

/** A line in words, for who does not see it. */
function describe(points: readonly ChartPoint[]): string {
  const values = points.map(({ value }) => value);
  const ends = [values.slice(0, 1), values.slice(-1)].map((end) => showAmount(end.join()));
  const bounds = [Math.min(...values), Math.max(...values)].map((value) => showAmount(String(value)));
  return `from ${ends.join(' to ')} USDT, between ${bounds.join(' and ')}`;
}
