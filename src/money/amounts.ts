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
  const atoms = floorAmount(text, scale);
  const beyond = text.split('.')[1]?.slice(scale) ?? '';
  return /[1-9]/.test(beyond) ? undefined : atoms;
}

/** The same, but decimals beyond the scale are cut off: for amounts from a chain, never for a client's. */
export function floorAmount(text: string, scale: number): Atoms {
  if (!AMOUNT_SYNTAX.test(text)) throw new TypeError('an amount is text that matches AMOUNT_SYNTAX');
  const [whole = '', fraction = ''] = text.split('.');
  // Moves the decimal point by `scale` digits, which is exact and faster than arithmetic.
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

/** A price in USDT, as a whole number of 1e-8 USDT. */
export type Price = bigint;

/** Decimals of every price that Bureau shows, stores or fills at. */
export const PRICE_SCALE = 8;

/** Far above every price that Bureau's markets ever had: a venue that says more is wrong. */
const MAX_PRICE_USDT = new Exact('1e10');

const MAX_VOLUME = new Exact('1e20');
const VOLUME_SCALE = 18;

/** No market writes longer numbers, and a longer one could be rounded while it is parsed. */
const MAX_NUMBER_LENGTH = 64;

const NUMBER_SYNTAX = /^\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

function isNumber(text: string): boolean {
  return text.length <= MAX_NUMBER_LENGTH && NUMBER_SYNTAX.test(text);
}

function isSignedNumber(text: string): boolean {
  return isNumber(text.replace(/^-/, ''));
}

/** Most prices have this form, and are read without slow decimal arithmetic. */
const PLAIN_PRICE_SYNTAX = /^(\d{1,10})(?:\.(\d{1,8}))?$/;

/** Most volumes have this form: the whole part, and a fraction that may end in zeros. */
const PLAIN_VOLUME_SYNTAX = /^(0|[1-9]\d{0,19})(?:\.(\d{1,18}))?$/;

/**
 * Reads a price as a venue writes it, exponent included, rounded half up to 8 decimals. Anything that is not a
 * finite positive number below 1e10 USDT, or that rounds to zero, gives `undefined`.
 */
export function parsePrice(text: string): Price | undefined {
  const plain = PLAIN_PRICE_SYNTAX.exec(text);
  if (!plain) return isNumber(text) ? roundPrice(new Exact(text)) : undefined;
  const [, whole = '', fraction = ''] = plain;
  const price = BigInt(whole + fraction.padEnd(PRICE_SCALE, '0'));
  return price > 0n ? price : undefined;
}

/**
 * The price before it changed by `change`, a signed number of USDT: the price less the change, rounded as a price is.
 * Gives `undefined` where either cannot be read or the result is no price.
 */
export function priceBeforeChange(price: string, change: string): Price | undefined {
  if (!isNumber(price) || !isSignedNumber(change)) return undefined;
  return roundPrice(new Exact(price).minus(change));
}

/**
 * The price before it changed by `percent`, a signed number of hundredths: the exact quotient, rounded as a price is.
 * Gives `undefined` where either cannot be read or the result is no price, as at a fall of 100 % or more.
 */
export function priceBeforePercent(price: string, percent: string): Price | undefined {
  if (!isNumber(price) || !isSignedNumber(percent)) return undefined;
  const factor = new Exact(percent).plus(100);
  return factor.greaterThan(0) ? roundPrice(new Exact(price).times(100).div(factor)) : undefined;
}

function roundPrice(price: InstanceType<typeof Exact>): Price | undefined {
  if (price.lessThanOrEqualTo(0) || price.greaterThanOrEqualTo(MAX_PRICE_USDT)) return undefined;
  const scaled = BigInt(price.times(new Exact(10).pow(PRICE_SCALE)).toFixed(0));
  return scaled > 0n ? scaled : undefined;
}

/**
 * Reads a volume as a venue writes it and gives it back plain, with at most 18 decimals: no exponent, no trailing
 * zeros, no sign. Anything else gives `undefined`, as does an impossibly large volume.
 */
export function parseVolume(text: string): string | undefined {
  const plain = PLAIN_VOLUME_SYNTAX.exec(text);
  if (plain) {
    const [, whole = '', fraction = ''] = plain;
    const digits = fraction.replace(/0+$/, '');
    return digits === '' ? whole : `${whole}.${digits}`;
  }
  if (!isNumber(text)) return undefined;
  const volume = new Exact(text);
  return volume.lessThan(MAX_VOLUME) ? volume.toDecimalPlaces(VOLUME_SCALE).toFixed() : undefined;
}

/** The exact sum of volumes as `parseVolume` gives them, in the same form. */
export function sumVolumes(volumes: readonly string[]): string {
  return volumes.reduce((sum, volume) => sum.plus(volume), new Exact(0)).toFixed();
}

export function formatPrice(price: Price): string {
  return formatAmount(price, PRICE_SCALE);
}

/** The mean of two prices, half up at 8 decimals. */
export function meanPrice(one: Price, other: Price): Price {
  return (one + other + 1n) / 2n;
}

/** The median of at least one price; of an even number the mean of the middle two. */
export function medianPrice(prices: readonly Price[]): Price {
  const sorted = prices.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted.length % 2 === 0 ? sorted[middle - 1] : upper;
  if (upper === undefined || lower === undefined) throw new RangeError('medianPrice takes at least one price');
  return meanPrice(lower, upper);
}

/** `price / open - 1` as the fraction that `change24h` shows, rounded to 6 decimals. */
export function changeFraction(price: Price, open: Price): number {
  const change = new Exact(price.toString()).div(open.toString()).minus(1).toDecimalPlaces(6).toNumber();
  return change === 0 ? 0 : change;
}
