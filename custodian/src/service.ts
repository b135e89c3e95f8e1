import type { AddressInfo } from 'node:net';
import { type Branch, type BranchParts, openBranches } from './branches.ts';
import { type BureauTokens, connectBureau } from './contract/bureau.ts';
import { serveContract } from './contract/serve-contract.ts';
import { reportDeposits } from './contract/report-deposits.ts';
import { tellBureau } from './contract/tell-bureau.ts';
import { type Log, describeError } from './log.ts';
import { Loop } from './loop.ts';
import { EventCounts, serveMetrics, writeMetrics } from './metrics.ts';
import { type ServedNetwork, maxTipAge_ms } from './networks.ts';
import { lookOnce } from './nodes/agreement.ts';
import { type ChainProgress, follow } from './nodes/follow.ts';
import { advanceSpends, refuseUnserved } from './payer/advance-spends.ts';
import { AgreedPayouts, agreeOnPayouts } from './payer/agree-payouts.ts';
import { halt, isAdopted } from './store/chain-state.ts';
import { AddressPool } from './solana/fill-pool.ts';
import { Database } from './store/database.ts';
import { noteAdopted, noteRestored } from './store/restored.ts';
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
  readonly bureauTokens: BureauTokens;
  /** The time of a restoring of both databases from a backup, in ms; absent when there was none since the last start. */
  readonly restoredAt_ms?: number | undefined;
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
  if (given.restoredAt_ms !== undefined) noteRestored(database, given.restoredAt_ms);
  const branches = await openBranches(parts, database);
  const served = new Set<string>(branches.map(({ chain }) => chain.network));
  const loops = startLoops(parts, database, branches, served);
  const server = await serveContract({
    database,
    served,
    log,
    now,
    port: config.port,
    host: config.host,
    // A watcher takes orders from nobody.
    secrets: config.watchOnly ? new Map() : parts.secrets,
    bureauKeys: config.bureauKeys,
    readHoldings: () => readHoldings(parts, branches),
    onOrder: () => loops.forEach((loop) => loop.wake()),
  });
  const metrics =
    config.metricsPort === null
      ? undefined
      : await serveMetrics(() => writeMetrics({ database, branches, counts, now }), config.metricsPort);
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
 * Starts the loops of each network, one that watches new addresses, and one that tells Bureau which payouts have ended, or
 * are held. Payments wait for nothing but the chain's first node and the signer: reports to Bureau, questions to the
 * second node and the house's own payments have loops of their own.
 */
function startLoops(
  parts: ServiceParts,
  database: Database,
  branches: readonly Branch[],
  served: ReadonlySet<string>,
): Loop[] {
  const { config, askSigner, log } = parts;
  const bureau = connectBureau(config.bureauUrl, parts.bureauTokens);
  // A block that is read before an address is watched is not read again, and a deposit in it would be missed. So no
  // block is read before Bureau has said which addresses it has assigned while this process did not run.
  let isWatching = false;
  const pools = branches
    .filter(({ chain }) => chain.network === 'SOL')
    .map(({ watched }) => new AddressPool({ bureau, askSigner, watched, ahead: config.solana.SOL?.pooledAhead ?? 0 }));
  const watching = new Loop(
    async () => {
      const assigned = await bureau.countAddresses();
      for (const { watched } of branches) await watched.watchUpTo(assigned + config.watchedAhead);
      if (!isWatching) {
        isWatching = true;
        for (const loop of looking) loop.wake();
      }
      for (const pool of pools) await keepPool(pool, assigned, database, log);
    },
    WATCH_INTERVAL_MS,
    (error) => log('watch_failed', { error: describeError(error) }),
  );
  const refusal = { database, askSigner, log, onSettled: () => undefined };
  const telling = new Loop(
    async () => {
      if (config.watchOnly) return;
      await refuseUnserved(refusal, served);
      await tellBureau(database, bureau, log);
    },
    TELL_INTERVAL_MS,
    (error) => log('tell_failed', { error: describeError(error) }),
  );
  const looking: Loop[] = [];
  const beside: Loop[] = [];
  for (const branch of branches) {
    const { network } = branch.chain;
    const loopFor = (failed: string, task: () => Promise<void>) =>
      new Loop(task, branch.interval_ms, (error) => log(failed, { network, error: describeError(error) }));
    const agreed = new AgreedPayouts();
    const agreement = {
      database,
      chain: branch.chain,
      ownerOf: branch.watched.ownerOf,
      agreeFrom: branch.following.agreeFrom,
    };
    let followed: ChainProgress | undefined;
    const look = loopFor('look_failed', async () => {
      if (!isWatching) return;
      followed = await lookAt(parts, database, branch, agreed, () => telling.wake());
    });
    looking.push(look);
    beside.push(
      loopFor('agreement_failed', async () => {
        if (!followed) return;
        const tools = { ...agreement, ...lookOnce(branch.chain), log };
        if (await agreeOnPayouts(tools, followed.finalHeight, agreed)) look.wake();
      }),
      loopFor('reports_failed', async () => {
        if (followed) await reportDeposits({ ...agreement, bureau, log }, followed);
      }),
      // The house's own payments can wait. Payouts to customers must not fail with them.
      loopFor('own_payments_failed', async () => {
        if (followed?.isCurrent && !config.watchOnly) await branch.orderOwnPayments();
      }),
    );
  }
  return [...looking, watching, telling, ...beside];
}

/** Compares Bureau's pool of addresses once, and adds to it. What fails is logged and tried again; nothing waits for it. */
async function keepPool(pool: AddressPool, assigned: number, database: Database, log: Log): Promise<void> {
  try {
    const different = await pool.findDifference();
    if (different !== undefined) {
      const reason = `address_pool_differs: index ${different}`;
      halt(database, 'SOL', reason);
      log('chain_halted', { network: 'SOL', reason });
    }
    await pool.fill(assigned);
  } catch (error) {
    log('pool_failed', { error: describeError(error) });
  }
}

/**
 * One look at a network: reads new blocks, updates payments and deposits, and makes payments. Returns what it saw;
 * `undefined` when the network is halted. Rejects when the node fails; the next look continues.
 */
async function lookAt(
  parts: ServiceParts,
  database: Database,
  branch: Branch,
  agreed: AgreedPayouts,
  onSettled: () => void,
): Promise<ChainProgress | undefined> {
  const { chain, payer, watched } = branch;
  const { log, askSigner, now } = parts;
  const followed = await follow(database, chain, watched.ownerOf, branch.following, log);
  if (!followed) return undefined;
  branch.holdings.noteFollowed(followed);
  const { network } = chain;
  branch.seen = followed;
  noteIfBehind(network, followed, now(), log);
  for (const spend of updateSpends(database, network, followed.finalHeight, (one) => agreed.has({ database }, one))) {
    log('spend_moved', { id: spend.id, network, state: spend.state, purpose: spend.purpose });
    if (spend.state === 'QUEUED') log('version_given_up', { id: spend.id, network, fence: spend.fence });
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
  // Not yet at the newest block: payments would be decided by an old state of the chain.
  if (!followed.isCurrent || parts.config.watchOnly) return followed;
  if (!branch.isExamined) {
    // The first question about nonces also notes what is known.
    const older = await payer.findOlder();
    if (older !== undefined && isAdopted(database, network)) {
      halt(database, network, older);
      log('chain_halted', { network, reason: older });
      return undefined;
    }
    noteAdopted(database, network);
    branch.isExamined = true;
  }
  await advanceSpends({ database, chain, payer, askSigner, log, onSettled }, followed.height);
  return followed;
}

/** Nothing is paid while the newest block has not been read, or the node itself is behind. */
function noteIfBehind(network: ServedNetwork, followed: ChainProgress, now_ms: number, log: Log): void {
  const { height, tipHeight, tipMined_ms, isCurrent } = followed;
  const age_s = Math.round((now_ms - tipMined_ms) / 1000);
  if (isCurrent && age_s * 1000 <= maxTipAge_ms(network)) return;
  log('behind', { network, height, blocks: tipHeight - height, tipAge_s: age_s });
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
