import { SANDBOX_VENUE, VENUE_COINS, VENUE_FUNDS, VENUE_TERMS } from '../../src/sandbox/demo.ts';
import { operate } from './operate.ts';
import type { Place } from './place.ts';

/**
 * Brings the house's capital to the sandbox's venue, where it is already, and has the venue's coins hedged there. Each ledger
 * gets as many whole units as the others, and the first one the rest.
 */
export async function openVenue(place: Place, operatorToken: string, ledgers: number): Promise<void> {
  for (let ledger = 0; ledger < ledgers; ledger += 1) {
    for (const [asset, units] of Object.entries(VENUE_FUNDS)) {
      const each = Math.floor(units / ledgers);
      const amount = String(ledger === 0 ? units - each * (ledgers - 1) : each);
      const reference = `sandbox-${asset}-${ledger}`;
      const funding = { ledger, from: 'owner', to: SANDBOX_VENUE, asset, amount, reference };
      if (amount !== '0') await operate(place, operatorToken, 'POST', '/fundings', funding);
    }
  }
  const coinTerms = Object.fromEntries(VENUE_COINS.map((coin) => [coin, { hedging: VENUE_TERMS }]));
  await operate(place, operatorToken, 'PATCH', '/settings', { coinTerms });
}
