import { generate } from 'otplib';
import { type Asset, type AssetNetwork, assets, scaleOf } from '../../src/money/assets.ts';
import type { Network } from '../../src/money/networks.ts';
import { readAddress } from '../../src/addresses/validate-address.ts';
import { areApart, houseOfAccount } from './house-of.ts';
import type { ModelAccount, ModelTotp, ModelWithdrawal, Post } from './model.ts';
import { must } from './must.ts';
import { type Prediction, refusal } from './predict-order.ts';
import { readDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

const LOCK_MS = 15 * 60_000;
const MAX_ATTEMPTS = 5;

export interface WithdrawalPrediction {
  readonly answers: readonly Prediction[];
  /** The possible withdrawals, one for each price that it may be valued at. */
  readonly wanted: readonly Omit<ModelWithdrawal, 'id'>[];
  /** The second factor after a refusal by a rule, and after a success. */
  readonly totp: Pick<ModelTotp, 'usedStep' | 'attempts' | 'lockedUntil'> | null;
}

/** The allowed answers to a withdrawal now, by the rules in the order of the error table. */
export async function predictWithdrawal(
  world: World,
  account: ModelAccount,
  request: Post,
): Promise<WithdrawalPrediction> {
  const { body } = request;
  const refused = (status: number, code: string): WithdrawalPrediction => ({
    answers: [refusal(status, code)],
    wanted: [],
    totp: account.totp && { ...account.totp },
  });
  const asset = body['asset'] as Asset;
  const network = body['network'] as Network;
  const listed = assets[asset].networks.find((one) => one.network === network);
  if (!listed) return refused(422, 'network_not_supported');
  const address = readAddress(network, body['address'] ?? '');
  if (address === undefined) return refused(422, 'invalid_address');
  const amount = readDecimal(body['amount'] ?? '', scaleOf(asset));
  if (amount === undefined) return refused(422, 'precision_exceeded');

  const step = await findStep(account.totp, body['totpCode'], world.now_ms);
  const isNamed = world.model.isNamed(account.id, request);
  const rule = isNamed
    ? refusal(422, 'client_order_id_reused')
    : checkRules(world, account, { network, address, amount, asset, listed });
  const code = checkCode(account.totp, body['totpCode'], step, world.now_ms);
  const isRight = step !== undefined && code === null;
  const counted = countAttempt(account.totp, body['totpCode'], world.now_ms);
  const totp = isRight && counted ? { ...counted, attempts: 0, lockedUntil: 0 } : counted;
  const refusedBy = rule ?? code ?? checkApproval(world, account, network, address);
  if (refusedBy) return { answers: [refusedBy], wanted: [], totp };
  return { ...value(world, account, { network, address, amount, asset, listed }, step), totp };
}

interface Read {
  readonly network: Network;
  readonly address: string;
  readonly amount: bigint;
  readonly asset: Asset;
  readonly listed: AssetNetwork;
}

function checkRules({ model }: World, account: ModelAccount, { network, address, amount, asset, listed }: Read) {
  if (model.ownerOf(network, address) === account) return refusal(422, 'invalid_address');
  const minimum = readDecimal(listed.minWithdrawal, scaleOf(asset)) ?? 0n;
  if (amount < minimum || amount === 0n) return refusal(422, 'amount_below_minimum');
  const { withdrawalsHalted, pausedNetworks } = model.settings;
  return withdrawalsHalted || pausedNetworks.includes(network) ? refusal(503, 'withdrawals_suspended') : null;
}

function checkApproval(
  { model, now_ms }: World,
  { approved }: ModelAccount,
  network: Network,
  address: string,
): Prediction | null {
  const from_ms = approved.get(`${network} ${address}`) ?? Infinity;
  const isOpen = model.settings.allowlistMode === 'off' || from_ms <= now_ms;
  return isOpen ? null : refusal(403, 'address_not_allowlisted');
}

/** The time step of this code: one of the three around now, newer than the last accepted one (RFC 6238). */
async function findStep(totp: ModelTotp | null, code: string | undefined, now_ms: number): Promise<number | undefined> {
  if (!totp || code === undefined) return undefined;
  const now = Math.floor(now_ms / 30_000);
  for (const step of [now, now - 1, now + 1]) {
    if (step > totp.usedStep && (await generate({ secret: totp.secret, epoch: step * 30 })) === code) return step;
  }
  return undefined;
}

function checkCode(totp: ModelTotp | null, code: string | undefined, step: number | undefined, now_ms: number) {
  if (!totp) return null;
  if (totp.lockedUntil > now_ms) return refusal(403, 'withdrawals_locked');
  if (code === undefined) return refusal(403, 'totp_required');
  return step === undefined ? refusal(403, 'totp_invalid') : null;
}

function countAttempt(totp: ModelTotp | null, code: string | undefined, now_ms: number): WithdrawalPrediction['totp'] {
  if (!totp) return null;
  if (code === undefined || totp.lockedUntil > now_ms) return { ...totp };
  const attempts = totp.attempts >= MAX_ATTEMPTS ? 1 : totp.attempts + 1;
  return { ...totp, attempts, lockedUntil: attempts >= MAX_ATTEMPTS ? now_ms + LOCK_MS : totp.lockedUntil };
}

function value(world: World, account: ModelAccount, read: Read, step: number | undefined) {
  const { model, market, now_ms } = world;
  const { asset, network, address, amount } = read;
  const unit = 10n ** BigInt(scaleOf(asset) + 8 - 6);
  const values =
    asset === 'USDT' ? [amount] : market.firmPrices(asset).map((price) => (amount * price + unit - 1n) / unit);
  const recipient = model.ownerOf(network, address)?.id ?? null;
  const fee = recipient === null ? readDecimal(read.listed.withdrawFee, scaleOf(asset)) : 0n;
  must(fee !== undefined, 'a fee is finer than its asset', asset, network);
  const answers: Prediction[] =
    asset !== 'USDT' && market.mayBeWithoutPrice() ? [refusal(503, 'price_unavailable')] : [];
  const wanted: Omit<ModelWithdrawal, 'id'>[] = [];
  const used = model.used(account.id, now_ms);
  for (const usdValue of values) {
    if (used + usdValue > account.limit) answers.push(refusal(422, 'daily_limit_exceeded'));
    else if (!model.affords(account.id, asset, amount + fee)) answers.push(refusal(422, 'insufficient_balance'));
    else {
      const threshold = model.settings.reviewThreshold;
      const waits = threshold !== null && used + usdValue > threshold;
      // The custodian pays those to the outside, and another ledger those to its accounts.
      const isPaidHere = recipient !== null && !areApart(account.id, recipient);
      const status = waits ? 'PENDING' : isPaidHere ? 'COMPLETED' : 'PROCESSING';
      wanted.push({
        accountId: account.id,
        asset,
        network,
        address,
        amount,
        fee,
        usdValue,
        recipient,
        status,
        committed_ms: now_ms,
        totpStep: step ?? null,
      });
      const house = houseOfAccount(account.id);
      const taken = { debit: account.id, credit: house.payouts, asset, amount: amount + fee, kind: 'withdrawal' };
      const paid =
        status === 'COMPLETED' && recipient !== null
          ? [{ debit: house.payouts, credit: recipient, asset, amount, kind: 'withdrawal' }]
          : [];
      answers.push({ status: 201, code: null, movements: [taken, ...paid] });
    }
  }
  return { answers, wanted };
}
