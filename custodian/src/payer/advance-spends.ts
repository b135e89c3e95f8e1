import { type Log, describeError } from '../log.ts';
import type { Chain } from '../nodes/chain.ts';
import type { AskSigner } from '../signer/connect.ts';
import type { Signed } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import {
  type Spend,
  findSpend,
  holdSpend,
  listOpenSpends,
  listRefusing,
  listVersions,
  refuseSpend,
  releaseFence,
  reserveFence,
  storeVersion,
} from '../store/spends.ts';
import type { Payer } from './payer.ts';

/** What a payout is refused with. */
export interface RefusalTools {
  readonly database: Database;
  readonly askSigner: AskSigner;
  readonly log: Log;
  /** Called when a payout has come to its end. */
  readonly onSettled: () => void;
}

/** What spends of one network are advanced with. */
export interface SpendTools extends RefusalTools {
  readonly chain: Chain;
  readonly payer: Payer;
}

/**
 * Brings every open spend of a network as far as it goes now. The order of effects is the whole of the safety: the fence
 * is durable before anything is signed under it, and each signed version is durable before it is sent. A crash between
 * any two steps repeats a step that has no second effect. Call it from one place at a time for one network.
 */
export async function advanceSpends(tools: SpendTools, height: number): Promise<void> {
  for (const { id } of listOpenSpends(tools.database, tools.chain.network)) {
    try {
      await advanceSpend(tools, id, height);
    } catch (error) {
      // One spend's fault, or a node's or the signer's: the next round tries again from what is durable.
      tools.log('spend_failed', { id, network: tools.chain.network, error: describeError(error) });
    }
  }
}

/** Refuses the payouts on networks that nobody serves: no look at any network would come upon them. */
export async function refuseUnserved(tools: RefusalTools, served: ReadonlySet<string>): Promise<void> {
  for (const spend of listRefusing(tools.database)) {
    if (served.has(spend.network)) continue;
    try {
      await burn(tools, spend);
    } catch (error) {
      tools.log('spend_failed', { id: spend.id, network: spend.network, error: describeError(error) });
    }
  }
}

async function advanceSpend(tools: SpendTools, id: string, height: number): Promise<void> {
  const spend = findSpend(tools.database, id);
  switch (spend?.state) {
    case 'QUEUED':
    case 'HELD':
      return startSpend(tools, spend, height);
    case 'SIGNED':
      return sendAgain(tools, spend, height);
    case 'REFUSING':
    case 'FINAL_REVERTED':
      return burn(tools, spend);
    case 'INCLUDED':
    case 'FINAL_PAID':
    case 'REFUSED':
    case 'DISPLACED':
    case undefined:
      return;
  }
}

async function startSpend(tools: SpendTools, queued: Spend, height: number): Promise<void> {
  const { database, payer, log } = tools;
  if (queued.fence === null) {
    const plan = await payer.plan(queued);
    if (plan.kind === 'hold') {
      holdSpend(database, queued.id, plan.reason);
      if (queued.reason !== plan.reason) log('spend_held', { id: queued.id, reason: plan.reason });
      return;
    }
    database.transact(() => {
      reserveFence(database, queued, plan.fence, plan.plan);
      payer.reserve(queued, plan.plan);
    });
    log('fence_reserved', { id: queued.id, network: queued.network, fence: plan.fence });
  }
  const spend = findSpend(database, queued.id);
  if (spend?.plan == null) throw new Error('a reserved fence has a plan');
  const signed = await signVersion(tools, spend, spend.plan, height);
  if (signed) await broadcast(tools, spend, signed);
}

/**
 * Signs a version and stores it. Where the signer refuses the first, its fence is free again, unless the signer says that
 * it has signed under it: its answer was lost, and its policy is narrower since. Then the spend keeps the fence, so that
 * no other gets it, and is asked for again until a person widens the policy.
 */
async function signVersion(
  { database, payer, askSigner, log }: SpendTools,
  spend: Spend,
  plan: string,
  height: number,
): Promise<Signed | undefined> {
  const answer = await askSigner(payer.request(spend, plan));
  if (answer.kind === 'refused') {
    const reason = `signer: ${answer.reason}`;
    log('signer_refused', { id: spend.id, network: spend.network, reason: answer.reason, signed: answer.signed });
    if (spend.state === 'SIGNED') return undefined;
    if (answer.signed) {
      holdSpend(database, spend.id, reason);
      return undefined;
    }
    database.transact(() => {
      payer.release(spend);
      releaseFence(database, spend, reason);
    });
    return undefined;
  }
  if (answer.kind !== 'signed') throw new Error(`the signer answered ${answer.kind}`);
  log('version_signed', { id: spend.id, txHash: answer.txHash });
  database.transact(() => {
    storeVersion(database, spend, answer, plan, height);
    payer.noteStored(spend, plan, answer);
  });
  log('version_stored', { id: spend.id, network: spend.network, txHash: answer.txHash });
  return answer;
}

async function sendAgain(tools: SpendTools, spend: Spend, height: number): Promise<void> {
  const versions = listVersions(tools.database, spend.id);
  const plan = await tools.payer.bump(spend, versions, height);
  const bumped = plan === undefined ? undefined : await signVersion(tools, spend, plan, height);
  const newest = bumped ?? versions.at(-1);
  if (newest) await broadcast(tools, spend, newest);
}

async function broadcast({ chain, log }: SpendTools, spend: Spend, version: { raw: string; txHash: string }) {
  const outcome = await chain.broadcast(version.raw);
  const { id, network } = spend;
  if (outcome.kind === 'known') log('version_broadcast', { id, network, txHash: version.txHash });
  else log('version_rejected', { id, network, txHash: version.txHash, message: outcome.message });
}

/**
 * Has the signer burn the id of a payout that is refused, and only then calls it refused. One that nothing was to have
 * been signed for, and was, is left as it is for a person: this database is older than the signer's log.
 */
async function burn({ database, askSigner, log, onSettled }: RefusalTools, spend: Spend): Promise<void> {
  if (spend.purpose === 'payout') {
    const answer = await askSigner({ kind: 'burn', withdrawalId: spend.id });
    if (answer.kind !== 'burnt') throw new Error(`the signer answered ${answer.kind}`);
    if (answer.signed && spend.state === 'REFUSING') {
      log('refusal_impossible', { id: spend.id });
      return;
    }
  }
  refuseSpend(database, spend.id, 'the network reverted the payment');
  log('spend_refused', { id: spend.id, purpose: spend.purpose });
  if (spend.purpose === 'payout') onSettled();
}
