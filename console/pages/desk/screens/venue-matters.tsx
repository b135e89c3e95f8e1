import { isGreater, subtract } from '../../exact.ts';
import { showSigned } from '../parts/day-bars.ts';
import type { Matter } from '../parts/matters.tsx';
import type { Venue, Venues } from '../schema.d.ts';

/** By how much what is at venues is above its limit; `undefined` where it is not. */
export function findExcess({ atVenuesUsdValue, maxAtVenues }: Venues): string | undefined {
  if (atVenuesUsdValue === null || maxAtVenues === null || !isGreater(atVenuesUsdValue, maxAtVenues)) return undefined;
  return subtract(atVenuesUsdValue, maxAtVenues);
}

/** What is not as it should be at the venues, without what is to be moved. */
export function listVenueMatters(all: Venues): readonly Matter[] {
  const excess = findExcess(all);
  return [
    ...(excess === undefined
      ? []
      : [
          {
            what: `${showSigned(excess)} USDT over the limit at venues`,
            why: 'Prices and trades raised it. Nothing more may be moved there.',
            step: <a href="/desk/settings?show=risk">See the limit</a>,
          },
        ]),
    ...all.venues.flatMap(listMattersOf),
  ];
}

function listMattersOf({ venue, state, balances, openHedges }: Venue): readonly Matter[] {
  const differing = balances.filter(({ differs }) => differs).map(({ asset }) => asset);
  const needs = openHedges.length > 0 || balances.some(({ shouldHold }) => shouldHold !== '0');
  return [
    ...(differing.length > 0
      ? [
          {
            what: `Venue ${venue} holds another amount of ${differing.join(', ')} than the ledger says`,
            why: 'Compare both below.',
            isBad: true,
          },
        ]
      : []),
    ...(state === 'silent'
      ? [{ what: `Venue ${venue} is silent`, why: 'See whether the dealer runs and reaches it.', isBad: true }]
      : []),
    ...(state === 'unknown' && needs
      ? [
          {
            what: `What venue ${venue} holds is not checked`,
            why: 'Checks begin once a coin is set to be hedged there.',
            step: <a href="/desk/settings">Hedge a coin there</a>,
          },
        ]
      : []),
  ];
}
