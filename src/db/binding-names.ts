import { FIRST_LEDGER, MAX_LEDGER } from './record-id.ts';

/** The name of the binding of a ledger's database. */
type BindingName = 'DB' | `DB_${number}`;

/** The names of the bindings of all ledgers but the first. */
export const BINDING = /^DB_(\d+)$/;

export function bindingOf(ledger: number): BindingName {
  return ledger === FIRST_LEDGER ? 'DB' : `DB_${ledger}`;
}

/**
 * The faults of the ledgers' bindings, each a variable and its fault. The numbers must go from 0 on without a gap, so
 * that a forgotten binding stops the start of the Worker, instead of failing requests of that ledger's accounts.
 */
export function findBindingFaults(bindings: Readonly<Record<string, unknown>>): string[] {
  const named = Object.keys(bindings).filter((name) => BINDING.test(name));
  const isListed = (name: string) => named.includes(name);
  return [
    ...(bindings['DB'] === undefined ? ['DB is not bound'] : []),
    ...named.flatMap((name) => {
      const number = Number(BINDING.exec(name)?.[1]);
      if (name !== bindingOf(number) || number < 1 || number > MAX_LEDGER) return [`${name} is the name of no ledger`];
      const before = bindingOf(number - 1);
      return number === 1 || isListed(before) ? [] : [`${name} is bound, and ${before} is not`];
    }),
  ];
}
