import { z } from '@hono/zod-openapi';
import { Amount, NewClientOrderId } from '../http/wire-types.ts';
import { assetSymbols } from '../money/assets.ts';

/** The longest network name and address that are accepted. */
const MAX_NETWORK_LENGTH = 32;
const MAX_ADDRESS_LENGTH = 128;

/** The body of POST /api/v1/wallet/withdrawals. */
export const CreateWithdrawal = z
  .strictObject({
    asset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
    network: z
      .string()
      .min(1)
      .max(MAX_NETWORK_LENGTH)
      .openapi({ description: 'One that carries the asset: see GET /api/v1/assets', example: 'TRC20' }),
    amount: Amount.openapi({ description: 'What the address is to receive; the fee comes on top', example: '50' }),
    address: z
      .string()
      .min(1)
      .max(MAX_ADDRESS_LENGTH)
      .openapi({ description: 'Destination on the chain', example: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' }),
    totpCode: z
      .string()
      .regex(/^(\d{6})?$/, 'is not six digits')
      .nullish()
      .transform((code) => code || undefined)
      .openapi({
        description:
          'Six digits. Needed, and new for every withdrawal, where two-factor authentication is on; null or empty is as if absent',
        example: '492039',
      }),
    clientOrderId: NewClientOrderId,
  })
  .openapi('CreateWithdrawal');

export type CreateWithdrawal = z.output<typeof CreateWithdrawal>;
