import { FIRST_LEDGER, ledgerNumberOf } from '../../src/db/record-id.ts';
import { VENUE } from '../support/db/house-money.ts';
import { house } from '../../src/db/transfers.ts';

export type House = Readonly<Record<keyof typeof house, string>>;

/**
 * How the model names the owner of a balance. The house has the same names in each ledger; in the model those of the
 * further ones say which ledger it is. The id of an account is of one ledger anyway.
 */
export function nameOwner(owner: string, ledger: number): string {
  return ledger === FIRST_LEDGER || !isHouse(owner) ? owner : `${owner}@${ledger}`;
}

export function isHouse(owner: string): boolean {
  return owner.startsWith('house:');
}

export function houseOf(ledger: number): House {
  const named = Object.entries(house).map(([part, owner]) => [part, nameOwner(owner, ledger)]);
  return Object.fromEntries(named) as House;
}

/** What the house of a ledger has at the one venue of the simulation. */
export function venueOf(ledger: number): string {
  return nameOwner(VENUE, ledger);
}

/** The house that an account trades with, and whose custody its deposits come from: that of its ledger. */
export function houseOfAccount(accountId: string): House {
  return houseOf(ledgerNumberOf(accountId));
}

/** Whether a name is that of what is in transit, in whichever ledger. */
export function isTransit(owner: string): boolean {
  return owner.startsWith(house.transit);
}

export function areApart(one: string, other: string): boolean {
  return ledgerNumberOf(one) !== ledgerNumberOf(other);
}
