import type { AddressInfo } from 'node:net';
import { type Branch, type BranchParts, openBranches } from './branches.ts';
import { type Bureau, connectBureau } from './contract/bureau.ts';
import { serveContract } from './contract/serve-contract.ts';
import { reportDeposits } from './contract/report-deposits.ts';
import { tellBureau } from './contract/tell-bureau.ts';
import { describeError } from './log.ts';
import { Loop } from './loop.ts';
import { EventCounts, serveMetrics } from './metrics.ts';
import { follow } from './nodes/follow.ts';
import { advanceSpends, refuseUnserved } from './payer/advance-spends.ts';
import { listDoubted } from './payer/doubt-payouts.ts';
import { Database } from './store/database.ts';
import { noteSwept, updateDeposits } from './store/deposits.ts';
import { type Spend, listVersions, updateSpends } from './store/spends.ts';

/**
 * How often Bureau is asked how many accounts have addresses. Until then the addresses of `watchedAhead` cover new
 * ones.
 */
const WATCH_INTERVAL_MS = 30_000;

/** How long to wait before Bureau is asked again to look up the payouts that have ended. */
const TELL_INTERVAL_MS = 5_000;

/** The configuration of a service, and what it works with. */
export interface ServiceParts extends BranchParts {
  readonly secrets: ReadonlyMap<string, string>;
  readonly depositToken: string;
}

/** A custodian that runs. */
export interface Service {
  readonly port: number;
  /** The port of the metrics; `undefined` when they are not served. */
  readonly metricsPort: number | undefined;
  /** Stops the service after its running work is finished. */
  stop(): Promise<void>;
}

/**
 * Serves the contract and starts a loop for each network. Rejects when the signer does not answer or lacks a network.
 */
export async function startService(given: ServiceParts): Promise<Service> {
  const { config, now } = given;
  const counts = new EventCounts();
  const log = counts.wrap(given.log);
  const parts = { ...given, log };
  const database = new Database(config.database);
  const branches = await openBranches(parts, database);
  const served = new Set<string>(branches.map(({ chain }) => chain.network));
  const loops = startLoops(parts, database, branches, served);
  const server = await serveContract(
    {
      database,
      served,
      log,
      now,
      secrets: parts.secrets,
      bureauKeys: config.bureauKeys,
      readHoldings: () => readHoldings(parts, branches),
      onOrder: () => loops.forEach((loop) => loop.wake()),
    },
    config.port,
    config.host,
  );
  const networks = branches.map(({ chain }) => chain.network);
  const metrics =
    config.metricsPort === null
      ? undefined
      : await serveMetrics({ database, networks, counts, now }, config.metricsPort);
  const { port } = server.address() as AddressInfo;
  log('custodian_started', { port, networks: [...served].join(',') });
  return {
    port,
    metricsPort: (metrics?.address() as AddressInfo | undefined)?.port,
    stop: async () => {
      server.close();
      metrics?.close();
      metrics?.closeAllConnections();
      server.closeAllConnections();
      await Promise.all(loops.map((loop) => loop.stop()));
      database.close();
    },
  };
}

/**
 * Starts a loop for each network, one that watches new addresses, and one that tells Bureau which payouts have ended, or
 * are held.
 */
function startLoops(
  parts: ServiceParts,
  database: Database,
  branches: readonly Branch[],
  served: ReadonlySet<string>,
): Loop[] {
  const { config, askSigner, log } = parts;
  const bureau = connectBureau(config.bureauUrl, parts.depositToken);
  // A block that is read before an address is watched is not read again, and a deposit in it would be missed. So no
  // block is read before Bureau has said which addresses it has assigned while this process did not run.
  let isWatching = false;
  const watching = new Loop(
    async () => {
      const count = (await bureau.countAddresses()) + config.watchedAhead;
      for (const { watched } of branches) watched.watchUpTo(count);
      if (isWatching) return;
      isWatching = true;
      for (const loop of looking) loop.wake();
    },
    WATCH_INTERVAL_MS,
    (error) => log('watch_failed', { error: describeError(error) }),
  );
  const refusal = { database, askSigner, log, onSettled: () => undefined };
  const telling = new Loop(
    async () => {
      await refuseUnserved(refusal, served);
      await tellBureau(database, bureau, log);
    },
    TELL_INTERVAL_MS,
    (error) => log('tell_failed', { error: describeError(error) }),
  );
  const looking = branches.map(
    (branch) =>
      new Loop(
        async () => {
          if (isWatching) await look(parts, database, branch, bureau, () => telling.wake());
        },
        branch.interval_ms,
        (error) => log('look_failed', { network: branch.chain.network, error: describeError(error) }),
      ),
  );
  return [watching, telling, ...looking];
}

/**
 * One look at a network: reads new blocks, updates payments and deposits, reports deposits and makes payments. Rejects
 * when the node fails; the next look continues.
 */
async function look(
  parts: ServiceParts,
  database: Database,
  branch: Branch,
  bureau: Bureau,
  onSettled: () => void,
): Promise<void> {
  const { chain, payer, watched } = branch;
  const { log, askSigner } = parts;
  const followed = await follow(database, chain, watched.ownerOf, branch.following, log);
  if (!followed) return;
  branch.holdings.noteFollowed(followed);
  const { network } = chain;
  const agreement = { database, chain, ownerOf: watched.ownerOf, agreeFrom: branch.following.agreeFrom };
  const doubted = await listDoubted({ ...agreement, log }, followed.finalHeight);
  for (const spend of updateSpends(database, network, followed.finalHeight, doubted)) {
    log('spend_moved', { id: spend.id, network, state: spend.state, purpose: spend.purpose });
    noteIfSwept(database, spend);
    if (spend.purpose === 'payout' && spend.state === 'FINAL_PAID') onSettled();
  }
  for (const deposit of updateDeposits(database, network, followed.finalHeight)) {
    const { txHash, outputIndex, state, isInner } = deposit;
    log('deposit_moved', { network, txHash, outputIndex, state, isInner });
    // Bureau has credited it by its own number of confirmations and keeps the credit. Only a person can decide.
    if (deposit.settled === 'COMPLETED' && deposit.height === null) {
      log('credited_deposit_gone', { network, txHash, outputIndex, asset: deposit.asset, state });
    }
  }
  await reportDeposits({ ...agreement, bureau, log }, followed);
  // Not yet at the newest block: payments would be decided by an old state of the chain.
  if (!followed.isCurrent) return;
  try {
    await branch.orderOwnPayments();
  } catch (error) {
    // The house's own payments can wait. Payouts to customers must not fail with them.
    log('own_payments_failed', { network, error: describeError(error) });
  }
  await advanceSpends({ ...agreement, payer, askSigner, log, onSettled }, followed.height);
}

function noteIfSwept(database: Database, { id, network, purpose, state, sourceIndex, asset }: Spend): void {
  if (purpose !== 'sweep' || state !== 'FINAL_PAID' || sourceIndex === null) return;
  noteSwept(database, network, sourceIndex, asset, listVersions(database, id)[0]?.madeAtHeight ?? 0);
}

/** The answer to `GET /v1/holdings`. Where nothing is held by the operator's word, nothing is reported at any time. */
async function readHoldings({ config, now }: ServiceParts, branches: readonly Branch[]) {
  const at = new Date(now()).toISOString();
  const nothing = { at, height: null, blockHash: null, halted: null, assets: [] };
  const followed = await Promise.all(branches.map(({ holdings }) => holdings.read()));
  return { networks: [...followed, ...config.nothingHeldOn.map((network) => ({ network, ...nothing }))] };
}
