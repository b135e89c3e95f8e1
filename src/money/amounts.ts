import { Decimal } from 'decimal.js';

/**
 * A whole number of an asset's smallest unit in the ledger. Never a `number`: a JavaScript number is exact only
 * to 2^53, a balance is not.
 */
export type Atoms = bigint;

/** The largest amount that the ledger's 64-bit columns hold. */
export const MAX_ATOMS: Atoms = 2n ** 63n - 1n;

/** The syntax of every amount that a client may send: a plain decimal string, no sign, no exponent. */
export const AMOUNT_SYNTAX = /^(0|[1-9]\d{0,19})(\.\d{1,18})?$/;

/** Enough digits that no product of a 20-digit amount and a price is ever rounded silently. */
export const Exact = Decimal.clone({ precision: 120, toExpNeg: -200, toExpPos: 200, rounding: Decimal.ROUND_HALF_UP });

/**
 * Reads an amount that matches `AMOUNT_SYNTAX` into atoms of an asset with `scale` decimals. Trailing zeros are
 * ignored. More decimals than the scale give `undefined` (the caller's `precision_exceeded`); the amount is never
 * rounded.
 */
export function parseAmount(text: string, scale: number): Atoms | undefined {
  if (!AMOUNT_SYNTAX.test(text)) throw new TypeError('parseAmount takes text that matches AMOUNT_SYNTAX');
  const [whole = '', fraction = ''] = text.split('.');
  return /[1-9]/.test(fraction.slice(scale)) ? undefined : readDigits(whole, fraction, scale);
}

/** The same, but decimals beyond the scale are cut off: for amounts from a chain, never for a client's. */
export function floorAmount(text: string, scale: number): Atoms {
  if (!AMOUNT_SYNTAX.test(text)) throw new TypeError('floorAmount takes text that matches AMOUNT_SYNTAX');
  const [whole = '', fraction = ''] = text.split('.');
  return readDigits(whole, fraction, scale);
}

/** Moves the decimal point by `scale` digits, which is exact and faster than arithmetic. */
function readDigits(whole: string, fraction: string, scale: number): Atoms {
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
}

/** Writes atoms as a plain decimal string: no exponent, no trailing zeros, zero is `"0"`. */
export function formatAmount(atoms: Atoms, scale: number): string {
  const [sign, digits] = atoms < 0n ? ['-', String(-atoms)] : ['', String(atoms)];
  const padded = digits.padStart(scale + 1, '0');
  const point = padded.length - scale;
  const fraction = padded.slice(point).replace(/0+$/, '');
  return `${sign}${padded.slice(0, point)}${fraction && `.${fraction}`}`;
}

/** Divides two positive integers and rounds down. */
export function divideDown(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}

/** Divides two positive integers and rounds up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
