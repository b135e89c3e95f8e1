const PERCENT_DIGITS = 2;

/** Hundredths of a percent as people read them: 20 is 0.20 %. */
export function showPercent(bps: number): string {
  const digits = String(bps).padStart(PERCENT_DIGITS + 1, '0');
  return `${digits.slice(0, -PERCENT_DIGITS)}.${digits.slice(-PERCENT_DIGITS)}\u202F%`;
}

/** A percentage with at most two decimals, as it is typed, in hundredths of a percent; `undefined` for another text. */
export function readPercent(text: string): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole + fraction.padEnd(PERCENT_DIGITS, '0'));
}
