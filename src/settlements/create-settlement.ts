import { z } from '@hono/zod-openapi';
import { Amount } from '../http/wire-types.ts';
import { type Outcome, accept, refuse, refusePrecision } from '../http/answer.ts';
import { isRecordId, ledgerNumberOf } from '../db/record-id.ts';
import { house } from '../db/transfers.ts';
import { type Asset, QUOTE_ASSET, findCoin, scaleOf } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS, parseAmount } from '../money/amounts.ts';
import type { Trade } from './settlement.ts';

/** The longest account id and symbol that are looked up. */
const MAX_ID_LENGTH = 64;
const MAX_SYMBOL_LENGTH = 32;

const AccountId = z.string().min(1).max(MAX_ID_LENGTH).openapi({ example: '01a1fcca-895a-7000-b43c-11f474a4f8d5' });

const common = {
  reference: z
    .string()
    .regex(/^[!-~]{1,64}$/, 'is not 1 to 64 visible ASCII characters')
    .openapi({ description: 'Your own name of it, which makes it happen once', example: 'p2p-7' }),
  coin: z.string().min(1).max(MAX_SYMBOL_LENGTH).openapi({ description: 'Base symbol, in any case', example: 'BTC' }),
  coinAmount: Amount.openapi({ example: '0.002' }),
  usdtAmount: Amount.openapi({ description: 'What is paid for the whole coin amount', example: '130' }),
};

/** The body of POST /operator/v1/settlements. Its reference makes it happen once. */
export const CreateSettlement = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ kind: z.literal('P2P'), buyerAccountId: AccountId, sellerAccountId: AccountId, ...common })
      .refine(({ buyerAccountId, sellerAccountId }) => buyerAccountId !== sellerAccountId, {
        path: ['sellerAccountId'],
        message: 'is the buyer’s account',
      }),
    z.strictObject({ kind: z.literal('QUICK'), accountId: AccountId, side: z.enum(['BUY', 'SELL']), ...common }),
  ])
  .openapi('CreateSettlement');

export type CreateSettlement = z.output<typeof CreateSettlement>;

/**
 * Reads a body as a trade. Refuses, in this order, with `symbol_not_supported`, `precision_exceeded`,
 * `amount_below_minimum` for zero, `amount_above_maximum`, and `not_found` for a text that cannot be an account's id,
 * such as `house:liquidity`.
 */
export function readTrade(wanted: CreateSettlement): Outcome<Trade> {
  const coin = findCoin(wanted.coin);
  if (!coin) return refuse('symbol_not_supported', `There is no market ${wanted.coin}-${QUOTE_ASSET}.`);
  const coinAmount = readAmount(wanted.coinAmount, coin);
  if (!coinAmount.ok) return coinAmount;
  const usdtAmount = readAmount(wanted.usdtAmount, QUOTE_ASSET);
  if (!usdtAmount.ok) return usdtAmount;
  const unknown = accountIdsOf(wanted).find((id) => !isRecordId(id));
  if (unknown !== undefined) return refuseAccount(unknown);
  const amounts = { coinAmount: coinAmount.value, usdtAmount: usdtAmount.value };
  return accept({ reference: wanted.reference, ...partiesOf(wanted), coin, ...amounts });
}

export function refuseAccount(id: string) {
  return refuse('not_found', `There is no account ${id}.`);
}

/** The ledger in which two people agree on a trade and which settles it: that of the buyer, or of the one account. */
export function ledgerOfTrade(wanted: CreateSettlement): number {
  const accountId = wanted.kind === 'P2P' ? wanted.buyerAccountId : wanted.accountId;
  return ledgerNumberOf(accountId);
}

function accountIdsOf(wanted: CreateSettlement): string[] {
  return wanted.kind === 'P2P' ? [wanted.buyerAccountId, wanted.sellerAccountId] : [wanted.accountId];
}

function readAmount(text: string, asset: Asset): Outcome<Atoms> {
  const amount = parseAmount(text, scaleOf(asset));
  if (amount === undefined) return refusePrecision(asset);
  if (amount === 0n) return refuse('amount_below_minimum', `A settlement moves more than nothing of ${asset}.`);
  if (amount > MAX_ATOMS) {
    return refuse('amount_above_maximum', `The amount of ${asset} is beyond what the ledger can count.`);
  }
  return accept(amount);
}

function partiesOf(wanted: CreateSettlement): Pick<Trade, 'buyer' | 'seller'> {
  if (wanted.kind === 'P2P') return { buyer: wanted.buyerAccountId, seller: wanted.sellerAccountId };
  return wanted.side === 'BUY'
    ? { buyer: wanted.accountId, seller: house.liquidity }
    : { buyer: house.liquidity, seller: wanted.accountId };
}
