import { type Config, MIN_SPREAD_BPS, refuseConfig, streamUrlVariableOf, urlVariableOf } from './config.ts';
import type { EndpointRules } from './events/webhooks/endpoint.ts';
import type { Dealer } from './dealing/dealer.ts';
import { createHttpDealer } from './dealing/http-dealer.ts';
import type { LaneSettings } from './features.ts';
import type { CandleSource } from './markets/candles/candle-source.ts';
import { createSandboxCandleSource } from './markets/candles/sandbox-candles.ts';
import { binancePrices, createBinanceCandleSource } from './markets/sources/binance.ts';
import { bybitPrices, createBybitCandleSource } from './markets/sources/bybit.ts';
import { coinbasePrices } from './markets/sources/coinbase.ts';
import { gatePrices } from './markets/sources/gate.ts';
import { krakenPrices } from './markets/sources/kraken.ts';
import { createKucoinCandleSource, kucoinPrices } from './markets/sources/kucoin.ts';
import { okxPrices } from './markets/sources/okx.ts';
import { BooksInMemory } from './markets/books-in-memory.ts';
import type { HubSettings } from './markets/price-hub.ts';
import { type PriceFeed, createPriceSource } from './markets/sources/price-feed.ts';
import type { PriceSource } from './markets/sources/price-source.ts';
import { streamSources } from './markets/streams/list-streams.ts';
import { openPriceStreams } from './markets/streams/open-price-streams.ts';
import type { StreamPlace } from './markets/streams/price-streams.ts';
import { type SandboxVenue, createSandboxPriceSource } from './markets/sources/sandbox.ts';
import { type PriceVenue, priceVenues, venues } from './money/venue-symbols.ts';
import type { MarketStreamSettings } from './streams/market-stream.ts';
import type { TradingContext } from './orders/in-force.ts';
import { type BoundsOf, boundsFrom } from './orders/terms.ts';
import { DepositKeys } from './addresses/deposit-keys.ts';
import type { PoolSigner } from './addresses/fill-solana-pool.ts';
import type { AddressSources } from './addresses/list-addresses.ts';
import { deriveSandboxSolanaAddress, holdsSandboxKey } from './addresses/sandbox-wallet.ts';
import type { Custody } from './custody/custody.ts';
import { createHttpCustody } from './custody/http.ts';
import { manualCustody } from './custody/manual.ts';
import { sandboxCustody } from './custody/sandbox.ts';
import type { CustodySettings } from './custody/watch-custody.ts';

const priceFeeds: Record<PriceVenue, PriceFeed> = {
  binance: binancePrices,
  okx: okxPrices,
  coinbase: coinbasePrices,
  kucoin: kucoinPrices,
  kraken: krakenPrices,
  gate: gatePrices,
  bybit: bybitPrices,
};

const candleSources: Record<Config['CANDLE_SOURCES'][number], (url: string) => CandleSource> = {
  sandbox: () => createSandboxCandleSource(),
  binance: createBinanceCandleSource,
  bybit: createBybitCandleSource,
  kucoin: createKucoinCandleSource,
};

/** The URL of a source; the sandbox's are in memory and have none. */
function urlOf(config: Config, name: string): string {
  const venue = venues.find((known) => known === name);
  return venue ? config[urlVariableOf(venue)] : '';
}

/** The venues that are asked for prices, in the configured order. */
export function choosePriceSources(config: Config): PriceSource[] {
  return config.PRICE_SOURCES.map((name) =>
    name in priceFeeds
      ? createPriceSource(priceFeeds[name as PriceVenue], urlOf(config, name))
      : createSandboxPriceSource(name as SandboxVenue),
  );
}

/** Where the streams of the configured venues are; the sandbox's sources have none. */
function listStreamPlaces(config: Config): StreamPlace[] {
  const wanted = priceVenues.filter((venue) => config.PRICE_SOURCES.includes(venue));
  return wanted.map((venue) => ({ source: streamSources[venue], url: config[streamUrlVariableOf(venue)] }));
}

/** How the hub hears the venues, or reads `sources` where all are markets in memory. */
export function chooseHubSettings(config: Config, sources: readonly PriceSource[]): HubSettings {
  const areInMemory = sources.every(({ readTicker }) => readTicker);
  return {
    margin_ms: config.PRICE_MARGIN_MS,
    streams: config.PRICE_STREAMS,
    openBooks: (breakers, hear) =>
      areInMemory ? new BooksInMemory(sources) : openPriceStreams(listStreamPlaces(config), breakers, hear),
  };
}

/** The venues that are asked for candles, in the configured order. */
export function chooseCandleSources(config: Config): CandleSource[] {
  return config.CANDLE_SOURCES.map((name) => candleSources[name](urlOf(config, name)));
}

export function chooseBounds(config: Config): BoundsOf {
  return boundsFrom({ min: config.ORDER_MIN_USDT, max: config.ORDER_MAX_USDT }, config.ORDER_BOUNDS);
}

export function chooseTradingContext(config: Config): TradingContext {
  return {
    spread_bps: config.SPREAD_BPS,
    minSpread_bps: MIN_SPREAD_BPS[config.ENVIRONMENT],
    boundsOf: chooseBounds(config),
  };
}

export function chooseLaneSettings(config: Config): LaneSettings {
  return {
    boundsOf: chooseBounds(config),
    custody: chooseCustody(config),
    totpSecrets: config.TOTP_SECRETS,
    allowlistMode: config.ALLOWLIST_MODE,
  };
}

export function chooseCustodySettings(config: Config): CustodySettings {
  return { custody: chooseCustody(config), haltsOnShortfall: config.CUSTODY_SHORTFALL === 'halt' };
}

/** How many sockets a stream takes, and when its status tells of a late payout. */
export function chooseStreamSettings(config: Config): MarketStreamSettings {
  return {
    socketsPerKey: config.STREAM_SOCKETS_PER_KEY,
    socketsPerAddress: config.STREAM_SOCKETS_PER_ADDRESS,
    lateAfter_ms: config.PAYOUT_ALERT_MINUTES * 60_000,
  };
}

/** Where webhooks may go, and what their secrets are encrypted with. Only the sandbox reaches its own machine. */
export function chooseSenderSettings(config: Config): EndpointRules {
  return { allowsLoopback: config.ENVIRONMENT === 'sandbox', sealSecrets: config.TOTP_SECRETS };
}

/** Addresses of the public test mnemonic, for the sandbox alone; else those of the pool. */
const solanaSources: Record<Config['SOLANA_ADDRESSES'], AddressSources['solana']> = {
  sandbox: deriveSandboxSolanaAddress,
  pool: (_index, pooled) => pooled,
};

/**
 * The sources of deposit addresses. Throws, as `parseConfig` does, when DEPOSIT_KEYS are not five accounts' public
 * keys, or when one belongs to the public test mnemonic in production.
 */
export function chooseAddressSources(config: Config): AddressSources {
  const keys = DepositKeys.safeParse(config.DEPOSIT_KEYS);
  if (!keys.success) {
    throw refuseConfig(
      keys.error.issues.map(({ path, message }) => `${['DEPOSIT_KEYS', ...path].join('.')} ${message}`),
    );
  }
  if (config.ENVIRONMENT === 'production' && holdsSandboxKey(keys.data)) {
    throw refuseConfig(['DEPOSIT_KEYS holds a key of the public test mnemonic']);
  }
  return { keys: keys.data, solana: solanaSources[config.SOLANA_ADDRESSES] };
}

/** Whose signature an address of the pool needs. */
export function choosePoolSigner(config: Config): PoolSigner {
  const exchange = chooseAddressSources(config).keys.EVM.publicExtendedKey;
  return { signerKey: config.CUSTODY_SIGNER_KEY, exchange };
}

const custodies: Record<Config['CUSTODY_PROVIDER'], (config: Config) => Custody> = {
  sandbox: () => sandboxCustody,
  manual: () => manualCustody,
  http: ({
    CUSTODY_URL: url,
    CUSTODY_KEY_ID: keyId,
    CUSTODY_SECRET: secret,
    CUSTODY_SIGNING_KEY: signingKey,
    CUSTODY_SIGNER_KEY: signerKey,
  }) => createHttpCustody({ url, keyId, secret, signingKey, signerKey }),
};

export function chooseCustody(config: Config): Custody {
  return custodies[config.CUSTODY_PROVIDER](config);
}

/** The dealer at DEALER_URL; `undefined` without one, and then nothing is hedged. */
export function chooseDealer(config: Config): Dealer | undefined {
  const { DEALER_URL: url, DEALER_KEY_ID: keyId, DEALER_SECRET: secret } = config;
  return url === '' || secret === undefined ? undefined : createHttpDealer({ url, keyId, secret });
}
