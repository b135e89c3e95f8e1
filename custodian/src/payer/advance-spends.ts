import { type Log, describeError } from '../log.ts';
import type { Chain } from '../nodes/chain.ts';
import type { AskSigner } from '../signer/connect.ts';
import type { SignedTransaction, SignerAnswer } from '../signer/requests.ts';
import type { BurnProof } from '../states/spend.ts';
import { halt, readHalt } from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import {
  type Spend,
  findSpend,
  holdSpend,
  listOpenSpends,
  listRefusedToCancel,
  listRefusing,
  listEarlierVersions,
  listVersions,
  refuseByHand,
  refuseSpend,
  releaseFence,
  reserveFence,
  storeProof,
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
export interface SpendTools extends RefusalTools {
  readonly chain: Chain;
  readonly payer: Payer;
}

/**
 * Takes every open spend of a network through all steps that are possible now. The order of the steps prevents a second
 * payment: the fence is stored before anything is signed with it, and each signed version is stored before it is sent.
 * After a crash between two steps, a step is repeated without a second effect. Run one call at a time for a network.
 */
export async function advanceSpends(tools: SpendTools, height: number): Promise<void> {
  const { database, chain } = tools;
  for (const { id } of [...listOpenSpends(database, chain.network), ...listRefusedToCancel(database, chain.network)]) {
    if (readHalt(database, chain.network) !== null) return;
    try {
      await advanceSpend(tools, id, height);
    } catch (error) {
      // Other spends go on. The next round continues this one from what is stored.
      tools.log('spend_failed', { id, network: chain.network, error: describeError(error) });
    }
  }
}

/** Refuses the payouts on networks that are not served, which no loop of a network would find. */
export async function refuseUnserved(tools: RefusalTools, served: ReadonlySet<string>): Promise<void> {
  for (const spend of listRefusing(tools.database)) {
    if (served.has(spend.network)) continue;
    try {
      await refuse(tools, spend);
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
      return spend.cancelled === null ? startSpend(tools, spend, height) : cancelSpend(tools, spend, height);
    case 'SIGNED':
      return spend.cancelled === null ? sendAgain(tools, spend, height) : cancelSpend(tools, spend, height);
    case 'REFUSED':
      return cancelSpend(tools, spend, height);
    case 'REFUSING':
      return refuse(tools, spend);
    case 'FINAL_REVERTED':
      return refuse(tools, spend);
    case 'INCLUDED':
    case 'FINAL_PAID':
    case 'DISPLACED':
    case undefined:
      return;
  }
}

async function startSpend(tools: SpendTools, queued: Spend, height: number): Promise<void> {
  const { database, payer, log } = tools;
  if (queued.fence === null) {
    const isOpenSinceBackup = queued.isRestored && !queued.isAllowed;
    const plan = isOpenSinceBackup
      ? ({ kind: 'hold', reason: 'restored_from_backup' } as const)
      : await payer.plan(queued);
    if (plan.kind === 'older') {
      halt(database, queued.network, plan.reason);
      log('chain_halted', { network: queued.network, reason: plan.reason });
      return;
    }
    if (plan.kind === 'wait') return;
    if (plan.kind === 'hold') {
      holdSpend(database, queued.id, plan.reason);
      if (queued.reason !== plan.reason) log('spend_held', { id: queued.id, reason: plan.reason });
      return;
    }
    database.transact(() => {
      reserveFence(database, queued, plan.fence, plan.plan, plan.diesAt);
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
  tools: SpendTools,
  spend: Spend,
  plan: string,
  height: number,
): Promise<SignedTransaction | undefined> {
  const { database, payer, log } = tools;
  const answer = await askForSignature(tools, spend, plan);
  if (answer.kind === 'refused') {
    const reason = `signer: ${answer.reason}`;
    log('signer_refused', { id: spend.id, network: spend.network, reason: answer.reason, signed: answer.signed });
    if (spend.state !== 'QUEUED' && spend.state !== 'HELD') return undefined;
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

/**
 * Asks the signer to sign a version. If it fails, it is asked whether it ever signed with the fence. If it says no, that
 * counts as a refusal, so that a request that it cannot answer keeps no nonce. Rejects when it does not answer at all.
 */
async function askForSignature(
  { payer, askSigner, log }: SpendTools,
  spend: Spend,
  plan: string,
): Promise<SignerAnswer> {
  try {
    return await askSigner(payer.request(spend, plan));
  } catch (error) {
    const { id, network, fence } = spend;
    if (fence === null || spend.state === 'SIGNED') throw error;
    const used = await askSigner({ kind: 'fence', network, fence });
    if (used.kind !== 'fence' || used.signed) throw error;
    log('signer_failed', { id, network, error: describeError(error) });
    return { kind: 'refused', reason: 'cannot_be_signed', signed: false };
  }
}

/**
 * Uses up the fence of a payout by a payment of nothing, on a person's decision. The signer signs that only when it has
 * burnt the payout's id. An earlier version may still come first: then the payout is paid.
 */
async function cancelSpend(tools: SpendTools, spend: Spend, height: number): Promise<void> {
  const { database, payer } = tools;
  // The signer has refused to sign with the fence, so it was given back.
  if (spend.fence === null) return void refuseByHand(database, spend.id, spend.cancelled ?? '');
  if (!spend.proof) storeProof(database, spend.id, await burn(tools, spend.id));
  const versions = listVersions(database, spend.id);
  const cancelling = versions.filter(({ cancels }) => cancels);
  const plan =
    cancelling.length === 0 ? await payer.cancel(spend, versions) : await payer.bump(spend, versions, height);
  const signed = plan === undefined ? undefined : await signVersion(tools, spend, plan, height);
  for (const version of [...(signed ? [signed] : []), ...cancelling.toReversed()]) {
    if (await broadcast(tools, spend, version)) return;
  }
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
 * Has the signer burn the id of a payout, and only then marks it as refused. If the signer has signed for a payout that
 * this database says was never signed, the database is older than the signer's log: the payout is left to a person.
 */
async function refuse(tools: RefusalTools, spend: Spend): Promise<void> {
  const { database, log, onSettled } = tools;
  if (spend.purpose === 'payout') {
    const proof = await burn(tools, spend.id);
    const isSignedHere = spend.fence !== null || listEarlierVersions(database, spend.id).length > 0;
    if (proof.signed && spend.state === 'REFUSING' && !isSignedHere) {
      log('refusal_impossible', { id: spend.id });
      return;
    }
    storeProof(database, spend.id, proof);
  }
  refuseSpend(database, spend.id, 'the network reverted the payment');
  log('spend_refused', { id: spend.id, purpose: spend.purpose });
  if (spend.purpose === 'payout') onSettled();
}

async function burn({ askSigner }: RefusalTools, withdrawalId: string): Promise<BurnProof> {
  const answer = await askSigner({ kind: 'burn', withdrawalId });
  if (answer.kind !== 'burnt') throw new Error(`the signer answered ${answer.kind}`);
  return answer;
}
