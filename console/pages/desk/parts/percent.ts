const PERCENT_DIGITS = 2;

/** Hundredths of a percent in percent, as one types it: 20 is 0.20. */
export function writePercent(bps: number): string {
  const digits = String(bps).padStart(PERCENT_DIGITS + 1, '0');
  return `${digits.slice(0, -PERCENT_DIGITS)}.${digits.slice(-PERCENT_DIGITS)}`;
}

/** Hundredths of a percent as people read them: 20 is 0.20 %. */
export function showPercent(bps: number): string {
  return `${writePercent(bps)}\u202F%`;
}

/** What the field of a percentage takes. */
export const PERCENT_PATTERN = String.raw`\d{1,2}(\.\d{1,2})?`;

/** A percentage with at most two decimals, as it is typed, in hundredths of a percent; `undefined` for another text. */
export function readPercent(text: string): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole + fraction.padEnd(PERCENT_DIGITS, '0'));
}

/** Whether what there is covers less than the whole. */
export function isLacking(share: string): boolean {
  return Number(share) < 1;
}

/** A share such as 0.9939 in percent, with two decimals. */
export function showShare(share: string): string {
  return `${(Number(share) * 100).toFixed(2)}\u202F%`;
}
