import { z } from '@hono/zod-openapi';
import { Account, readAccount } from '../accounts/account.ts';
import { AllowlistEntry, MAX_APPROVED, listAllowlist, showEntry } from '../accounts/allowlist.ts';
import { readTotp } from '../accounts/totp.ts';
import { Decimal, Timestamp, showTime } from '../http/wire-types.ts';
import { UsedApiKey, listApiKeys } from '../keys/api-key.ts';
import { addLastUses } from '../lane/tell-lanes.ts';
import type { Bindings } from '../platform/bindings.ts';
import type { Database } from '../db/database.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import type { Valuation } from '../markets/value-in-usdt.ts';
import { scaleOf, showUsdt } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import { Balance, readHoldings } from '../activity/balances.ts';
import { showDailyUse } from '../withdrawals/read-facts.ts';

/** An account with everything that an operator asks about it first. */
export const AccountDetail = Account.extend({
  ledger: z.int().openapi({ description: 'The number of the ledger that it is in', example: 0 }),
  apiKeys: z
    .array(UsedApiKey)
    .openapi({ description: 'All that are not revoked, then the newest 50 that are; each the newest first' }),
  balances: z.array(Balance.extend({ usdValue: Decimal.openapi({ description: 'At present', example: '130' }) })),
  usdValue: Decimal.openapi({ description: 'Of all balances, at present', example: '1130' }),
  dailyWithdrawals: z
    .object({
      limit: Decimal.openapi({ example: '5000' }),
      used: Decimal.openapi({ example: '50' }),
      remaining: Decimal.openapi({ example: '4950' }),
    })
    .openapi({ description: 'In USDT, in the last 24 hours' }),
  totp: z.object({
    enabled: z.boolean().openapi({ example: true }),
    lockedUntil: Timestamp.nullable().openapi({
      description: 'Until when too many wrong codes lock withdrawals, else null',
      example: null,
    }),
  }),
  allowlist: z.array(AllowlistEntry).openapi({ description: 'All of them, the newest first' }),
}).openapi('AccountDetail');

export type AccountDetail = z.output<typeof AccountDetail>;

/** Reads an account whole, or `undefined` when there is none of that id. Throws when D1 fails. */
export async function readAccountDetail(
  bindings: Bindings,
  database: Database,
  id: string,
  readValuation: () => Promise<Valuation>,
  now_ms: number,
): Promise<AccountDetail | undefined> {
  const account = await readAccount(database, id);
  if (!account) return undefined;
  const [apiKeys, holdings, dailyWithdrawals, totp, allowlist, valueOf] = await Promise.all([
    listApiKeys(database, id, null).then((page) => addLastUses(bindings, page.apiKeys)),
    readHoldings(database, id),
    showDailyUse(database, id, now_ms),
    readTotp(database, id),
    listAllowlist(database, id, null, MAX_APPROVED),
    readValuation(),
  ]);
  const valued = holdings.map(({ asset, amount }) => ({ asset, amount, value: valueOf(asset, amount) }));
  const lockedUntil = totp && totp.lockedUntil > now_ms ? showTime(totp.lockedUntil) : null;
  return {
    ...account,
    ledger: ledgerNumberOf(id),
    apiKeys,
    balances: valued.map(({ asset, amount, value }) => ({
      asset,
      amount: formatAmount(amount, scaleOf(asset)),
      usdValue: showUsdt(value),
    })),
    usdValue: showUsdt(valued.reduce((sum, { value }) => sum + value, 0n)),
    dailyWithdrawals,
    totp: { enabled: totp?.confirmedAt != null, lockedUntil },
    allowlist: allowlist.map(showEntry),
  };
}
