import { z } from 'zod';

/** What a key may do (spec, "Authentication"). */
export const Scope = z.enum(['read', 'trade', 'withdraw']);

export type Scope = z.output<typeof Scope>;

const letters = { read: 'r', trade: 't', withdraw: 'w' } as const satisfies Record<Scope, string>;

/** Scopes as a token and the database write them: a subset of `rtw`, in that order. */
export function writeScopes(scopes: readonly Scope[]): string {
  return Scope.options
    .filter((scope) => scopes.includes(scope))
    .map((scope) => letters[scope])
    .join('');
}

/** The scopes behind their letters. */
export function readScopes(written: string): Scope[] {
  return Scope.options.filter((scope) => written.includes(letters[scope]));
}
