import { useEffect, useRef, useState } from 'preact/hooks';
import Plot from 'uplot';
import { showAmount } from '../../format.ts';
import { type BarsOf, showSigned } from './day-bars.ts';

/** The widest bar, and how much of its place one takes. */
const MOST_WIDTH = 28;
const SHARE = 0.4;

const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const nameDay = (day: string | undefined) => (day === undefined ? '' : calendar.format(new Date(day)));

function sizeOf({ clientWidth }: HTMLElement) {
  return { width: clientWidth, height: clientWidth < 480 ? 180 : 200 };
}

/** One or two bars a day. The pointer and the arrow keys show the values of a day below it, in full. */
export default function Bars({ days, label, series }: BarsOf) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [shown, setShown] = useState<number>();
  const [theme, setTheme] = useState(0);
  const drawn = JSON.stringify([days, series]);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => setTheme((known) => known + 1);
    media.addEventListener('change', redraw);
    return () => media.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const chart = draw(parent, { days, label, series }, setShown);
    plot.current = chart;
    const follow = new ResizeObserver(() => chart.setSize(sizeOf(parent)));
    follow.observe(parent);
    return () => {
      follow.disconnect();
      chart.destroy();
    };
  }, [drawn, theme]);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || !plot.current) return;
    event.preventDefault();
    const next = Math.min(days.length - 1, Math.max(0, (shown ?? days.length) + by));
    plot.current.setCursor({ left: plot.current.valToPos(next, 'x'), top: 1 });
    setShown(next);
  };
  const at = shown ?? days.length - 1;
  return (
    <div class="chart bars">
      <div ref={place} role="img" aria-label={label} tabIndex={0} onKeyDown={step} />
      <p class="legend" aria-live="polite">
        <span class="quiet">{nameDay(days[at])}</span>
        {series.map(({ name, values }, place_) => (
          <span key={name} class={`key key-${place_}`}>
            {name} {showSigned(values[at] ?? '0')}
          </span>
        ))}
      </p>
    </div>
  );
}

function draw(parent: HTMLElement, { days, series }: BarsOf, show: (index: number | undefined) => void): Plot {
  const colours = getComputedStyle(parent);
  const [ink, lines] = [colours.color, colours.borderColor];
  const axis = {
    stroke: ink,
    grid: { stroke: lines, width: 1 },
    ticks: { stroke: lines, width: 1 },
    font: '12px system-ui',
  };
  const bars = Plot.paths.bars;
  if (!bars) throw new Error('the chart library has no bars');
  const sides = series.length === 1 ? [0 as const] : [-1 as const, 1 as const];
  return new Plot(
    {
      ...sizeOf(parent),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.6, days.length - 0.4] },
        // From zero on, so that a bar twice as high is twice as much.
        y: { range: (_, low, high) => [Math.min(0, low) * 1.05, Math.max(0, high, low < 0 ? 0 : 1) * 1.05] },
      },
      axes: [
        { ...axis, grid: { show: false }, values: (_, splits) => splits.map((at) => nameDay(days[at])) },
        { ...axis, size: 72, values: (_, splits) => splits.map((value) => showAmount(String(value))) },
      ],
      series: [
        {},
        ...series.map((_, index) => ({
          fill: index === 0 ? colours.accentColor : colours.caretColor,
          width: 0,
          points: { show: false },
          paths: bars({ size: [series.length === 1 ? SHARE * 2 : SHARE, MOST_WIDTH], align: sides[index] ?? 0 }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => show(cursor.idx ?? undefined)] },
    },
    [days.map((_, index) => index), ...series.map(({ values }) => values.map(Number))],
    parent,
  );
}
