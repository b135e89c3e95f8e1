import { showAmount, showTime } from '../format.ts';
import type { ChartPoint } from './chart-point.ts';
import { Drawing, type Look } from './drawing.tsx';

/** A line over time, with the value of a moment below it. */
export default function Chart({
  points,
  label,
  unit,
}: {
  readonly points: readonly ChartPoint[];
  readonly label: string;
  readonly unit: string;
}) {
  const data: [number[], number[]] = [points.map(({ at }) => at), points.map(({ value }) => value)];
  return (
    <Drawing data={data} label={label} heights={[200, 280]} look={look}>
      {(index) => {
        const point = points[index];
        return (
          <p class="quiet" aria-live="polite">
            {point &&
              `${showTime(new Date(point.at * 1_000).toISOString())}: ${showAmount(String(point.value))} ${unit}`}
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
