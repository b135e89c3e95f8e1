const WIDTH = 100;
const HEIGHT = 30;

/** A small line through some figures, the oldest first. What it shows is said in words beside it, to the digit. */
export function Line({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH;
    return `${x.toFixed(2)},${(HEIGHT - ((value - low) / span) * HEIGHT).toFixed(2)}`;
  });
  return (
    <svg class="line" viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
