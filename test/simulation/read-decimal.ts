/**
 * Reads a plain decimal in whole atoms. Written separately, so that the model shares no arithmetic with the exchange.
 * `undefined` when it has more decimals.
 */
export function readDecimal(text: string, scale: number): bigint | undefined {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = fraction.replace(/0+$/, '');
  return digits.length > scale ? undefined : BigInt(whole + digits.padEnd(scale, '0'));
}

/** The same for an amount from a chain: further decimals are cut off. */
export function floorDecimal(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
}

export function writeDecimal(atoms: bigint, scale: number): string {
  const digits = String(atoms).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return digits.slice(0, -scale) + (fraction && `.${fraction}`);
}
