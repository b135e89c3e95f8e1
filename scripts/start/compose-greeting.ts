import type { Demo } from './demo-account.ts';
import { DEFAULT_STORAGE, type Place } from './place.ts';

/** A person of the staff, and the token with which Access sends each of their requests. */
export interface SignedIn {
  readonly email: string;
  readonly signedIn: string;
}

export interface ConsoleLinks {
  /** For one sign-in. */
  readonly holder: string;
  /** To the desk. */
  readonly operator: string;
}

/** The one page that `npm start` prints: where the exchange is, its keys, lines to paste, and how to end it. */
export function composeGreeting(
  place: Place,
  demo: Demo,
  operatorToken: string,
  staff: SignedIn,
  links: ConsoleLinks,
): string {
  const { origin, storage, logFile, mailFolder } = place;
  const reset = storage === DEFAULT_STORAGE ? 'npm run reset' : `BUREAU_STORAGE=${storage} npm run reset`;
  const authorization = `-H 'Authorization: Bearer ${demo.token}'`;
  const order = `{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"100"}`;
  return `
Bureau is open.

API:                   ${origin}/api/v1
guides and reference:  ${origin}/docs

console, signed in once as the demo account's holder:
  ${links.holder}

the operator's desk, signed in as ${staff.email}:
  ${links.operator}

demo account: ${demo.accountId}
api key: ${demo.token}
operator token: ${operatorToken}
signed in as ${staff.email}: ${staff.signedIn}

What the demo account holds:
  curl -s ${origin}/api/v1/wallet/balances ${authorization}

Buy bitcoin for 100 USDT:
  curl -s ${origin}/api/v1/orders ${authorization} -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)" -d '${order}'

The market:
  curl -s ${origin}/api/v1/markets/tickers

Requests are logged in ${logFile}, and the console's mails are in ${mailFolder}. The data is in ${storage}; ${reset} deletes it.
Ctrl-C ends it.
`;
}
