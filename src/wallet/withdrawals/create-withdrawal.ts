import { z } from '@hono/zod-openapi';
import { AMOUNT_SYNTAX } from '../../money/amounts.ts';
import { assetSymbols } from '../../money/assets.ts';

/** The longest network name and address that are looked at. */
const MAX_NETWORK_LENGTH = 32;
const MAX_ADDRESS_LENGTH = 128;

/** The body of POST /api/v1/wallet/withdrawals. */
export const CreateWithdrawal = z
  .object({
    asset: z.enum(assetSymbols),
    network: z.string().min(1).max(MAX_NETWORK_LENGTH),
    amount: z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "0.015"'),
    address: z.string().min(1).max(MAX_ADDRESS_LENGTH),
    totpCode: z
      .string()
      .regex(/^\d{6}$/, 'is not six digits')
      .optional(),
  })
  .openapi('CreateWithdrawal');

export type CreateWithdrawal = z.output<typeof CreateWithdrawal>;
