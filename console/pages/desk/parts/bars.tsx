import Plot from 'uplot';
import { Drawing, type Look } from '../../parts/drawing.tsx';
import { type BarsOf, showSigned } from './day-bars.ts';

/** The widest bar, and how much of its place one takes. */
const MOST_WIDTH = 28;
const SHARE = 0.4;

const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const nameDay = (day: string | undefined) => (day === undefined ? '' : calendar.format(new Date(day)));

/** One or two bars a day, with the values of a day below them, in full. */
export default function Bars({ days, label, series }: BarsOf) {
  const data = [days.map((_, index) => index), ...series.map(({ values }) => values.map(Number))];
  const look = (colours: CSSStyleDeclaration) => draw(colours, days, series.length);
  return (
    <Drawing data={data as [number[], ...number[][]]} label={label} heights={[180, 200]} look={look}>
      {(index) => (
        <p class="legend" aria-live="polite">
          <span class="quiet">{nameDay(days[index])}</span>
          {series.map(({ name, values, show = showSigned }, place) => (
            <span key={name} class={`key key-${place}`}>
              {name} {show(values[index] ?? '0')}
            </span>
          ))}
        </p>
      )}
    </Drawing>
  );
}

/** The next round number above a positive one, so that the highest bar ends below a line with its value. */
function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.5, 2, 3, 4, 5, 8].find((step) => value <= step * power) ?? 10);
}

function draw({ accentColor, caretColor }: CSSStyleDeclaration, days: readonly string[], count: number): Look {
  const bars = Plot.paths.bars;
  if (!bars) throw new Error('the chart library has no bars');
  const sides = count === 1 ? ([0] as const) : ([-1, 1] as const);
  return {
    cursor: { points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      // From zero on, so that a bar twice as high is twice as much.
      y: { range: (_, low, high) => [-roundUp(-low), Math.max(roundUp(high), low < 0 ? 0 : 1)] },
    },
    along: {
      grid: { show: false },
      // Counted back from today, whose bar is the one that is looked at.
      splits: (_plot, _axis, _from, _to, every) =>
        days.map((_day, at) => at).filter((at) => (days.length - 1 - at) % Math.max(1, Math.round(every)) === 0),
      values: (_, splits) => splits.map((at) => nameDay(days[at])),
    },
    series: [
      {},
      ...sides.map((align, index) => ({
        fill: index === 0 ? accentColor : caretColor,
        width: 0,
        points: { show: false },
        paths: bars({ size: [count === 1 ? SHARE * 2 : SHARE, MOST_WIDTH], align }),
      })),
    ],
  };
}
