/** A plain decimal in whole atoms, written anew so that the model shares no arithmetic; `undefined` if it is finer. */
export function readDecimal(text: string, scale: number): bigint | undefined {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = fraction.replace(/0+$/, '');
  return digits.length > scale ? undefined : BigInt(whole + digits.padEnd(scale, '0'));
}

/** The same where a chain may be finer: the rest is cut off. */
export function floorDecimal(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
}

/** Atoms as a plain decimal string. */
export function writeDecimal(atoms: bigint, scale: number): string {
  const digits = String(atoms).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return digits.slice(0, -scale) + (fraction && `.${fraction}`);
}
