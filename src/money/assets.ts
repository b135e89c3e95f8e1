import { type Network, networkRecords } from './networks.ts';
import { type VenueSymbols, noMarkets, spellMarkets } from './venue-symbols.ts';
import { type Atoms, divideDown, divideUp, formatAmount, PRICE_SCALE, type Price } from './amounts.ts';

export interface AssetNetwork {
  readonly network: Network;
  /** The token's contract or mint; `null` for the network's own coin. */
  readonly contractAddress: string | null;
  /** Decimals on the chain, which may be more than the ledger's scale. */
  readonly decimals: number;
  /** Default withdrawal fee and smallest withdrawal, in the asset. */
  readonly withdrawFee: string;
  readonly minWithdrawal: string;
  /**
   * Default smallest deposit that is credited, in the asset: the largest of 1, 2 or 5 times a power of ten that is
   * worth at most 1 USDT at the market price, and at most the smallest withdrawal.
   */
  readonly minDeposit: string;
  /** Confirmations after which a deposit is credited. */
  readonly confirmations: number;
}

/** All that Bureau knows about one asset. To add an asset, add a record; there is no other list in the code. */
export interface AssetRecord {
  readonly name: string;
  /** Decimals of the ledger: one atom is 10^-scale of the asset. */
  readonly scale: number;
  /** The asset's USDT market at each venue, as the venue spells it; `null` where the venue has none. */
  readonly venueSymbols: VenueSymbols;
  /**
   * What the market paid at least on `MARKET_PRICES_DATE`, in USDT. The static price, which is shown when no source
   * answers and the operator has set none, is made from it, and the market of the sandbox moves around it.
   */
  readonly marketPrice: string;
  readonly networks: readonly AssetNetwork[];
}

export const MARKET_PRICES_DATE = '2026-11-21';

/** The asset that every order is paid in, and in which values and limits are counted. */
export const QUOTE_ASSET = 'USDT';

/**
 * An asset on a network: the default withdrawal fee, the smallest withdrawal, the token's contract or mint unless it is
 * the network's own coin, and its decimals there if they are not those of the asset's other networks.
 */
type Listing = readonly [withdrawFee: string, minWithdrawal: string, contractAddress?: string, decimals?: number];

function listOn(minDeposit: string, usualDecimals: number, listings: Partial<Record<Network, Listing>>) {
  return Object.entries(listings).map(([name, listing]): AssetNetwork => {
    const network = name as Network;
    const [withdrawFee, minWithdrawal, contractAddress = null, decimals = usualDecimals] = listing;
    const { confirmations } = networkRecords[network];
    return { network, contractAddress, decimals, withdrawFee, minWithdrawal, minDeposit, confirmations };
  });
}

/** The nine assets, in the order of the specification. Venues renamed MATIC to POL in 2024; Bureau's clients know it as MATIC. */
export const assets = {
  USDT: {
    name: 'Tether',
    scale: 6,
    marketPrice: '1',
    venueSymbols: noMarkets,
    networks: listOn('1', 6, {
      TRC20: ['1', '5', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
      ETH: ['4', '10', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
      SOL: ['0.5', '5', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
      AVAX: ['0.5', '5', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'],
      BEP20: ['0.3', '5', '0x55d398326f99059fF775485246999027B3197955', 18],
      ARBITRUM: ['0.3', '5', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
      OPTIMISM: ['0.3', '5', '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'],
      POLYGON: ['0.2', '5', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
    }),
  },
  USDC: {
    name: 'USD Coin',
    scale: 6,
    marketPrice: '1',
    venueSymbols: spellMarkets('USDC', { coinbase: null }),
    networks: listOn('1', 6, {
      ETH: ['4', '10', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
      ARBITRUM: ['0.3', '5', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
      OPTIMISM: ['0.3', '5', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'],
      BASE: ['0.2', '5', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
      AVAX: ['0.5', '5', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'],
      POLYGON: ['0.2', '5', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
      SOL: ['0.5', '5', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
      BEP20: ['0.3', '5', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    }),
  },
  BTC: {
    name: 'Bitcoin',
    scale: 8,
    marketPrice: '60000',
    venueSymbols: spellMarkets('BTC', { kraken: 'XBTUSDT' }),
    networks: listOn('0.00001', 8, { BTC: ['0.0002', '0.0005'] }),
  },
  ETH: {
    name: 'Ethereum',
    scale: 8,
    marketPrice: '2000',
    venueSymbols: spellMarkets('ETH'),
    networks: listOn('0.0005', 18, {
      ETH: ['0.0012', '0.005'],
      ARBITRUM: ['0.0001', '0.001'],
      OPTIMISM: ['0.0001', '0.001'],
      BASE: ['0.0001', '0.001'],
    }),
  },
  AVAX: {
    name: 'Avalanche',
    scale: 8,
    marketPrice: '15',
    venueSymbols: spellMarkets('AVAX'),
    networks: listOn('0.05', 18, { AVAX: ['0.01', '0.1'] }),
  },
  MATIC: {
    name: 'Polygon (POL)',
    scale: 8,
    marketPrice: '0.2',
    venueSymbols: spellMarkets('POL', { coinbase: null, kraken: null }),
    networks: listOn('5', 18, { POLYGON: ['0.1', '5'] }),
  },
  BNB: {
    name: 'BNB',
    scale: 8,
    marketPrice: '500',
    venueSymbols: spellMarkets('BNB', { coinbase: null }),
    networks: listOn('0.002', 18, { BEP20: ['0.0005', '0.01'] }),
  },
  LTC: {
    name: 'Litecoin',
    scale: 8,
    marketPrice: '70',
    venueSymbols: spellMarkets('LTC', { coinbase: null }),
    networks: listOn('0.01', 8, { LTC: ['0.001', '0.01'] }),
  },
  DOGE: {
    name: 'Dogecoin',
    scale: 8,
    marketPrice: '0.1',
    venueSymbols: spellMarkets('DOGE', { kraken: 'XDGUSDT' }),
    networks: listOn('10', 8, { DOGE: ['2', '10'] }),
  },
} as const satisfies Record<string, AssetRecord>;

export type Asset = keyof typeof assets;

/** A base symbol that trades against USDT. */
export type Coin = Exclude<Asset, typeof QUOTE_ASSET>;

export const assetSymbols = Object.keys(assets) as [Asset, ...Asset[]];

export const coinSymbols = assetSymbols.filter((asset): asset is Coin => asset !== QUOTE_ASSET);

/** The market of a coin, as documents and tickers name it. */
export function pairOf(coin: Coin): string {
  return `${coin}-${QUOTE_ASSET}`;
}

export function scaleOf(asset: Asset): number {
  return assets[asset].scale;
}

/** Atoms of USDT as a plain decimal; what is not known stays `null`. */
export function showUsdt<Value extends Atoms | null>(atoms: Value): Value extends Atoms ? string : null;
export function showUsdt(atoms: Atoms | null): string | null {
  return atoms === null ? null : formatAmount(atoms, scaleOf(QUOTE_ASSET));
}

/** A symbol in upper case, ASCII letters only: `toUpperCase` would turn a dotless ı into an I. */
export function upperSymbol(symbol: string): string {
  return symbol.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** The coin that a client means by a symbol in any case, or `undefined` outside the supported set. */
export function findCoin(symbol: string): Coin | undefined {
  const upper = upperSymbol(symbol);
  return coinSymbols.find((coin) => coin === upper);
}

export type Rounding = 'down' | 'up';

const divide = { down: divideDown, up: divideUp } as const;

// usdt / 10^usdtScale = coin / 10^coinScale * price / 10^PRICE_SCALE, kept in whole numbers.
const usdtUnit = 10n ** BigInt(scaleOf(QUOTE_ASSET));

function coinUnit(coin: Coin): bigint {
  return 10n ** BigInt(scaleOf(coin) + PRICE_SCALE);
}

export function toUsdt(coin: Coin, coinAmount: Atoms, price: Price, rounding: Rounding): Atoms {
  return divide[rounding](coinAmount * price * usdtUnit, coinUnit(coin));
}

export function toCoin(coin: Coin, usdtAmount: Atoms, price: Price, rounding: Rounding): Atoms {
  return divide[rounding](usdtAmount * coinUnit(coin), price * usdtUnit);
}
