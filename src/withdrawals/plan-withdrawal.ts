import { checkTotpCode } from '../accounts/check-totp-code.ts';
import { clearAttempts, isLastAttempt } from '../accounts/totp.ts';
import type { SealSecrets } from '../accounts/seal.ts';
import { type Outcome, accept, refuse, refusePrecision } from '../http/answer.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type Asset, type AssetNetwork, QUOTE_ASSET, assets, scaleOf, toUsdt, showUsdt } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS, formatAmount, parseAmount } from '../money/amounts.ts';
import type { Network } from '../money/networks.ts';
import { readAddress } from '../addresses/validate-address.ts';
import type { CreateWithdrawal } from './create-withdrawal.ts';
import { type Ledgers, type WithdrawalFacts, readFacts } from './read-facts.ts';
import { termsOf } from './terms.ts';
import { refuseHeld } from '../db/explain.ts';

export interface WithdrawalContext extends Ledgers {
  readonly accountId: string;
  readonly totpSecrets: SealSecrets;
  /** The mode if the operator has set none. */
  readonly allowlistMode: 'off' | 'strict';
  readSnapshot(): Promise<MarketSnapshot | undefined>;
  now(): number;
}

/** A withdrawal that may be committed: all that the batch writes. */
export interface WithdrawalPlan {
  readonly asset: Asset;
  readonly network: Network;
  readonly address: string;
  readonly amount: Atoms;
  readonly fee: Atoms;
  readonly usdValue: Atoms;
  /** The account that receives inside Bureau, or `null` for a payout on the chain. */
  readonly recipient: string | null;
  readonly needsReview: boolean;
  /** The step of the code, if the account has a second factor. */
  readonly totpStep: number | null;
  /** Whether the account's withdrawals become locked if the code turns out to be used already. */
  readonly isLastAttempt: boolean;
  readonly allowlistRequired: boolean;
  readonly limit: Atoms;
  /** The client's own name for it. */
  readonly clientOrderId: string | null;
}

/** The destination and amount, as far as they can be checked without I/O. */
interface ReadRequest {
  readonly asset: Asset;
  readonly listed: AssetNetwork;
  readonly address: string;
  readonly amount: Atoms;
}

/**
 * Plans a withdrawal. The only effect is the count of its code. Refuses, in this order, with `network_not_supported`,
 * `invalid_address`, `precision_exceeded`, `amount_above_maximum`, `client_order_id_reused`, `amount_below_minimum`,
 * `withdrawals_suspended`, `account_recovered`, `withdrawals_locked`, `totp_required`, `totp_invalid`,
 * `address_not_allowlisted`, `price_unavailable`, `daily_limit_exceeded`. Throws when D1 fails.
 */
export async function planWithdrawal(
  wanted: CreateWithdrawal,
  context: WithdrawalContext,
): Promise<Outcome<WithdrawalPlan>> {
  const read = readRequest(wanted);
  if (!read.ok) return read;
  const { asset, listed, address, amount } = read.value;
  const { network } = listed;
  const { database, accountId } = context;
  const { clientOrderId = null } = wanted;
  const now_ms = context.now();
  const [facts, snapshot] = await Promise.all([
    readFacts(context, accountId, { network, address, clientOrderId }, wanted.totpCode !== undefined, now_ms),
    asset === QUOTE_ASSET ? undefined : context.readSnapshot(),
  ]);

  const allowed = checkRules(read.value, facts, accountId, now_ms);
  const step = await checkTotpCode(wanted.totpCode, facts.totp, accountId, context.totpSecrets, now_ms);
  if (!allowed.ok) {
    // A correct code is not a guess, so it is not counted, whatever else was refused.
    if (step.ok && step.value !== null) await clearAttempts(database, accountId);
    return allowed;
  }
  if (!step.ok) return step;

  const allowlistRequired = (facts.settings.allowlistMode ?? context.allowlistMode) === 'strict';
  const usdValue = valueAt(asset, amount, snapshot, now_ms);
  const final = checkLimits(facts, usdValue, allowlistRequired, now_ms);
  if (!final.ok) {
    if (step.value !== null) await clearAttempts(database, accountId);
    return final;
  }
  const recipient = facts.owner ?? null;
  const threshold = facts.settings.reviewThreshold;
  return accept({
    asset,
    network,
    address,
    amount,
    fee: recipient === null ? allowed.value.fee : 0n,
    usdValue: final.value,
    recipient,
    // The sum of 24 hours, so that splitting a withdrawal does not avoid the review.
    needsReview: threshold !== null && facts.used + final.value > threshold,
    totpStep: step.value,
    isLastAttempt: facts.totp !== undefined && isLastAttempt(facts.totp),
    allowlistRequired,
    limit: facts.limit,
    clientOrderId,
  });
}

function readRequest(wanted: CreateWithdrawal): Outcome<ReadRequest> {
  const { asset } = wanted;
  const listed = assets[asset].networks.find((candidate) => candidate.network === wanted.network);
  if (!listed) {
    const on = assets[asset].networks.map(({ network }) => network);
    return refuse('network_not_supported', `${asset} can be withdrawn on ${on.join(', ')}.`, {
      members: { networks: on },
    });
  }
  const address = readAddress(listed.network, wanted.address);
  if (address === undefined) return refuse('invalid_address', `This is not a ${listed.network} address.`);
  const amount = parseAmount(wanted.amount, scaleOf(asset));
  if (amount === undefined) return refusePrecision(asset);
  if (amount > MAX_ATOMS) return refuse('amount_above_maximum', `The ledger cannot move so much ${asset}.`);
  return accept({ asset, listed, address, amount });
}

function checkRules(
  { asset, listed, amount }: ReadRequest,
  { settings, owner, heldUntil_ms, firstId }: WithdrawalFacts,
  accountId: string,
  now_ms: number,
): Outcome<{ readonly fee: Atoms }> {
  const { network } = listed;
  if (firstId !== null) return refuseReused(firstId);
  if (owner === accountId) return refuse('invalid_address', 'This is a deposit address of the same account.');
  const { fee, minimum, isSuspended } = termsOf(asset, listed, settings);
  if (amount + fee > MAX_ATOMS) return refuse('amount_above_maximum', `The ledger cannot move so much ${asset}.`);
  if (amount < minimum) {
    const smallest = formatAmount(minimum, scaleOf(asset));
    return refuse('amount_below_minimum', `The smallest withdrawal on ${network} is ${smallest} ${asset}.`);
  }
  if (isSuspended) {
    return refuse('withdrawals_suspended', `Withdrawals on ${network} are suspended by the operator.`, {
      retryAfterSeconds: 60,
    });
  }
  if (heldUntil_ms > now_ms) return refuseHeld(heldUntil_ms);
  return accept({ fee });
}

/** The value of an amount for the limit, rounded up; `undefined` without a firm price. USDT is 1 by definition. */
function valueAt(asset: Asset, amount: Atoms, snapshot: MarketSnapshot | undefined, now_ms: number): Atoms | undefined {
  if (asset === QUOTE_ASSET) return amount;
  const firm = snapshot && firmPrice(snapshot, asset, now_ms);
  return firm && toUsdt(asset, amount, firm.price, 'up');
}

function checkLimits(
  facts: WithdrawalFacts,
  usdValue: Atoms | undefined,
  allowlistRequired: boolean,
  now_ms: number,
): Outcome<Atoms> {
  if (allowlistRequired && (facts.approvedFrom_ms === undefined || facts.approvedFrom_ms > now_ms)) {
    return addressNotAllowlisted;
  }
  if (usdValue === undefined) {
    return refuse('price_unavailable', 'There is no firm price to value the withdrawal at.', { retryAfterSeconds: 1 });
  }
  return facts.used + usdValue > facts.limit ? refuseLimit(facts) : accept(usdValue);
}

/** The refusal of a withdrawal whose name another withdrawal of the account has. */
export function refuseReused(withdrawalId: string) {
  const members = { withdrawalId };
  return refuse('client_order_id_reused', 'Another withdrawal of this account has this clientOrderId.', { members });
}

export const addressNotAllowlisted = refuse(
  'address_not_allowlisted',
  'The address is not approved for this account, or not yet usable.',
);

/** The refusal of a withdrawal beyond the daily limit, with the figures. */
export function refuseLimit({ limit, used }: { readonly limit: Atoms; readonly used: Atoms }) {
  const remaining = used > limit ? 0n : limit - used;
  return refuse('daily_limit_exceeded', 'The withdrawal passes the account’s limit for 24 hours.', {
    members: { limit: showUsdt(limit), used: showUsdt(used), remaining: showUsdt(remaining) },
  });
}
