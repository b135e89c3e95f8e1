import { describe, expect, it } from 'vitest';
import { describeAssets, describeExchange } from '../../src/exchange/describe-exchange.ts';
import type { Settings } from '../../src/db/settings.ts';
import { assetSymbols, coinSymbols } from '../../src/money/assets.ts';
import { type Network, networks } from '../../src/money/networks.ts';
import { readAddress } from '../../src/addresses/validate-address.ts';
import { addressCases } from '../support/addresses/address-cases.ts';
import { addressVectors } from '../support/addresses/address-vectors.ts';
import { settings } from '../support/operator/settings.ts';

function listNetworks(changes: Partial<Settings> = {}) {
  return describeAssets({ ...settings, ...changes }, []).assets.flatMap(({ asset, networks: listed }) =>
    listed.map((one) => ({ asset, ...one })),
  );
}

const find = (changes: Partial<Settings>, asset: string, network: string) =>
  listNetworks(changes).find((one) => one.asset === asset && one.network === network);

describe('the assets', () => {
  it('are all nine, in the order of the specification, each on every network that carries it', () => {
    expect(describeAssets(settings, []).assets.map(({ asset }) => asset)).toEqual(assetSymbols);
    expect(listNetworks()).toHaveLength(26);
    expect(new Set(listNetworks().map(({ network }) => network))).toEqual(new Set(networks));
  });

  it('have the contract of a token, and none of a coin', () => {
    expect(find({}, 'USDT', 'TRC20')?.contractAddress).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    expect(find({}, 'BTC', 'BTC')?.contractAddress).toBeNull();
  });

  it('show the operator’s fees and minimums if set, without trailing zeros', () => {
    const changes = {
      fees: { USDT: { TRC20: '1.50' } },
      minimums: { USDT: { TRC20: '0' } },
      depositMinimums: { USDT: { TRC20: '2.50' }, BTC: { BTC: '0' } },
    };
    expect(find({}, 'USDT', 'TRC20')).toMatchObject({ withdrawFee: '1', minWithdrawal: '5', minDeposit: '1' });
    expect(find(changes, 'USDT', 'TRC20')).toMatchObject({
      withdrawFee: '1.5',
      minWithdrawal: '0.000001',
      minDeposit: '2.5',
    });
    expect(find(changes, 'BTC', 'BTC')?.minDeposit).toBe('0.00000001');
    expect(find(changes, 'USDT', 'ETH')).toMatchObject({ withdrawFee: find({}, 'USDT', 'ETH')?.withdrawFee });
  });

  it('cannot be withdrawn on a paused network, or anywhere under a halt; deposits go on', () => {
    const stopped = (changes: Partial<Settings>) =>
      listNetworks(changes).filter(({ withdrawEnabled }) => !withdrawEnabled);
    expect(stopped({})).toEqual([]);
    expect(new Set(stopped({ pausedNetworks: ['SOL', 'BTC'] }).map(({ network }) => network))).toEqual(
      new Set(['SOL', 'BTC']),
    );
    expect(stopped({ withdrawalsHalted: true })).toHaveLength(26);
    expect(listNetworks({ withdrawalsHalted: true }).every(({ depositEnabled }) => depositEnabled)).toBe(true);
  });

  it('take no deposits where these are paused, by network or by asset, or where nobody watches the network', () => {
    const standing = (changes: Partial<Settings>, unserved: Network[] = []) =>
      describeAssets({ ...settings, ...changes }, unserved).assets.flatMap(({ asset, networks: on }) =>
        on.map(({ network, deposits, depositEnabled }) => {
          expect(depositEnabled).toBe(deposits === 'OPEN');
          return { asset, network, deposits };
        }),
      );
    const closed = (...given: Parameters<typeof standing>) =>
      standing(...given).filter(({ deposits }) => deposits !== 'OPEN');
    expect(closed({})).toEqual([]);
    expect(closed({ pausedDeposits: { networks: ['LTC'], assets: [] } })).toEqual([
      { asset: 'LTC', network: 'LTC', deposits: 'PAUSED' },
    ]);
    const ofUsdc = closed({ pausedDeposits: { networks: [], assets: ['USDC'] } });
    expect(new Set(ofUsdc.map(({ asset }) => asset))).toEqual(new Set(['USDC']));
    expect(ofUsdc).toHaveLength(standing({}).filter(({ asset }) => asset === 'USDC').length);
    const unserved = closed({ pausedDeposits: { networks: ['SOL'], assets: [] } }, ['SOL', 'TRC20']);
    expect(new Set(unserved.map(({ network, deposits }) => `${network} ${deposits}`))).toEqual(
      new Set(['SOL UNSERVED', 'TRC20 UNSERVED']),
    );
  });

  it('have a pattern that every address of the network matches', () => {
    const patterns = new Map(listNetworks().map((one) => [one.network, new RegExp(one.addressPattern)]));
    const known = [
      ...addressVectors.map(({ network, address }) => ({ network, text: address })),
      ...addressCases.filter(({ verdict }) => verdict === 'address'),
    ];
    for (const { network, text } of known) {
      expect(readAddress(network, text)).toBeDefined();
      expect(text).toMatch(patterns.get(network) ?? 'a pattern');
    }
    expect(new Set(known.map(({ network }) => network))).toEqual(new Set(networks));
    for (const { text, network } of known) expect(` ${text}`).not.toMatch(patterns.get(network) ?? '');
  });
});

describe('the exchange', () => {
  const now_ms = Date.UTC(2026, 10, 21, 12);
  const boundsOf = (coin: string) => ({ min: coin === 'DOGE' ? 5_500_000n : 1_000_000n, max: 50_000_000_000n });
  const trading = { spread_bps: 20, minSpread_bps: 10, boundsOf };

  it('lists every market with its steps and bounds', () => {
    const { symbols } = describeExchange(settings, trading, now_ms);
    expect(symbols.map(({ symbol }) => symbol)).toEqual(coinSymbols);
    expect(symbols.find(({ symbol }) => symbol === 'DOGE')).toEqual({
      symbol: 'DOGE',
      pair: 'DOGE-USDT',
      base: 'DOGE',
      quote: 'USDT',
      status: 'TRADING',
      baseStep: '0.00000001',
      quoteStep: '0.000001',
      minNotional: '5.5',
      maxNotional: '50000',
      spreadBps: 20,
    });
    expect(symbols.find(({ symbol }) => symbol === 'USDC')?.baseStep).toBe('0.000001');
  });

  it.each([
    ['the configured one', null, 20],
    ['the operator’s', 35, 35],
    ['never less than the least', 0, 10],
  ])('tells the spread in force: %s', (_, spreadBps, shown) => {
    const { symbols } = describeExchange({ ...settings, spreadBps }, trading, now_ms);
    expect(new Set(symbols.map((symbol) => symbol.spreadBps))).toEqual(new Set([shown]));
  });

  it.each([
    ['trading', { tradingHalted: true }, coinSymbols],
    ['a coin', { haltedCoins: ['DOGE'] }, ['DOGE']],
    ['nothing', {}, []],
  ] as const)('says that the operator has halted %s', (_, changes, halted) => {
    const { symbols } = describeExchange({ ...settings, ...changes }, trading, now_ms);
    expect(symbols.flatMap(({ symbol, status }) => (status === 'HALTED' ? symbol : []))).toEqual(halted);
    expect(symbols.filter(({ status }) => status === 'TRADING')).toHaveLength(coinSymbols.length - halted.length);
  });

  it('names the intervals, the default limits of a key and its own time', () => {
    const { intervals, rateLimits, serverTime } = describeExchange(settings, trading, now_ms);
    expect(intervals).toHaveLength(13);
    expect(rateLimits).toEqual([
      { bucket: 'read', perMinute: 120, perDay: 5_000 },
      { bucket: 'trade', perMinute: 30, perDay: 500 },
      { bucket: 'withdraw', perMinute: 30, perDay: 200 },
    ]);
    expect(serverTime).toBe('2026-11-21T12:00:00.000Z');
  });
});
