const SCALE = 18;

/** A plain decimal as a whole number of 10^-18: amounts and prices are never read as floating point. */
function parse(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'));
}

function write(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(SCALE + 1, '0');
  const whole = digits.slice(0, -SCALE);
  const fraction = digits.slice(-SCALE).slice(0, decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The product of two decimals, cut after so many digits. */
export function multiply(one: string, other: string, decimals: number): string {
  return write((parse(one) * parse(other)) / 10n ** BigInt(SCALE), decimals);
}

/** The sum of decimals, cut after so many digits. */
export function add(values: readonly string[], decimals: number): string {
  return write(
    values.reduce((sum, value) => sum + parse(value), 0n),
    decimals,
  );
}
