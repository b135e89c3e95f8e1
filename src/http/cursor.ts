import { equalDigests, sign } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from './refusal.ts';

/** What a cursor belongs to: it opens no other list, and no other account's. */
export interface CursorScope {
  readonly route: string;
  readonly accountId: string;
}

/** Whose the operator's lists over all accounts are: no account has this id. */
export const OPERATOR_SCOPE = 'operator';

function signPosition(position: string, scope: CursorScope, secret: string): Promise<string> {
  return sign(JSON.stringify([scope.route, scope.accountId, position]), secret);
}

/** Writes the place where the next page begins: opaque, and of no use once changed. */
export async function writeCursor(position: string, scope: CursorScope, secret: string): Promise<string> {
  return `${position}.${await signPosition(position, scope, secret)}`;
}

/** Reads a cursor that `writeCursor` made for the same list and account; refuses any other with `invalid_cursor`. */
export async function readCursor(cursor: string, scope: CursorScope, secret: string): Promise<Outcome<string>> {
  const [position, tag, ...rest] = cursor.split('.');
  const isOurs =
    position !== undefined &&
    tag !== undefined &&
    rest.length === 0 &&
    equalDigests(tag, await signPosition(position, scope, secret));
  if (isOurs) return accept(position);
  return refuse('invalid_cursor', 'The cursor is not one that this list gave to this account.');
}
