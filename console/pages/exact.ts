const SCALE = 18;

/** A plain decimal as a whole number of 10^-18: amounts and prices are never read as floating point. */
function parse(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'));
}

function write(value: bigint, decimals: number): string {
  if (value < 0n) {
    const positive = write(-value, decimals);
    return positive === '0' ? positive : `-${positive}`;
  }
  const digits = value.toString().padStart(SCALE + 1, '0');
  const whole = digits.slice(0, -SCALE);
  const fraction = digits.slice(-SCALE).slice(0, decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The product of two decimals, cut after so many digits. */
export function multiply(one: string, other: string, decimals: number): string {
  return write((parse(one) * parse(other)) / 10n ** BigInt(SCALE), decimals);
}

/** One decimal through another, cut after so many digits. */
export function divide(one: string, other: string, decimals: number): string {
  return write((parse(one) * 10n ** BigInt(SCALE)) / parse(other), decimals);
}

/** The sum of decimals, to the last digit. */
export function add(values: readonly string[]): string {
  return write(
    values.reduce((sum, value) => sum + parse(value), 0n),
    SCALE,
  );
}

/** Whether one decimal is greater than another. */
export function isGreater(one: string, other: string): boolean {
  return parse(one) > parse(other);
}

/** One decimal less another, to the last digit; `0` where nothing is left. */
export function subtract(one: string, other: string): string {
  const left = parse(one) - parse(other);
  return write(left > 0n ? left : 0n, SCALE);
}
