import { describe, expect, it } from 'vitest';
import { AMOUNT_SYNTAX, parsePrice } from '../../src/money/amounts.ts';
import {
  type AssetRecord,
  QUOTE_ASSET,
  assetSymbols,
  assets,
  coinSymbols,
  findCoin,
  scaleOf,
} from '../../src/money/assets.ts';
import { fallbackPrice } from '../../src/markets/fallback-price.ts';
import { networkRecords, networks } from '../../src/money/networks.ts';
import { venues } from '../../src/money/venue-symbols.ts';

/** Every pair that is offered: asset, network, decimals on the chain, fee, minimum, confirmations, contract. */
const served = [
  ['USDT', 'TRC20', 6, '1', '5', 20, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDT', 'ETH', 6, '4', '10', 32, '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['USDT', 'SOL', 6, '0.5', '5', 32, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  ['USDT', 'AVAX', 6, '0.5', '5', 12, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'],
  ['USDT', 'BEP20', 18, '0.3', '5', 15, '0x55d398326f99059fF775485246999027B3197955'],
  ['USDT', 'ARBITRUM', 6, '0.3', '5', 20, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
  ['USDT', 'OPTIMISM', 6, '0.3', '5', 20, '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'],
  ['USDT', 'POLYGON', 6, '0.2', '5', 128, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
  ['USDC', 'ETH', 6, '4', '10', 32, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
  ['USDC', 'ARBITRUM', 6, '0.3', '5', 20, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
  ['USDC', 'OPTIMISM', 6, '0.3', '5', 20, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'],
  ['USDC', 'BASE', 6, '0.2', '5', 20, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['USDC', 'AVAX', 6, '0.5', '5', 12, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'],
  ['USDC', 'POLYGON', 6, '0.2', '5', 128, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
  ['USDC', 'SOL', 6, '0.5', '5', 32, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ['USDC', 'BEP20', 18, '0.3', '5', 15, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
  ['BTC', 'BTC', 8, '0.0002', '0.0005', 3, null],
  ['ETH', 'ETH', 18, '0.0012', '0.005', 32, null],
  ['ETH', 'ARBITRUM', 18, '0.0001', '0.001', 20, null],
  ['ETH', 'OPTIMISM', 18, '0.0001', '0.001', 20, null],
  ['ETH', 'BASE', 18, '0.0001', '0.001', 20, null],
  ['AVAX', 'AVAX', 18, '0.01', '0.1', 12, null],
  ['MATIC', 'POLYGON', 18, '0.1', '5', 128, null],
  ['BNB', 'BEP20', 18, '0.0005', '0.01', 15, null],
  ['LTC', 'LTC', 8, '0.001', '0.01', 6, null],
  ['DOGE', 'DOGE', 8, '2', '10', 40, null],
] as const;

const records = Object.entries<AssetRecord>(assets);

/** How many decimals an amount has without trailing zeros. */
function decimalsOf(amount: string): number {
  return (amount.split('.')[1] ?? '').replace(/0+$/, '').length;
}

describe('the assets', () => {
  it('are the nine of the specification, in its order', () => {
    expect(assetSymbols).toEqual(['USDT', 'USDC', 'BTC', 'ETH', 'AVAX', 'MATIC', 'BNB', 'LTC', 'DOGE']);
  });

  it('are eight coins, and USDT as the quote of all markets', () => {
    expect(QUOTE_ASSET).toBe('USDT');
    expect(coinSymbols).toEqual(['USDC', 'BTC', 'ETH', 'AVAX', 'MATIC', 'BNB', 'LTC', 'DOGE']);
  });

  it('have 6 decimals in the ledger when they are dollars, and 8 otherwise', () => {
    const scales = Object.fromEntries(assetSymbols.map((asset) => [asset, scaleOf(asset)]));
    expect(scales).toEqual({ USDT: 6, USDC: 6, BTC: 8, ETH: 8, AVAX: 8, MATIC: 8, BNB: 8, LTC: 8, DOGE: 8 });
  });

  it('have a market price above zero that the ledger can represent', () => {
    for (const [, { marketPrice }] of records) {
      expect(marketPrice).toMatch(AMOUNT_SYNTAX);
      expect(Number(marketPrice)).toBeGreaterThan(0);
      expect(decimalsOf(marketPrice)).toBeLessThanOrEqual(8);
    }
  });

  it('have a static price of at most four fifths of the market’s', () => {
    for (const coin of coinSymbols) {
      const market = parsePrice(assets[coin].marketPrice) ?? 0n;
      expect(fallbackPrice(coin)).toBeGreaterThan(0n);
      expect(5n * fallbackPrice(coin)).toBeLessThanOrEqual(4n * market);
    }
  });

  it('have different markets at each venue, and USDT has none', () => {
    for (const venue of venues) {
      const symbols = records.flatMap(([, { venueSymbols }]) => venueSymbols[venue] ?? []);
      expect(new Set(symbols).size).toBe(symbols.length);
      expect(assets.USDT.venueSymbols[venue]).toBeNull();
    }
  });

  it('have their markets at the venues under the venues’ own names', () => {
    const symbolsAt = (venue: (typeof venues)[number]) => coinSymbols.map((coin) => assets[coin].venueSymbols[venue]);
    const joined = ['USDC', 'BTC', 'ETH', 'AVAX', 'POL', 'BNB', 'LTC', 'DOGE'];
    expect(symbolsAt('binance')).toEqual(joined.map((base) => `${base}USDT`));
    expect(symbolsAt('bybit')).toEqual(joined.map((base) => `${base}USDT`));
    expect(symbolsAt('okx')).toEqual(joined.map((base) => `${base}-USDT`));
    expect(symbolsAt('kucoin')).toEqual(joined.map((base) => `${base}-USDT`));
    expect(symbolsAt('gate')).toEqual(joined.map((base) => `${base}_USDT`));
    expect(symbolsAt('coinbase')).toEqual([null, 'BTC-USDT', 'ETH-USDT', 'AVAX-USDT', null, null, null, 'DOGE-USDT']);
    expect(symbolsAt('kraken')).toEqual([
      'USDCUSDT',
      'XBTUSDT',
      'ETHUSDT',
      'AVAXUSDT',
      null,
      'BNBUSDT',
      'LTCUSDT',
      'XDGUSDT',
    ]);
  });

  it('show MATIC under its name since 2024, Polygon (POL)', () => {
    expect(assets.MATIC.name).toBe('Polygon (POL)');
  });
});

describe('a coin by its symbol', () => {
  it('is found in any case', () => {
    expect(['BTC', 'btc', 'bTc'].map(findCoin)).toEqual(['BTC', 'BTC', 'BTC']);
  });

  it.each(['USDT', 'usdt', 'XRP', 'POL', '', ' BTC', 'BTC-USDT', 'BTCUSDT', '__proto__', 'constructor', 'toString'])(
    'is not found as "%s"',
    (symbol) => {
      expect(findCoin(symbol)).toBeUndefined();
    },
  );
});

describe('the networks', () => {
  it('are the twelve of the specification, in its order', () => {
    expect(networks).toEqual([
      'BTC',
      'BEP20',
      'TRC20',
      'SOL',
      'ETH',
      'ARBITRUM',
      'OPTIMISM',
      'BASE',
      'AVAX',
      'POLYGON',
      'LTC',
      'DOGE',
    ]);
  });

  it('support their primary asset', () => {
    for (const network of networks) {
      const { primaryAsset } = networkRecords[network];
      const carriers = records.find(([asset]) => asset === primaryAsset)?.[1].networks ?? [];
      expect(
        carriers.some((on) => on.network === network),
        `${primaryAsset} on ${network}`,
      ).toBe(true);
    }
  });

  it('support exactly the pairs that are offered, with their contract, decimals, fee, minimum and confirmations', () => {
    const built = records.flatMap(([asset, record]) =>
      record.networks.map((on) => [
        asset,
        on.network,
        on.decimals,
        on.withdrawFee,
        on.minWithdrawal,
        on.confirmations,
        on.contractAddress,
      ]),
    );
    const byName = (one: readonly unknown[], other: readonly unknown[]) => (String(one) < String(other) ? -1 : 1);
    expect(built.toSorted(byName)).toEqual(served.map((pair) => [...pair]).toSorted(byName));
  });
});

describe('fees and minimums', () => {
  const amounts = records.flatMap(([asset, record]) =>
    record.networks.map((on) => ({
      pair: `${asset} on ${on.network}`,
      price: record.marketPrice,
      scale: record.scale,
      ...on,
    })),
  );

  it.each(amounts)('are amounts that the ledger and the chain can represent exactly: $pair', (on) => {
    for (const amount of [on.withdrawFee, on.minWithdrawal, on.minDeposit]) {
      expect(amount).toMatch(AMOUNT_SYNTAX);
      expect(decimalsOf(amount)).toBeLessThanOrEqual(Math.min(on.scale, on.decimals));
    }
  });

  it.each(amounts)('have a smallest deposit worth at most 1 USDT and at most the smallest withdrawal: $pair', (on) => {
    const least = Number(on.minDeposit);
    const worth = least * Number(on.price);
    expect(on.minDeposit).toMatch(/^(0\.0*)?[125]0*$/);
    // The next larger number of the series 1, 2, 5 is at most two and a half times as much.
    expect(worth).toBeGreaterThan(0.4);
    expect(worth).toBeLessThanOrEqual(1);
    expect(least).toBeLessThanOrEqual(Number(on.minWithdrawal));
  });
});
