import { z } from '@hono/zod-openapi';
import { Decimal, Timestamp } from '../http/wire-types.ts';
import { bucketNames } from '../keys/rights.ts';
import { intervals } from '../markets/candles/interval.ts';
import { assetSymbols, coinSymbols } from '../money/assets.ts';
import { networkRecords, networks } from '../money/networks.ts';

const Deposits = z.enum(['OPEN', 'PAUSED', 'UNSERVED']);

export type Deposits = z.output<typeof Deposits>;

/** An asset on one network, with its terms for deposits and withdrawals. */
const AssetOnNetwork = z
  .object({
    network: z.enum(networks),
    contractAddress: z
      .string()
      .nullable()
      .openapi({ description: 'Contract or mint; null for the network’s own coin' }),
    decimals: z.number().int().openapi({ description: 'Decimals on the chain' }),
    depositEnabled: z.boolean().openapi({ description: 'Whether to send deposits; `deposits` says why not' }),
    deposits: Deposits.openapi({
      description:
        'PAUSED: switched off by the operator for now. UNSERVED: nobody watches the network, so a deposit would not be seen. What arrives on a paused network is credited all the same',
    }),
    minDeposit: Decimal.openapi({ description: 'In the asset; a smaller deposit is not credited' }),
    withdrawEnabled: z.boolean(),
    withdrawFee: Decimal.openapi({ description: 'In the asset, on top of the amount' }),
    minWithdrawal: Decimal.openapi({ description: 'In the asset' }),
    confirmations: z.number().int().openapi({ description: 'After which a deposit is credited' }),
    addressPattern: z.string().openapi({
      description: 'A regular expression that every address of the network matches; some other texts do, too',
    }),
  })
  .openapi('AssetOnNetwork', {
    example: {
      network: 'ETH',
      contractAddress: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      decimals: 6,
      depositEnabled: true,
      deposits: 'OPEN',
      minDeposit: '1',
      withdrawEnabled: true,
      withdrawFee: '4',
      minWithdrawal: '10',
      confirmations: 32,
      addressPattern: networkRecords.ETH.addressPattern,
    },
  });

/** The answer of GET /api/v1/assets. */
export const AssetList = z
  .object({
    assets: z.array(
      z.object({
        asset: z.enum(assetSymbols).openapi({ example: 'USDT' }),
        name: z.string().openapi({ example: 'Tether' }),
        scale: z.number().int().openapi({ description: 'Decimals that an amount may have here', example: 6 }),
        networks: z.array(AssetOnNetwork),
      }),
    ),
  })
  .openapi('AssetList');

export type AssetList = z.output<typeof AssetList>;

/** The answer of GET /api/v1/exchange-info. */
export const ExchangeInfo = z
  .object({
    symbols: z.array(
      z.object({
        symbol: z.enum(coinSymbols).openapi({ example: 'BTC' }),
        pair: z.string().openapi({ example: 'BTC-USDT' }),
        base: z.enum(assetSymbols).openapi({ example: 'BTC' }),
        quote: z.enum(assetSymbols).openapi({ example: 'USDT' }),
        status: z.enum(['TRADING', 'HALTED']),
        baseStep: Decimal.openapi({ description: 'Smallest step of a quantity', example: '0.00000001' }),
        quoteStep: Decimal.openapi({ description: 'Smallest step of an amount in USDT', example: '0.000001' }),
        minNotional: Decimal.openapi({ description: 'Smallest order, in USDT', example: '1' }),
        maxNotional: Decimal.openapi({ description: 'Largest order, in USDT', example: '50000' }),
        spreadBps: z.int().min(0).openapi({
          description:
            'The exchange’s spread in force, in hundredths of a percent. A fill adds half of the range that the agreeing venues span: POST /api/v1/orders/preview tells both',
          example: 20,
        }),
      }),
    ),
    intervals: z.array(z.enum(intervals)).openapi({ description: 'Of candles', example: [...intervals] }),
    rateLimits: z
      .array(
        z.object({
          bucket: z.enum(bucketNames).openapi({ example: 'read' }),
          perMinute: z.number().int().openapi({ example: 120 }),
          perDay: z.number().int().openapi({ example: 5000 }),
        }),
      )
      .openapi({ description: 'Of a key without limits of its own' }),
    serverTime: Timestamp.openapi({ description: 'When the answer was made; the clock itself is GET /api/v1/time' }),
  })
  .openapi('ExchangeInfo');

export type ExchangeInfo = z.output<typeof ExchangeInfo>;

/** The answer of GET /api/v1/time. */
export const ServerTime = z.object({ serverTime: Timestamp }).openapi('ServerTime');

const Health = z.enum(['OK', 'DEGRADED', 'HALTED']);

/** The answer of GET /api/v1/status. */
export const Status = z
  .object({
    status: Health.openapi({ description: 'The worst of the parts' }),
    trading: Health.openapi({
      description:
        'HALTED by the operator; DEGRADED while no order could fill: the ledger cannot be read, or no market has a price to fill at',
    }),
    withdrawals: Health.openapi({
      description:
        'HALTED by the operator; DEGRADED while the ledger cannot be read, the custodian does not answer, or a payout is late',
    }),
    prices: z.enum(['OK', 'DEGRADED']).openapi({ description: 'DEGRADED when any market lacks a price to fill at' }),
  })
  .openapi('Status');

export type Status = z.output<typeof Status>;
