import type { Config } from './env.ts';
import type { CandleSource } from './markets/candles/candle-source.ts';
import { createSandboxCandleSource } from './markets/candles/sandbox-candles.ts';
import { createBinanceCandleSource, createBinancePriceSource } from './markets/sources/binance.ts';
import { createBybitCandleSource } from './markets/sources/bybit.ts';
import { createCoinbasePriceSource } from './markets/sources/coinbase.ts';
import { createGatePriceSource } from './markets/sources/gate.ts';
import { createKrakenPriceSource } from './markets/sources/kraken.ts';
import { createKucoinCandleSource, createKucoinPriceSource } from './markets/sources/kucoin.ts';
import { createOkxPriceSource } from './markets/sources/okx.ts';
import type { PriceSource } from './markets/sources/price-source.ts';
import { createSandboxPriceSource } from './markets/sources/sandbox.ts';
import { houseProvider } from './trade/liquidity/house.ts';
import type { LiquidityProvider } from './trade/liquidity/liquidity-provider.ts';
import type { AddressSources } from './wallet/addresses/list-addresses.ts';
import { type SolanaSource, deriveInSandbox, takeFromPool } from './wallet/addresses/solana-source.ts';
import type { Custody } from './wallet/custody/custody.ts';
import { createHttpCustody } from './wallet/custody/http.ts';
import { sandboxCustody } from './wallet/custody/sandbox.ts';

const priceSources: Record<Config['PRICE_SOURCES'][number], (config: Config) => PriceSource> = {
  'sandbox-a': () => createSandboxPriceSource('sandbox-a'),
  'sandbox-b': () => createSandboxPriceSource('sandbox-b'),
  'sandbox-c': () => createSandboxPriceSource('sandbox-c'),
  binance: (config) => createBinancePriceSource(config.BINANCE_URL),
  okx: (config) => createOkxPriceSource(config.OKX_URL),
  coinbase: (config) => createCoinbasePriceSource(config.COINBASE_URL),
  kucoin: (config) => createKucoinPriceSource(config.KUCOIN_URL),
  kraken: (config) => createKrakenPriceSource(config.KRAKEN_URL),
  gate: (config) => createGatePriceSource(config.GATE_URL),
};

const candleSources: Record<Config['CANDLE_SOURCES'][number], (config: Config) => CandleSource> = {
  sandbox: () => createSandboxCandleSource(),
  binance: (config) => createBinanceCandleSource(config.BINANCE_URL),
  bybit: (config) => createBybitCandleSource(config.BYBIT_URL),
  kucoin: (config) => createKucoinCandleSource(config.KUCOIN_URL),
};

/** The venues that are asked for prices, in the configured order. */
export function choosePriceSources(config: Config): PriceSource[] {
  return config.PRICE_SOURCES.map((name) => priceSources[name](config));
}

/** The venues that are asked for candles, in the configured order. */
export function chooseCandleSources(config: Config): CandleSource[] {
  return config.CANDLE_SOURCES.map((name) => candleSources[name](config));
}

/** What orders fill against. */
export function chooseLiquidityProvider(config: Config): LiquidityProvider {
  switch (config.LIQUIDITY_PROVIDER) {
    case 'house':
      return houseProvider;
  }
}

const solanaSources: Record<Config['SOLANA_ADDRESSES'], SolanaSource> = {
  sandbox: deriveInSandbox,
  pool: takeFromPool,
};

/** What deposit addresses are made of. */
export function chooseAddressSources(config: Config): AddressSources {
  return { keys: config.DEPOSIT_KEYS, solana: solanaSources[config.SOLANA_ADDRESSES] };
}

const custodies: Record<Config['CUSTODY_PROVIDER'], (config: Config) => Custody> = {
  sandbox: () => sandboxCustody,
  http: ({ CUSTODY_URL: url, CUSTODY_KEY_ID: keyId, CUSTODY_SECRET: secret }) =>
    createHttpCustody({ url, keyId, secret }),
};

/** Who pays withdrawals out. */
export function chooseCustody(config: Config): Custody {
  return custodies[config.CUSTODY_PROVIDER](config);
}
