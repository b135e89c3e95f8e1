import type { Deal, VenueReport } from '../dealing/contract.ts';
import type { DealState, Dealer } from '../dealing/dealer.ts';
import { type HubBindings, reachHub } from '../markets/read-hub.ts';
import { tryOrLog } from '../platform/log.ts';
import { SANDBOX_VENUE } from './demo.ts';

/** What the sandbox's hub of prices does as a venue beyond production's. */
export interface VenueKeeper {
  dealAtVenue(deal: Deal): Promise<DealState>;
  reportVenue(): Promise<VenueReport>;
}

/** The dealer of the sandbox, whose only venue is the sandbox's own. It knows nothing of any other. */
export function playDealer(bindings: HubBindings): Dealer {
  const ask = <T>(call: (hub: VenueKeeper) => Promise<T>) =>
    tryOrLog('sandbox_venue_unreachable', {}, undefined, () => call(reachHub(bindings) as unknown as VenueKeeper));
  return {
    submit: async (deal) => {
      if (deal.venue !== SANDBOX_VENUE) return { kind: 'unresolved', reason: 'no such venue' };
      return (await ask((hub) => hub.dealAtVenue(deal))) ?? { kind: 'unresolved', reason: 'no answer' };
    },
    report: async (venue) => (venue === SANDBOX_VENUE ? ask((hub) => hub.reportVenue()) : undefined),
  };
}
