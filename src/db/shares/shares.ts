import { z } from 'zod';
import { type Asset, assetSymbols } from '../../money/assets.ts';
import type { Atoms } from '../../money/amounts.ts';
import { house } from '../transfers.ts';

/** The accounts of the house whose floors are limits: the supply cap of custody, the exposure of liquidity. */
export const limitedAccounts = [house.custody, house.liquidity] as const;

export type LimitedAccount = (typeof limitedAccounts)[number];

export interface Limit {
  readonly account: LimitedAccount;
  readonly asset: Asset;
}

const AtomsText = z.string().regex(/^\d+$/).transform(BigInt);

/** Each ledger's share of each limit, in atoms, in the order of the ledgers' numbers. The limit is their sum. */
export const Shares = z.record(z.enum(limitedAccounts), z.record(z.enum(assetSymbols), z.array(AtomsText)));

export type Shares = z.output<typeof Shares>;

export const limits: readonly Limit[] = limitedAccounts.flatMap((account) =>
  assetSymbols.map((asset) => ({ account, asset })),
);

export function sharesOf(shares: Shares, { account, asset }: Limit): readonly Atoms[] {
  return shares[account][asset];
}

export function withShares(shares: Shares, { account, asset }: Limit, replaced: readonly Atoms[]): Shares {
  return { ...shares, [account]: { ...shares[account], [asset]: [...replaced] } };
}

export function writeShares(shares: Shares): string {
  return JSON.stringify(shares, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function sumOf(amounts: readonly Atoms[]): Atoms {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/**
 * Divides an amount in proportion to `weights`, so that the parts are its sum. What rounding leaves goes to the first
 * that have a weight, an atom to each. Pure.
 */
export function divide(amount: Atoms, weights: readonly Atoms[]): Atoms[] {
  const whole = sumOf(weights);
  if (whole === 0n) return weights.map((_, at) => (at === 0 ? amount : 0n));
  const parts = weights.map((weight) => (amount * weight) / whole);
  let left = amount - sumOf(parts);
  return parts.map((part, at) => {
    const isGiven = left > 0n && (weights[at] ?? 0n) > 0n;
    if (isGiven) left -= 1n;
    return isGiven ? part + 1n : part;
  });
}

const smaller = (one: Atoms, other: Atoms) => (one < other ? one : other);

/** What is not used of shares, and may be taken. */
function listUnused(shares: readonly Atoms[], used: readonly Atoms[]): Atoms[] {
  return shares.map((share, at) => {
    const rest = share - (used[at] ?? 0n);
    return rest > 0n ? smaller(rest, share) : 0n;
  });
}

/**
 * The shares of a limit that becomes `limit`. A higher one is given in proportion to the shares; a lower one is taken
 * from what they do not use, in proportion to it. `undefined` when more than that is used. Pure.
 */
export function planLimit(shares: readonly Atoms[], used: readonly Atoms[], limit: Atoms): Atoms[] | undefined {
  const rise = limit - sumOf(shares);
  if (rise >= 0n) return add(shares, divide(rise, shares));
  const unused = listUnused(shares, used);
  if (sumOf(unused) < -rise) return undefined;
  const taken = divide(-rise, unused);
  return shares.map((share, at) => share - (taken[at] ?? 0n));
}

/**
 * The shares of a limit when a ledger's becomes `share`: ledger 0 gives it what it lacks, and gets what it has more.
 * `undefined` when it uses more than that, or ledger 0 does not have so much that it does not use. Pure.
 */
export function planShare(
  shares: readonly Atoms[],
  used: readonly Atoms[],
  ledger: number,
  share: Atoms,
): Atoms[] | undefined {
  const rise = share - (shares[ledger] ?? 0n);
  const giver = rise > 0n ? 0 : ledger;
  if ((listUnused(shares, used)[giver] ?? 0n) < (rise > 0n ? rise : -rise)) return undefined;
  return shares.map((one, at) => (at === ledger ? share : at === 0 ? one - rise : one));
}

/** The shares of a limit with one ledger more: it takes what the others do not use, and at most an equal part. Pure. */
export function planNewLedger(shares: readonly Atoms[], used: readonly Atoms[]): Atoms[] {
  const unused = listUnused(shares, used);
  const taken = divide(smaller(sumOf(shares) / BigInt(shares.length + 1), sumOf(unused)), unused);
  return [...shares.map((share, at) => share - (taken[at] ?? 0n)), sumOf(taken)];
}

function add(these: readonly Atoms[], those: readonly Atoms[]): Atoms[] {
  return these.map((one, at) => one + (those[at] ?? 0n));
}
