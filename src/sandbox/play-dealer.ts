import type { Deal, VenueReport } from '../dealing/contract.ts';
import type { DealState, Dealer } from '../dealing/dealer.ts';
import { type HubBindings, reachHub } from '../markets/read-hub.ts';
import { describeError, logFault } from '../platform/log.ts';
import { SANDBOX_VENUE } from './demo.ts';

/** What the sandbox's hub of prices does as a venue beyond production's. */
export interface VenueKeeper {
  dealAtVenue(deal: Deal): Promise<DealState>;
  reportVenue(): Promise<VenueReport>;
}

/** The dealer of the sandbox, whose only venue is the sandbox's own. It knows nothing of any other. */
export function playDealer(bindings: HubBindings): Dealer {
  const hub = () => reachHub(bindings) as unknown as VenueKeeper;
  return {
    submit: async (deal) => {
      if (deal.venue !== SANDBOX_VENUE) return { kind: 'unresolved', reason: 'no such venue' };
      return (await attempt(() => hub().dealAtVenue(deal))) ?? { kind: 'unresolved', reason: 'no answer' };
    },
    report: async (venue) => (venue === SANDBOX_VENUE ? attempt(() => hub().reportVenue()) : undefined),
  };
}

async function attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    logFault('sandbox_venue_unreachable', { error: describeError(error) });
    return undefined;
  }
}
