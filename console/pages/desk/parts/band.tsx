import type { ComponentChildren } from 'preact';

export const BAND_WIDTH = 160;
const BAND_HEIGHT = 22;

interface BandParts {
  readonly label: string;
  readonly lines: readonly string[];
  readonly children: ComponentChildren;
}

/** A place between bounds, drawn, with lines of words below it. The label says to a reader what is drawn. */
export function Band({ label, lines, children }: BandParts) {
  const box = `0 0 ${BAND_WIDTH} ${BAND_HEIGHT}`;
  return (
    <span class="band">
      <svg viewBox={box} width={BAND_WIDTH} height={BAND_HEIGHT} role="img" aria-label={label}>
        {children}
      </svg>
      {lines.map((line) => (
        <small key={line}>{line}</small>
      ))}
    </span>
  );
}
