import type { ComponentChildren } from 'preact';
import { isGreater, subtract } from '../../exact.ts';
import { inWords, showAmount, showSum } from '../../format.ts';
import { showSigned } from '../parts/day-bars.ts';
import type { Matter } from '../parts/matters.tsx';
import type { Hedge, Venue, Venues } from '../schema.d.ts';

export type Move = Venue['toMove'][number];

/** What a person can do here about money that is to be moved, and about a hedge that nobody answers. */
export interface VenueSteps {
  readonly record: (move: Move, venue: Venue) => ComponentChildren;
  readonly end: (hedge: Hedge) => ComponentChildren;
}

/** What needs a person at the venues, first what harms now. */
export function listVenueMatters(all: Venues, steps?: VenueSteps): readonly Matter[] {
  return [
    ...all.venues.flatMap(listFaults),
    ...all.venues.flatMap((venue) => listMoves(venue, steps)),
    ...all.venues.flatMap((venue) => listStuck(venue, steps)),
    ...listExcess(all),
    ...all.venues.flatMap(listUnchecked),
  ].toSorted((one, other) => Number(other.isBad ?? false) - Number(one.isBad ?? false));
}

/** By how much what is at venues is above its limit; `undefined` where it is not. */
export function findExcess({ atVenuesUsdValue, maxAtVenues }: Venues): string | undefined {
  if (atVenuesUsdValue === null || maxAtVenues === null || !isGreater(atVenuesUsdValue, maxAtVenues)) return undefined;
  return subtract(atVenuesUsdValue, maxAtVenues);
}

export const nameHedge = ({ side, amount, coin, venue }: Hedge) =>
  `${inWords(side)} ${showSum(amount, coin)} at ${venue}`;

/** A time that has passed, to a second or a minute. */
export function showSeconds(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${showAmount(String(Math.floor(seconds / 60)))} min`;
}

function listFaults({ venue, state, balances }: Venue): readonly Matter[] {
  const differing = balances.filter(({ differs }) => differs).map(({ asset }) => asset);
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
  ];
}

function listMoves(venue: Venue, steps?: VenueSteps): readonly Matter[] {
  return venue.toMove.map((move) => ({
    what: `Move ${showSum(move.amount, move.asset)} from ${move.from} to ${move.to}`,
    why:
      move.to === 'custody'
        ? `Custody has less ${move.asset} than is owed.`
        : `The venue has too little ${move.asset} for its next hedge.`,
    step: steps?.record(move, venue),
  }));
}

/** So long after `sendBy` only the dealer ends a hedge. */
const DEALERS_OWN_MS = 5 * 60_000;

/** Whether the dealer does not end a hedge, so that a person has to, by the clock of the exchange. */
function isStuck({ ts, sendBy, openSeconds }: Hedge): boolean {
  return openSeconds !== null && openSeconds * 1_000 >= Date.parse(sendBy) - Date.parse(ts) + DEALERS_OWN_MS;
}

function listStuck({ openHedges }: Venue, steps?: VenueSteps): readonly Matter[] {
  return openHedges.filter(isStuck).map((hedge) => ({
    what: `No answer about a hedge: ${nameHedge(hedge)}`,
    why: `Open for ${showSeconds(hedge.openSeconds ?? 0)}. Enter what the venue did.`,
    step: steps?.end(hedge),
  }));
}

function listExcess(all: Venues): readonly Matter[] {
  const excess = findExcess(all);
  if (excess === undefined) return [];
  return [
    {
      what: `${showSigned(excess)} USDT over the limit at venues`,
      why: 'Nothing more may be moved there.',
      step: <a href="/desk/settings?show=risk">See the limit</a>,
    },
  ];
}

function listUnchecked({ venue, state, balances, openHedges }: Venue): readonly Matter[] {
  const needs = openHedges.length > 0 || balances.some(({ shouldHold }) => shouldHold !== '0');
  if (state !== 'unknown' || !needs) return [];
  return [
    {
      what: `What venue ${venue} holds is not checked`,
      why: 'Checks begin once a coin is hedged there.',
      step: <a href="/desk/settings">Hedge a coin there</a>,
    },
  ];
}
