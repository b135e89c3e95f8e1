import { AMOUNT_SYNTAX, formatAmount, parseAmount } from '../../src/money/amounts.ts';

/** Venues write up to 18 decimals, so that is the scale of every amount in the dealer: a whole number of 1e-18. */
export const SCALE = 18;

/** Reads an amount as a venue or Bureau writes it. Throws when it is not a plain decimal without a sign. */
export function readAmount(text: string): bigint {
  const amount = AMOUNT_SYNTAX.test(text) ? parseAmount(text, SCALE) : undefined;
  if (amount === undefined) throw new TypeError(`${text.slice(0, 40)} is not an amount`);
  return amount;
}

/** Reads text that is no amount as `undefined`. */
export function findAmount(text: unknown): bigint | undefined {
  return typeof text === 'string' && AMOUNT_SYNTAX.test(text) ? parseAmount(text, SCALE) : undefined;
}

export function writeAmount(amount: bigint): string {
  return formatAmount(amount, SCALE);
}

/** The same amount without trailing zeros. Throws when it is none. */
export function shortenAmount(text: string): string {
  return writeAmount(readAmount(text));
}

/** The product of an amount and a price, rounded up to 1e-18. */
export function multiplyUp(amount: bigint, price: bigint): bigint {
  const unit = 10n ** BigInt(SCALE);
  return (amount * price + unit - 1n) / unit;
}

/** The step of amounts with so many decimals. */
export function writeStep(decimals: number): string {
  return writeAmount(10n ** BigInt(SCALE - decimals));
}
