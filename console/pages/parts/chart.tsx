import { showPrice, showTime } from '../format.ts';
import type { ChartPoint } from './chart-point.ts';
import { Drawing, type Look } from './drawing.tsx';

/** A line over time; below it the bounds between which it is, or the value of the moment that somebody chose. */
export default function Chart({
  points,
  label,
  unit,
}: {
  readonly points: readonly ChartPoint[];
  readonly label: string;
  readonly unit: string;
}) {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => showPrice(String(value)));
  const bounds = `Between ${least} and ${most} ${unit}`;
  const data: [number[], number[]] = [points.map(({ at }) => at), values];
  return (
    <Drawing data={data} label={label} heights={[200, 280]} look={look}>
      {(index, isChosen) => {
        const point = points[index];
        return (
          <p class="quiet" aria-live="polite">
            {point && isChosen
              ? `${showTime(new Date(point.at * 1_000).toISOString())}: ${showPrice(String(point.value))} ${unit}`
              : bounds}
          </p>
        );
      }}
    </Drawing>
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

const look = ({ accentColor }: CSSStyleDeclaration): Look => ({
  along: { values: (_, splits, __, ___, step) => splits.map((at) => nameMoment(at, step)) },
  series: [{}, { stroke: accentColor, fill: faint(accentColor), width: 2, points: { show: false } }],
});
