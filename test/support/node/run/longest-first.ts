import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order in which the projects of a group begin (`vitest.config.ts` says which run together). Files that wait for the
 * clock come first, beside others; the many short files come last, so that no core is idle at the end.
 */
const projects = [
  'six-venues',
  'custody',
  'venues',
  'node',
  'access',
  'manual',
  'many-ledgers',
  'three-ledgers',
  'pure',
  'sandbox',
];

/**
 * The files that take longest, longest first. The others follow by their size. Of the files that start an exchange, two
 * wait for the clock most of their time: the second comes when the first is about to end, so that other files use both
 * cores meanwhile.
 */
export const longest: readonly string[] = [
  'test/sandbox/operator-routes.node.test.ts',
  'test/arbitrage/arbitrage.node.test.ts',
  'test/console/console.node.test.ts',
  'test/clients/ccxt-bureau.node.test.ts',
  'test/fuzz/fuzz.node.test.ts',
  'test/clients/bureau-client.node.test.ts',
  'test/attacks/prices.node.test.ts',
  'test/clients/guides.node.test.ts',
  'test/markets/shared-hub.node.test.ts',
  'test/console/opening.node.test.ts',
  'test/kills/kills.node.test.ts',
  'test/scripts/start-refusals.node.test.ts',
  'test/scripts/doctor.node.test.ts',
  'test/attacks/custody.node.test.ts',
  'test/attacks/production.node.test.ts',
  'test/markets/faults.six-venues.test.ts',
  'test/wallet/withdrawals/custodian.custody.test.ts',
  'test/markets/price-hub.venues.test.ts',
  'test/markets/candles/one-source.venues.test.ts',
  'test/lane/gates.three-ledgers.test.ts',
  'test/ledger/reconciliation-slices.test.ts',
  'test/ledger/reconciliation-records.test.ts',
  'test/api/security.test.ts',
  'test/performance/cost-model.test.ts',
  'test/performance/growth.test.ts',
  'test/ledger/forbidden-writes.test.ts',
  'test/wallet/withdrawals/idempotency.test.ts',
  'test/wallet/statement.test.ts',
  'test/simulation/simulation.test.ts',
  'test/ledger/reconciliation-balances.test.ts',
  'test/api/orders.test.ts',
  'test/api/hot-paths.test.ts',
  'test/wallet/withdrawals/races.test.ts',
  'test/wallet/withdrawals/rules.test.ts',
  'test/operator/settlements.test.ts',
  'test/wallet/withdrawals/halts.test.ts',
  'test/operator/reads.test.ts',
  'test/operator/dust.test.ts',
  'test/operator/solana-addresses.test.ts',
  'test/api/filters.test.ts',
  'test/wallet/withdrawals/codes.test.ts',
  'test/api/problem-examples.test.ts',
  'test/lane/ledger-gate.test.ts',
];

/** Runs long files first, so that all workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizes = new Map(files.map(({ moduleId }) => [moduleId, statSync(moduleId).size]));
    const sizeOf = ({ moduleId }: TestSpecification) => sizes.get(moduleId) ?? 0;
    return Promise.resolve(
      files.toSorted(
        (one, other) =>
          rankProject(one) - rankProject(other) || rankFile(one) - rankFile(other) || sizeOf(other) - sizeOf(one),
      ),
    );
  }
}

/** The files of a project stay together, because a runtime is kept only for a next file of its own project. */
function rankProject({ project }: TestSpecification): number {
  return projects.indexOf(project.name);
}

function rankFile({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank < 0 ? longest.length : rank;
}
