import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { showPrice } from '../format.ts';
import { useLoaded } from '../load.ts';
import type { ChartPoint } from './chart-point.ts';
import { Switch } from './form.tsx';
import { Shown } from './notice.tsx';

type Interval = NonNullable<NonNullable<Parameters<typeof api.listCandles>[1]>['interval']>;

/** What of a coin's past is drawn: so many candles of a length, until now. */
export interface Reach {
  readonly interval: Interval;
  readonly step_s: number;
  readonly limit: number;
  readonly now_s: number;
}

/**
 * How far back a chart reaches, and by candles of which length: the newest has not ended, and the first point is the end
 * of one that lies before the span.
 */
const spans = {
  day: { label: 'Day', words: 'the last day', interval: '15m', step_s: 900, limit: 96 + 2 },
  week: { label: 'Week', words: 'the last week', interval: '1h', step_s: 3_600, limit: 168 + 2 },
  month: { label: 'Month', words: 'the last month', interval: '4h', step_s: 14_400, limit: 180 + 2 },
  year: { label: 'Year', words: 'the last year', interval: '1d', step_s: 86_400, limit: 365 + 2 },
} as const satisfies Record<string, { label: string; words: string } & Omit<Reach, 'now_s'>>;

type Span = keyof typeof spans;
type Read = (reach: Reach) => Promise<Drawn>;

/** What is drawn, and what must be said about it. */
export interface Drawn {
  readonly points: readonly ChartPoint[];
  readonly note?: string;
}

/** A coin's price at the end of each candle. The newest one has not ended, and is of now. */
export async function readPrices(coin: string, { interval, step_s, limit, now_s }: Reach): Promise<ChartPoint[]> {
  const { candles } = await api.listCandles(coin, { interval, limit });
  return candles.map(({ ts, close }) => ({
    at: Math.min(Date.parse(ts) / 1_000 + step_s, now_s),
    value: Number(close),
  }));
}

/** A line over a time that may be chosen. Another `name` is another line, which is read anew. */
export function SpanChart({ name, read }: { readonly name: string; readonly read: Read }) {
  const [span, setSpan] = useState<Span>('day');
  return (
    <>
      <Switch
        label="How far back"
        value={span}
        set={setSpan}
        options={Object.entries(spans).map(([of, { label }]) => [of as Span, label] as const)}
      />
      <Past key={`${name} ${span}`} name={name} span={span} read={read} />
    </>
  );
}

function Past({ name, span, read }: { readonly name: string; readonly span: Span; readonly read: Read }) {
  const { words, ...reach } = spans[span];
  const { loaded } = useLoaded(async () => {
    const reading = read({ ...reach, now_s: Math.floor(Date.now() / 1_000) });
    const [{ default: Chart }, drawn] = await Promise.all([import('./chart.tsx'), reading]);
    return { Chart, ...drawn };
  });
  return (
    <Shown loaded={loaded}>
      {({ Chart, points, note }) =>
        points.length < 2 ? (
          <p>There is nothing to draw of this time yet.</p>
        ) : (
          <>
            {note !== undefined && <p class="quiet">{note}</p>}
            <Chart points={points} label={`${name} in ${words}: ${describe(points)}`} unit="USDT" />
          </>
        )
      }
    </Shown>
  );
}

/** A line in words, for who does not see it. */
function describe(points: readonly ChartPoint[]): string {
  const values = points.map(({ value }) => value);
  const ends = [values.slice(0, 1), values.slice(-1)].map((end) => showPrice(end.join()));
  const bounds = [Math.min(...values), Math.max(...values)].map((value) => showPrice(String(value)));
  return `from ${ends.join(' to ')} USDT, between ${bounds.join(' and ')}`;
}
