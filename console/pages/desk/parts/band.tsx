import type { ComponentChildren } from 'preact';

export const BAND_WIDTH = 160;
const BAND_HEIGHT = 22;

interface BandParts {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly lines: readonly string[];
  readonly children: ComponentChildren;
}

/** A place between bounds, drawn where `children` are, with what it comes to below it, and lines that explain it. The label says to a reader what is drawn. */
export function Band({ label, value, lines, children }: BandParts) {
  const box = `0 0 ${BAND_WIDTH} ${BAND_HEIGHT}`;
  return (
    <span class="band">
      {children && (
        <svg viewBox={box} width={BAND_WIDTH} height={BAND_HEIGHT} role="img" aria-label={label}>
          {children}
        </svg>
      )}
      {value}
      {lines.map((line) => (
        <small key={line}>{line}</small>
      ))}
    </span>
  );
}
