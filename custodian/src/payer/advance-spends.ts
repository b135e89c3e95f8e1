import { type Log, describeError } from '../log.ts';
import { type AgreementTools, isAgreed } from '../nodes/agreement.ts';
import type { AskSigner } from '../signer/connect.ts';
import type { Signed } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import {
  type Spend,
  findSpend,
  findSpent,
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

/** What is needed to refuse a payout. */
export interface RefusalTools {
  readonly database: Database;
  readonly askSigner: AskSigner;
  readonly log: Log;
  /** Called when a payout has ended. */
  readonly onSettled: () => void;
}

/** What is needed to make the payments of one network. */
export interface SpendTools extends RefusalTools, AgreementTools {
  readonly payer: Payer;
}

/**
 * Takes every open spend of a network through all steps that are possible now. The order of the steps prevents a second
 * payment: the fence is stored before anything is signed with it, and each signed version is stored before it is sent.
 * After a crash between two steps, a step is repeated without a second effect. Run one call at a time for a network.
 */
export async function advanceSpends(tools: SpendTools, height: number): Promise<void> {
  for (const { id } of listOpenSpends(tools.database, tools.chain.network)) {
    try {
      await advanceSpend(tools, id, height);
    } catch (error) {
      // Other spends go on. The next round continues this one from what is stored.
      tools.log('spend_failed', { id, network: tools.chain.network, error: describeError(error) });
    }
  }
}

/** Refuses the payouts on networks that are not served, which no loop of a network would find. */
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
      return burn(tools, spend);
    case 'FINAL_REVERTED':
      return refuseReverted(tools, spend);
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
 * Has a version signed, and stores it. If the signer refuses the first version, its fence is released. It is kept if
 * the signer has signed with it before, which happens when the answer was lost and the policy has become stricter. Then
 * no other spend may get the fence, and the signer is asked again until a person relaxes the policy.
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
    storeVersion(database, spend, answer, plan, payer.feeOf(plan), height);
    payer.noteStored(spend, plan, answer);
  });
  log('version_stored', { id: spend.id, network: spend.network, txHash: answer.txHash });
  return answer;
}

async function sendAgain(tools: SpendTools, spend: Spend, height: number): Promise<void> {
  const versions = listVersions(tools.database, spend.id);
  const plan = await tools.payer.bump(spend, versions, height);
  const bumped = plan === undefined ? undefined : await signVersion(tools, spend, plan, height);
  // A node may refuse the newest, for example when its higher fee is no longer there. An older one is as good.
  for (const version of [...(bumped ? [bumped] : []), ...versions.toReversed()]) {
    if (await broadcast(tools, spend, version)) return;
  }
}

/** Sends a version. Returns whether the node has it. */
async function broadcast(
  { chain, log }: SpendTools,
  spend: Spend,
  version: { raw: string; txHash: string },
): Promise<boolean> {
  const outcome = await chain.broadcast(version.raw);
  const { id, network } = spend;
  if (outcome.kind === 'known') log('version_broadcast', { id, network, txHash: version.txHash });
  else log('version_rejected', { id, network, txHash: version.txHash, message: outcome.message });
  return outcome.kind === 'known';
}

/**
 * Refuses a payment that was reverted. If the node lied about that, the customer would have his money and the payment
 * as well. So a second node must agree, as it must for a deposit of this amount.
 */
async function refuseReverted(tools: SpendTools, spend: Spend): Promise<void> {
  const { database, log } = tools;
  const spent = findSpent(database, spend);
  if (!spent) throw new Error('a reverted payment is in a block');
  if (await isAgreed(tools, { ...spend, ...spent }, ({ isReverted }) => isReverted)) return burn(tools, spend);
  log('refusal_doubted', { id: spend.id, network: spend.network, txHash: spent.txHash });
}

/**
 * Has the signer burn the id of a payout, and only then marks it as refused. If the signer has signed for a payout that
 * this database says was never signed, the database is older than the signer's log: the payout is left to a person.
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
