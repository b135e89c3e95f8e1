import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order in which projects begin. Files that wait for servers and processes come first, beside each other; the many
 * short files come last, so that no core is idle at the end.
 */
const projects = [
  'node',
  'six-venues',
  'custody',
  'access',
  'manual',
  'venues',
  'three-ledgers',
  'site',
  'custodian',
  'pure',
  'sandbox',
];

/** The files that take longest, longest first. The others follow by their size. */
export const longest: readonly string[] = [
  'test/clients/bureau-client.node.test.ts',
  'test/sandbox/operator-routes.node.test.ts',
  'test/markets/shared-hub.node.test.ts',
  'test/clients/guides.node.test.ts',
  'test/fuzz/fuzz.node.test.ts',
  'test/kills/kills.node.test.ts',
  'test/clients/ccxt-bureau.node.test.ts',
  'test/attacks/prices.node.test.ts',
  'test/markets/faults.six-venues.test.ts',
  'test/wallet/withdrawals/custodian.custody.test.ts',
  'test/markets/price-hub.venues.test.ts',
  'test/ledger/reconciliation-records.test.ts',
  'test/ledger/reconciliation-balances.test.ts',
  'test/api/security.test.ts',
  'test/ledger/reconciliation-slices.test.ts',
  'test/simulation/simulation.test.ts',
  'test/wallet/statement.test.ts',
  'test/ledger/forbidden-writes.test.ts',
  'test/operator/reads.test.ts',
  'test/performance/cost-model.test.ts',
  'test/wallet/withdrawals/races.test.ts',
  'test/operator/dust.test.ts',
  'test/wallet/withdrawals/codes.test.ts',
  'test/api/hot-paths.test.ts',
  'test/operator/deposits.test.ts',
  'test/trade/settlements/settle-trade.test.ts',
  'test/operator/reconciliation.test.ts',
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
