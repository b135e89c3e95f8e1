import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that begin the first group, of which five run at once. The first two start an exchange and wait for the clock
 * most of their time. Beside them the projects with few files follow one another: at the beginning of the group each
 * would start as many runtimes as there are workers, and a start costs more than most of these files do.
 */
export const beginning: readonly string[] = [
  'test/sandbox/operator-routes.node.test.ts',
  'test/attacks/prices.node.test.ts',
  'test/withdrawals/custodian.test.ts',
  'test/withdrawals/silence.test.ts',
  'test/markets/price-hub.test.ts',
  'test/custody/watch-custody.test.ts',
  'test/api/addresses-from-pool.test.ts',
  'test/api/market-routes-at-venues.test.ts',
  'test/markets/degraded.test.ts',
  'test/markets/hub-reset.test.ts',
  'test/api/orders-at-venues.test.ts',
  'test/withdrawals/prices.test.ts',
  'test/markets/faults.test.ts',
  'test/markets/candles/candle-hub.test.ts',
  'test/operator/custody-routes.test.ts',
  'test/custody/http.test.ts',
  'test/markets/sources/venues.test.ts',
];

/** The order of the projects of a group (`vitest.config.ts` says which run together), from the first file that has no rank. */
const projects = ['outside-by-hand', 'outside', 'node', 'many-ledgers', 'three-ledgers', 'pure', 'sandbox'];

/** The other files that take longest, longest first. Those after them follow by their size. */
export const longest: readonly string[] = [
  'test/console/console.node.test.ts',
  'test/arbitrage/arbitrage.node.test.ts',
  'test/fuzz/fuzz.node.test.ts',
  'test/markets/shared-hub.node.test.ts',
  'test/console/opening.node.test.ts',
  'test/console/attacks.node.test.ts',
  'test/kills/kills.node.test.ts',
  'test/scripts/start-refusals.node.test.ts',
  'test/scripts/doctor.node.test.ts',
  'test/attacks/custody.node.test.ts',
  'test/attacks/production.node.test.ts',
  'test/lane/gates.test.ts',
  'test/reconciliation/slices.test.ts',
  'test/reconciliation/records.test.ts',
  'test/api/security.test.ts',
  'test/performance/cost-model.test.ts',
  'test/performance/growth.test.ts',
  'test/db/forbidden-writes.test.ts',
  'test/withdrawals/idempotency.test.ts',
  'test/activity/statement.test.ts',
  'test/simulation/simulation.test.ts',
  'test/reconciliation/balances.test.ts',
  'test/api/orders.test.ts',
  'test/api/hot-paths.test.ts',
  'test/withdrawals/races.test.ts',
  'test/withdrawals/rules.test.ts',
  'test/operator/settlements.test.ts',
  'test/withdrawals/halts.test.ts',
  'test/operator/reads.test.ts',
  'test/operator/dust.test.ts',
  'test/operator/solana-addresses.test.ts',
  'test/api/filters.test.ts',
  'test/withdrawals/codes.test.ts',
  'test/api/problem-examples.test.ts',
  'test/orders/gate.test.ts',
];

/** Runs long files first, so that all workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizes = new Map(files.map(({ moduleId }) => [moduleId, statSync(moduleId).size]));
    const sizeOf = ({ moduleId }: TestSpecification) => sizes.get(moduleId) ?? 0;
    return Promise.resolve(
      files.toSorted(
        (one, other) =>
          rank(beginning, one) - rank(beginning, other) ||
          rankProject(one) - rankProject(other) ||
          rank(longest, one) - rank(longest, other) ||
          sizeOf(other) - sizeOf(one),
      ),
    );
  }
}

/** The files of a project stay together, because a runtime is kept only for a next file of its own project. */
function rankProject({ project }: TestSpecification): number {
  return projects.indexOf(project.name);
}

function rank(list: readonly string[], { moduleId }: TestSpecification): number {
  const place = list.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place < 0 ? list.length : place;
}
