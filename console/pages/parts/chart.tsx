import { useEffect, useRef, useState } from 'preact/hooks';
import Plot from 'uplot';
import { showAmount, showTime } from '../format.ts';
import type { ChartPoint } from './chart-point.ts';

/** Lower where the screen is narrow, so that what follows is in sight. */
function sizeOf({ clientWidth }: HTMLElement) {
  return { width: clientWidth, height: clientWidth < 480 ? 200 : 280 };
}

/** Where the pointer or the arrow keys are in a chart. */
type Shown = { readonly index: number } | undefined;

/** A line over time with its axes. The pointer and the arrow keys show the value of a moment below it. */
export default function Chart({
  points,
  label,
  unit,
}: {
  readonly points: readonly ChartPoint[];
  readonly label: string;
  readonly unit: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [shown, setShown] = useState<Shown>();
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => setTheme((known) => known + 1);
    media.addEventListener('change', redraw);
    return () => media.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const drawn = draw(parent, points, (index) => setShown(index === undefined ? undefined : { index }));
    plot.current = drawn;
    const follow = new ResizeObserver(() => drawn.setSize(sizeOf(parent)));
    follow.observe(parent);
    return () => {
      follow.disconnect();
      drawn.destroy();
    };
  }, [points, theme]);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || !plot.current) return;
    event.preventDefault();
    const index = Math.min(points.length - 1, Math.max(0, (shown?.index ?? points.length) + by));
    const next = points[index];
    if (!next) return;
    plot.current.setCursor({ left: plot.current.valToPos(next.at, 'x'), top: plot.current.valToPos(next.value, 'y') });
  };
  const point = points[shown?.index ?? points.length - 1];
  return (
    <div class="chart">
      <div ref={place} role="img" aria-label={label} tabIndex={0} onKeyDown={step} />
      <p class="quiet" aria-live="polite">
        {point && `${showTime(new Date(point.at * 1_000).toISOString())}: ${showAmount(String(point.value))} ${unit}`}
      </p>
    </div>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A moment below the axis: a time of day, or a day where the next is a day away and at midnight. */
function nameMoment(at: number, step: number): string {
  const time = new Date(at * 1_000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  return step >= 86_400 || isMidnight ? calendar.format(time) : clock.format(time);
}

/** A colour of the browser's, `rgb(…)`, so thin that lines show through it. */
const faint = (colour: string) => colour.replace('rgb(', 'rgba(').replace(')', ', 0.1)');

function draw(parent: HTMLElement, points: readonly ChartPoint[], show: (index: number | undefined) => void): Plot {
  const colours = getComputedStyle(parent);
  const [ink, lines] = [colours.color, colours.borderColor];
  const axis = {
    stroke: ink,
    grid: { stroke: lines, width: 1 },
    ticks: { stroke: lines, width: 1 },
    font: '12px system-ui',
  };
  return new Plot(
    {
      ...sizeOf(parent),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      axes: [
        { ...axis, values: (_, splits, __, ___, step) => splits.map((at) => nameMoment(at, step)) },
        { ...axis, size: 72, values: (_, splits) => splits.map((value) => showAmount(String(value))) },
      ],
      series: [
        {},
        { stroke: colours.accentColor, fill: faint(colours.accentColor), width: 2, points: { show: false } },
      ],
      hooks: { setCursor: [({ cursor }) => show(cursor.idx ?? undefined)] },
    },
    [points.map(({ at }) => at), points.map(({ value }) => value)],
    parent,
  );
}
