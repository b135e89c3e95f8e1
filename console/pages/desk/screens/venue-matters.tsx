import type { ComponentChildren } from 'preact';
import { isGreater, subtract } from '../../exact.ts';
import { inWords, showAmount, showSum } from '../../format.ts';
import type { Matter } from '../parts/matters.tsx';
import type { Hedge, Venue, Venues } from '../schema.d.ts';

export type Move = Venue['toMove'][number];

/** The faults of venues, and what is to be moved between them and custody, with the step that records a move. */
export function listVenueMatters(
  { venues }: Venues,
  record?: (move: Move, venue: Venue) => ComponentChildren,
): readonly Matter[] {
  return [...venues.flatMap(listFaults), ...venues.flatMap((venue) => listMoves(venue, record))];
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

/** The same in a sentence, of what has lasted for minutes. */
const showMinutes = (seconds: number) => `${showAmount(String(Math.floor(seconds / 60)))} minutes`;

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

function listMoves(venue: Venue, record?: (move: Move, venue: Venue) => ComponentChildren): readonly Matter[] {
  return venue.toMove.map((move) => ({
    what: `Move ${showSum(move.amount, move.asset)} from ${move.from} to ${move.to}`,
    why:
      move.to === 'custody'
        ? `Custody has less ${move.asset} than is owed.`
        : `The venue has too little ${move.asset} for its next hedge.`,
    step: record?.(move, venue),
  }));
}

/** So long after `sendBy` only the dealer ends a hedge. */
const DEALERS_OWN_MS = 5 * 60_000;

/** Whether the dealer does not end a hedge, so that a person has to, by the clock of the exchange. */
export function isStuck({ ts, sendBy, openSeconds }: Hedge): boolean {
  return openSeconds !== null && openSeconds * 1_000 >= Date.parse(sendBy) - Date.parse(ts) + DEALERS_OWN_MS;
}

/** The hedges that need a person. */
export const listStuck = ({ venues }: Venues, end?: (hedge: Hedge) => ComponentChildren): readonly Matter[] =>
  venues
    .flatMap(({ openHedges }) => openHedges)
    .filter(isStuck)
    .map((hedge) => ({
      id: hedge.id,
      what: `${nameHedge(hedge)} has had no answer for ${showMinutes(hedge.openSeconds ?? 0)}`,
      isBad: true,
      step: end?.(hedge),
    }));
