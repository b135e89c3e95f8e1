import type { ExchangeStatus } from '../../../../clients/bureau-client/src/operations.ts';
import { add, subtract } from '../../exact.ts';
import { showSum } from '../../format.ts';
import type { Matter } from '../parts/matters.tsx';
import { isLacking, showShare } from '../parts/percent.ts';
import type { ExchangeSettings, House, Venues } from '../schema.d.ts';
import { listToggles, nameToggle, toggleWhole } from './toggles.ts';
import { listStuck, listVenueMatters } from './venue-matters.tsx';

/** So many things that are off are named; more of them are counted. */
const MOST_NAMED = 3;

/** Whether custody alone covers less than is owed. */
export function isUncovered({ coveredByCustody }: House['assets'][number]): boolean {
  return coveredByCustody !== null && isLacking(coveredByCustody);
}

/** What custody alone lacks of what is owed. */
export const findMissing = ({ owedToClients, inFlight, custodyShouldHold }: House['assets'][number]) =>
  subtract(add([owedToClients, inFlight]), custodyShouldHold);

/** The assets of which custody alone covers less than is owed, the worst first. */
export function listShortfalls(house: House): readonly Matter[] {
  return house.assets
    .filter(isUncovered)
    .toSorted((one, other) => Number(one.coveredByCustody) - Number(other.coveredByCustody))
    .map((row) => {
      const { asset, coveredByCustody, coveredWithVenues } = row;
      const isCovered = Number(coveredWithVenues) >= 1;
      return {
        what: `Custody holds ${showSum(findMissing(row), asset)} less than is owed`,
        why: `It covers ${showShare(coveredByCustody ?? '0')}${
          isCovered ? ', and venues hold the rest' : `, with venues ${showShare(coveredWithVenues ?? '0')}`
        }.`,
        isBad: !isCovered,
        ...(isCovered && { step: <a href="/desk/liquidity">Move {asset} to custody</a> }),
      };
    });
}

/**
 * Whether hedging is halted and what needs a person at the venues: one thing by its name, more of them in one line, since
 * the page of liquidity has each. What custody lacks is a line of its own.
 */
function sumUpVenues(all: Venues): readonly Matter[] {
  const venues = all.venues.map((venue) => ({ ...venue, toMove: venue.toMove.filter(({ to }) => to !== 'custody') }));
  const matters = [...listVenueMatters({ ...all, venues }), ...listStuck(all)];
  const step = <a href="/desk/liquidity">See Liquidity</a>;
  const halted = all.hedgingHalted ? [{ what: 'Hedging is halted: positions are not covered', isBad: true, step }] : [];
  if (matters.length < 2) return [...halted, ...matters.map((matter) => ({ ...matter, step }))];
  const what = `${all.hedgingHalted ? 'Hedging is halted, and ' : ''}${matters.length} things at the venues need a person`;
  const why = `${matters.map((matter) => matter.what).join('. ')}.`;
  return [{ what, why, isBad: all.hedgingHalted || matters.some(({ isBad }) => isBad), step }];
}

/** What of the exchange is off, halted, late or not covered now. */
export function listExchangeMatters(
  settings: ExchangeSettings,
  status: ExchangeStatus,
  house: House,
  venues: Venues,
): readonly Matter[] {
  const off = listToggles(settings).filter(({ isOn }) => !isOn);
  const halted = (['tradingHalted', 'withdrawalsHalted'] as const)
    .map((halt) => toggleWhole(settings, halt))
    .filter(({ isOn }) => !isOn);
  return [
    ...halted.map(({ told, label }) => ({ what: told, isBad: true, step: <a href="/desk/switches">{label}</a> })),
    ...sumUpVenues(venues),
    ...(status.prices === 'OK'
      ? []
      : [{ what: 'Some coins have no price', why: 'Orders of them are refused.', isBad: true }]),
    ...listShortfalls(house),
    ...(off.length === 0
      ? []
      : [
          {
            what:
              off.length > MOST_NAMED
                ? `${off.length} coins and networks are off`
                : off.map(({ told }) => told).join('; '),
            isBad: true,
            step: <a href="/desk/switches">{off.length === 1 && off[0] ? nameToggle(off[0]) : 'Switch them on'}</a>,
          },
        ]),
  ];
}
