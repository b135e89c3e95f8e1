import { z } from 'zod';
import { house } from '../../src/db/transfers.ts';
import { assetSymbols } from '../../src/money/assets.ts';
import { openMigrated } from '../ledgers/open-migrated.ts';
import type { DeployFaults } from './find-deploy-faults.ts';

/** The statement whose answer `findCapFaults` judges. A floor has more digits than a number of JSON. */
export const FLOORS_QUERY =
  "SELECT account, asset, CAST(floor AS TEXT) AS floor FROM balances WHERE account IN ('house:custody', 'house:liquidity')";

const Floor = z.object({ account: z.string(), asset: z.string(), floor: z.string() });

type Floor = z.output<typeof Floor>;

/** The two limits of the house, by whose balance has them as its floor. */
const limits = [
  { account: house.custody, name: 'supply cap', advice: 'set the most that your custodian could hold' },
  { account: house.liquidity, name: 'exposure', advice: 'set the most that you can be short' },
] as const;

const settingsRoute = '`PATCH /operator/v1/settings`';

let defaults: readonly Floor[] | undefined;

/** The floors that the migrations set. Making all of them takes longer than the rest of the doctor's work. */
function readDefaults(): readonly Floor[] {
  if (defaults) return defaults;
  const database = openMigrated('migrations');
  const rows = database.prepare(FLOORS_QUERY).all();
  database.close();
  defaults = z.array(Floor).parse(rows);
  return defaults;
}

function floorOf(floors: readonly Floor[], account: string, asset: string): string | undefined {
  return floors.find((one) => one.account === account && one.asset === asset)?.floor;
}

/**
 * Finds which supply caps and exposures nobody has set since the migrations did, by the rows of `FLOORS_QUERY`. Throws when
 * they are none.
 */
export function findCapFaults(rows: readonly unknown[]): DeployFaults {
  const results = z.array(Floor).parse(rows);
  const unset = readDefaults();
  const missing = assetSymbols.filter((asset) => limits.some(({ account }) => !floorOf(results, account, asset)));
  const untouched = limits.map(({ account, name, advice }) => {
    const assets = assetSymbols.filter((asset) => floorOf(results, account, asset) === floorOf(unset, account, asset));
    return { assets, text: `the ${name} of ${assets.join(', ')} was never touched: ${advice} (${settingsRoute})` };
  });
  return {
    errors: missing.length > 0 ? [`the database has no balance of ${missing.join(', ')}: apply the migrations`] : [],
    warnings: untouched.filter(({ assets }) => assets.length > 0).map(({ text }) => text),
  };
}
