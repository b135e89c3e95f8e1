import type { api } from '../../ask.ts';
import { add, subtract } from '../../exact.ts';
import { showSum } from '../../format.ts';
import type { Matter } from '../parts/matters.tsx';
import { showShare } from '../parts/percent.ts';
import type { ExchangeSettings, House } from '../schema.d.ts';
import { listToggles } from './toggles.ts';

type Status = Awaited<ReturnType<typeof api.getStatus>>;

/** So many things that are off are named; more of them are counted. */
const MOST_NAMED = 3;

/** More than any asset has. */
const DIGITS = 18;

/** Whether custody alone covers less than is owed. */
export function isUncovered({ coveredByCustody }: House['assets'][number]): boolean {
  return coveredByCustody !== null && Number(coveredByCustody) < 1;
}

/** The assets of which custody alone covers less than is owed, the worst first. */
export function listShortfalls(house: House): readonly Matter[] {
  return house.assets
    .filter(isUncovered)
    .toSorted((one, other) => Number(one.coveredByCustody) - Number(other.coveredByCustody))
    .map(({ asset, owedToClients, inFlight, custodyShouldHold, coveredByCustody, coveredWithVenues }) => {
      const missing = subtract(add([owedToClients, inFlight], DIGITS), custodyShouldHold);
      const isCovered = Number(coveredWithVenues) >= 1;
      return {
        what: `${asset} in custody is ${showShare(coveredByCustody ?? '0')} of what is owed: ${showSum(missing, asset)} less`,
        why: `With what is at venues it is ${showShare(coveredWithVenues ?? '0')}.`,
        isBad: !isCovered,
        ...(isCovered && { step: <a href="/desk/liquidity">Bring it back</a> }),
      };
    });
}

/** What of the exchange is off, halted, late or not covered now. */
export function listExchangeMatters(settings: ExchangeSettings, status: Status, house: House): readonly Matter[] {
  const off = listToggles(settings).filter(({ isOn }) => !isOn);
  const switches = <a href="/desk/switches">Switches</a>;
  return [
    ...(settings.tradingHalted ? [{ what: 'Trading is halted', isBad: true, step: switches }] : []),
    ...(settings.withdrawalsHalted ? [{ what: 'Withdrawals are halted', isBad: true, step: switches }] : []),
    ...(settings.hedgingHalted
      ? [
          {
            what: 'Hedging is halted: positions are not covered',
            isBad: true,
            step: <a href="/desk/liquidity">Liquidity</a>,
          },
        ]
      : []),
    ...(status.prices === 'OK'
      ? []
      : [{ what: 'Some coins have no price', why: 'Orders of them are refused.', isBad: true }]),
    ...(off.length === 0
      ? []
      : [
          {
            what:
              off.length > MOST_NAMED
                ? `${off.length} coins and networks are off`
                : off.map(({ told }) => told).join('; '),
            isBad: true,
            step: switches,
          },
        ]),
    ...listShortfalls(house),
  ];
}
