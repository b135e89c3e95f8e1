import { equalDigests, sign } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from './answer.ts';

/** The list and the account that a cursor belongs to. Any other list or account refuses it. */
export interface CursorScope {
  readonly route: string;
  readonly accountId: string;
}

/** The owner of the operator's lists over all accounts. No account has this id. */
export const OPERATOR_SCOPE = 'operator';

/** The refusal of every cursor that the list did not give. */
export const badCursor = refuse('invalid_cursor', 'The cursor is not one that this list gave to this account.');

function signPosition(position: string, scope: CursorScope, secret: string): Promise<string> {
  return sign(JSON.stringify([scope.route, scope.accountId, position]), secret);
}

/** Writes the place where the next page begins, as an opaque text. A changed text is refused. */
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
  return badCursor;
}
