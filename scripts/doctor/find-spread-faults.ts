import { z } from 'zod';
import { Config, MIN_SPREAD_BPS } from '../../src/config.ts';
import { CoinTerms } from '../../src/db/coin-terms.ts';
import { findThinSpreads } from '../../src/dealing/judge-spread.ts';
import { boundsFrom } from '../../src/orders/terms.ts';

/** The statement whose answer `findSpreadFaults` judges. */
export const TERMS_QUERY = 'SELECT spread_bps AS spreadBps, coin_terms AS coinTerms FROM settings';

/** Its row, or the settings as the operator reads them. */
const Terms = z.object({
  spreadBps: z.number().nullable(),
  coinTerms: z.union([z.string().transform((text): unknown => JSON.parse(text)), z.looseObject({})]).pipe(CoinTerms),
});

const { ENVIRONMENT, SPREAD_BPS, ORDER_MIN_USDT, ORDER_MAX_USDT, ORDER_BOUNDS } = Config.shape;

const Trading = z.object({ ENVIRONMENT, SPREAD_BPS, ORDER_MIN_USDT, ORDER_MAX_USDT, ORDER_BOUNDS });

/**
 * Finds the coins whose spread is below what their hedges cost, by the variables and the settings of an exchange of so many
 * ledgers. Nothing where the variables are wrong, which is said elsewhere. Throws when the settings are none.
 */
export function findSpreadFaults(
  variables: Readonly<Record<string, unknown>>,
  settings: unknown,
  ledgers: number,
): string[] {
  const { data } = Trading.safeParse(variables);
  if (!data) return [];
  const trading = {
    spread_bps: data.SPREAD_BPS,
    minSpread_bps: MIN_SPREAD_BPS[data.ENVIRONMENT],
    boundsOf: boundsFrom({ min: data.ORDER_MIN_USDT, max: data.ORDER_MAX_USDT }, data.ORDER_BOUNDS),
  };
  return findThinSpreads(Terms.parse(settings), trading, ledgers);
}
