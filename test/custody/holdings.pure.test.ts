import { describe, expect, it } from 'vitest';
import { NEVER_ASKED, isSilent } from '../../src/db/custody-standing.ts';
import { type Asset, assets } from '../../src/money/assets.ts';
import type { NetworkHoldings } from '../../src/custody/custody.ts';
import { judgeCover } from '../../src/custody/judge-cover.ts';
import { readHoldings } from '../../src/custody/read-holdings.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const AT = new Date(NOW_MS).toISOString();

const say = (networks: unknown) => readHoldings(200, JSON.stringify({ networks }));
const onLtc = (change: Record<string, unknown> = {}) => ({
  network: 'LTC',
  at: AT,
  assets: [{ asset: 'LTC', amount: '9', held: '5.5' }],
  ...change,
});

describe('what a custodian says that it holds', () => {
  it('is read network by network', () => {
    expect(say([onLtc()])).toEqual([{ network: 'LTC', at_ms: NOW_MS, amounts: [['LTC', '5.5']] }]);
    expect(say([])).toEqual([]);
  });

  it('is nothing of a network without a time or that is halted, and of networks and assets that are unknown here', () => {
    for (const change of [{ at: undefined }, { at: null }, { halted: 'a reorganisation' }, { network: 'NEAR' }]) {
      expect(say([onLtc(change)])).toEqual([]);
    }
    expect(say([onLtc({ assets: [{ asset: 'XRP', held: '1' }] })])).toEqual([
      { network: 'LTC', at_ms: NOW_MS, amounts: [] },
    ]);
    expect(say([onLtc({ assets: [{ asset: 'LTC', amount: '9' }] })])?.[0]?.amounts).toEqual([['LTC', null]]);
  });

  it.each([
    [401, '{"error":"signature"}'],
    [500, ''],
    [200, '<html>'],
    [200, '{}'],
    [200, JSON.stringify({ networks: [onLtc({ at: 'yesterday' })] })],
    [200, JSON.stringify({ networks: [onLtc({ assets: [{ asset: 'LTC', held: '-1' }] })] })],
    [200, JSON.stringify({ networks: [onLtc({ assets: [{ asset: 'LTC', held: 1 }] })] })],
    [200, JSON.stringify({ networks: [onLtc(), onLtc()] })],
    [200, JSON.stringify({ networks: [onLtc({ assets: [{ asset: 'LTC' }, { asset: 'LTC' }] })] })],
  ])('is no answer: %i %s', (status, body) => {
    expect(readHoldings(status, body)).toBeUndefined();
  });

  it('is nothing at all with 404', () => {
    expect(readHoldings(404, 'no such route')).toEqual([]);
  });
});

const everywhere = (asset: Asset, held: string | null, at_ms = NOW_MS): NetworkHoldings[] =>
  assets[asset].networks.map(({ network }) => ({ network, at_ms, amounts: [[asset, held]] }));

const due = (atoms: bigint) => new Map<Asset, bigint>([['USDC', atoms]]);

function judge(holdings: readonly NetworkHoldings[], before = 0, [one, other] = [10n, 10n]) {
  const known = { USDC: { held: null, cover: 'unknown', shortfalls: before } } as const;
  return judgeCover(holdings, due(one ?? 0n), due(other ?? 0n), known, NOW_MS).USDC;
}

describe('custody', () => {
  const networks = assets.USDC.networks.length;

  it('covers the ledger when all networks together hold what is due, to the atom', () => {
    expect(judge(everywhere('USDC', '1'), 2, [BigInt(networks) * 1_000_000n, 0n])).toEqual({
      held: String(networks),
      cover: 'covered',
      shortfalls: 0,
    });
    const most = BigInt(networks) * 1_000_000n;
    expect(judge(everywhere('USDC', '1'), 0, [most + 1n, most + 1n])).toMatchObject({
      cover: 'shortfall',
      shortfalls: 1,
    });
  });

  it('is judged by the smaller of what was due before and after it answered', () => {
    expect(judge(everywhere('USDC', '0'), 0, [10n, 0n]).cover).toBe('covered');
    expect(judge(everywhere('USDC', '0'), 0, [0n, 10n]).cover).toBe('covered');
    expect(judge(everywhere('USDC', '0')).cover).toBe('shortfall');
  });

  it('is unknown, never short, while one network is missing, silent about it, old or of the future', () => {
    const all = everywhere('USDC', '0');
    const [first, ...rest] = all;
    if (!first) throw new Error('no network');
    for (const holdings of [
      [],
      rest,
      [{ ...first, amounts: [['USDC', null]] }, ...rest] as NetworkHoldings[],
      [{ ...first, at_ms: NOW_MS - 300_001 }, ...rest],
      [{ ...first, at_ms: NOW_MS + 60_001 }, ...rest],
    ]) {
      expect(judge(holdings, 2)).toEqual({ held: null, cover: 'unknown', shortfalls: 2 });
    }
    expect(judge([{ ...first, at_ms: NOW_MS - 300_000 }, ...rest], 2)).toMatchObject({ shortfalls: 3 });
  });
});

it('a custodian is silent when it has not answered for three minutes, and not before it was asked', () => {
  expect(isSilent(NEVER_ASKED, NOW_MS)).toBe(false);
  const asked = { ...NEVER_ASKED, firstAskedAt: NOW_MS - 180_000 };
  expect(isSilent(asked, NOW_MS)).toBe(false);
  expect(isSilent(asked, NOW_MS + 1)).toBe(true);
  expect(isSilent({ ...asked, answeredAt: NOW_MS }, NOW_MS + 180_000)).toBe(false);
  expect(isSilent({ ...asked, answeredAt: NOW_MS }, NOW_MS + 180_001)).toBe(true);
});
