import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import Plot from 'uplot';
import { showAmount } from '../format.ts';

/** Below this width a screen is narrow, and a drawing lower, so that what follows is in sight. */
const NARROW_PX = 480;

/** Below this one a drawing is one of several in a line, lower, and with short values. */
const SMALL_PX = 220;
const SMALL_HEIGHT_PX = 96;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });

/** How a kind of chart looks. */
export interface Look {
  readonly scales?: Plot.Scales;
  readonly cursor?: Plot.Cursor;
  readonly series: Plot.Series[];
  /** The axis of the moments or days. */
  readonly along: Plot.Axis;
}

/**
 * Values of moments or days with their axes, in the colours of the theme and the width of its place. The pointer and the
 * arrow keys choose which of them is told below; at first it is the last, and none was chosen.
 */
export function Drawing({
  data,
  label,
  heights: [low, high],
  look,
  children,
}: {
  readonly data: Plot.AlignedData;
  /** What is drawn, in words, for who does not see it. */
  readonly label: string;
  readonly heights: readonly [narrow_px: number, wide_px: number];
  readonly look: (colours: CSSStyleDeclaration) => Look;
  readonly children: (index: number, isChosen: boolean) => ComponentChildren;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [shown, setShown] = useState<number>();
  const [theme, setTheme] = useState(0);
  const [moments] = data;
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => setTheme((known) => known + 1);
    media.addEventListener('change', redraw);
    return () => media.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const measure = () => {
      const width = parent.clientWidth;
      return { width, height: width < SMALL_PX ? SMALL_HEIGHT_PX : width < NARROW_PX ? low : high };
    };
    // One that is folded away has no width yet.
    const isSmall = parent.clientWidth > 0 && parent.clientWidth < SMALL_PX;
    const options = compose(getComputedStyle(parent), look, setShown, isSmall);
    const drawn = new Plot({ ...measure(), ...options }, data, parent);
    plot.current = drawn;
    const follow = new ResizeObserver(() => drawn.setSize(measure()));
    follow.observe(parent);
    return () => {
      follow.disconnect();
      drawn.destroy();
    };
  }, [JSON.stringify([label, data]), theme]);
  const last = moments.length - 1;
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || !plot.current) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, (shown ?? last) + by));
    plot.current.setCursor({ left: plot.current.valToPos(moments[next] ?? 0, 'x'), top: 1 });
    setShown(next);
  };
  return (
    <div class="chart">
      <div ref={place} role="img" aria-label={label} tabIndex={0} onKeyDown={step} />
      {children(Math.min(shown ?? last, last), shown !== undefined)}
    </div>
  );
}

function compose(
  colours: CSSStyleDeclaration,
  look: (colours: CSSStyleDeclaration) => Look,
  show: (index: number | undefined) => void,
  isSmall: boolean,
) {
  const lines = { stroke: colours.borderColor, width: 1 };
  const axis = { stroke: colours.color, grid: lines, ticks: lines, font: '12px system-ui' };
  const { along, cursor, ...own } = look(colours);
  return {
    ...own,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, ...cursor },
    axes: [
      { ...axis, ...(isSmall && { size: 32 }), ...along },
      {
        ...axis,
        size: isSmall ? 48 : 72,
        ...(isSmall && { space: 20 }),
        values: (_: Plot, splits: number[]) =>
          splits.map((value) => (isSmall ? SHORT.format(value) : showAmount(String(value)))),
      },
    ],
    hooks: { setCursor: [(drawn: Plot) => show(drawn.cursor.idx ?? undefined)] },
  };
}
