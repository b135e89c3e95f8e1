import type { Atoms } from '../../money/amounts.ts';

/** What a ledger could give away of its quota, in atoms. */
export interface Giver {
  readonly ledger: number;
  readonly spare: Atoms;
}

/** What is taken from a ledger, in atoms: more than zero. */
export interface Taken {
  readonly ledger: number;
  readonly amount: Atoms;
}

/** As many ledgers give for one request, which bounds its round trips. */
const MAX_GIVERS = 8;

/** From which ledgers to take an amount: from the one that can spare most first. It may find less. Pure. */
export function planTaking(givers: readonly Giver[], amount: Atoms): Taken[] {
  const taken: Taken[] = [];
  let missing = amount;
  for (const { ledger, spare } of sortBySpare(givers).slice(0, MAX_GIVERS)) {
    const part = spare < missing ? spare : missing;
    if (part > 0n) taken.push({ ledger, amount: part });
    missing -= part;
  }
  return taken;
}

/**
 * What a ledger with little room takes from the one that can spare most, so that both have the same: nothing unless that
 * one can spare more than twice the room. So two ledgers that take from each other in turn come to rest. Pure.
 */
export function planEvening(room: Atoms, givers: readonly Giver[]): Taken[] {
  const [richest] = sortBySpare(givers);
  if (!richest || richest.spare <= 2n * room) return [];
  return planTaking([richest], (richest.spare - room) / 2n);
}

/** Most first; of equal ones the lower number first. */
function sortBySpare(givers: readonly Giver[]): Giver[] {
  return givers.toSorted((one, other) =>
    one.spare === other.spare ? one.ledger - other.ledger : one.spare > other.spare ? -1 : 1,
  );
}
