import type { Demo } from './demo-account.ts';
import type { Place } from './place.ts';

/** The one page that `npm start` prints: where the exchange is, its keys, lines to paste, and how to end it. */
export function composeGreeting(place: Place, demo: Demo, operatorToken: string): string {
  const { origin, storage, logFile } = place;
  const authorization = `-H 'Authorization: Bearer ${demo.token}'`;
  const order = `{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"100"}`;
  return `
Bureau is open.

API:                   ${origin}/api/v1
guides and reference:  ${origin}/docs

demo account: ${demo.accountId}
api key: ${demo.token}
operator token: ${operatorToken}

What the demo account holds:
  curl -s ${origin}/api/v1/wallet/balances ${authorization}

Buy bitcoin for 100 USDT:
  curl -s ${origin}/api/v1/orders ${authorization} -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)" -d '${order}'

The market:
  curl -s ${origin}/api/v1/markets/tickers

Requests are logged in ${logFile}. The data is in ${storage}; npm run reset deletes it.
Ctrl-C ends it.
`;
}
