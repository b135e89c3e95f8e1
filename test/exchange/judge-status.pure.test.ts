import { describe, expect, it } from 'vitest';
import { judgeStatus } from '../../src/exchange/judge-status.ts';
import type { MarketSnapshot } from '../../src/markets/snapshot.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { settings } from '../support/operator/settings.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);

function snapshotOf(age_ms: number): MarketSnapshot {
  const agreed = { price: 100_000_000n, dispersion: 0n, received_ms: NOW_MS - age_ms, venueTime_ms: null };
  const markets = Object.fromEntries(coinSymbols.map((coin) => [coin, { shown: null, agreed }]));
  return {
    taken_ms: NOW_MS - age_ms,
    markets: markets as MarketSnapshot['markets'],
    fallbacks: {},
  };
}

const fresh = snapshotOf(1_000);
const working = { isSilent: false, oldestPayoutAt: null, lateAfter_ms: 60_000 };
const halt = (changes: Partial<typeof settings>) => judgeStatus({ ...settings, ...changes }, fresh, working, NOW_MS);

describe('the status', () => {
  it('is OK when nothing is halted and every market has a price at which orders fill', () => {
    expect(judgeStatus(settings, fresh, working, NOW_MS)).toEqual({
      status: 'OK',
      trading: 'OK',
      withdrawals: 'OK',
      prices: 'OK',
    });
  });

  it('says what is halted, and is then HALTED', () => {
    const whole = { status: 'HALTED', trading: 'OK', withdrawals: 'OK', prices: 'OK' };
    expect(halt({ tradingHalted: true })).toEqual({ ...whole, trading: 'HALTED' });
    expect(halt({ withdrawalsHalted: true })).toEqual({ ...whole, withdrawals: 'HALTED' });
  });

  it('is DEGRADED for trading while no market has a price at which an order could fill', () => {
    for (const snapshot of [snapshotOf(5_001), undefined]) {
      const degraded = { status: 'DEGRADED', trading: 'DEGRADED', withdrawals: 'OK', prices: 'DEGRADED' };
      expect(judgeStatus(settings, snapshot, working, NOW_MS)).toEqual(degraded);
      expect(judgeStatus({ ...settings, tradingHalted: true }, snapshot, working, NOW_MS).trading).toBe('HALTED');
    }
  });

  it('is DEGRADED when any market has no fresh agreed price', () => {
    const one = { ...fresh, markets: { ...fresh.markets, DOGE: { ...fresh.markets.DOGE, agreed: null } } };
    for (const snapshot of [one, snapshotOf(5_001), undefined]) {
      expect(judgeStatus(settings, snapshot, working, NOW_MS)).toMatchObject({
        status: 'DEGRADED',
        prices: 'DEGRADED',
      });
    }
    expect(judgeStatus(settings, one, working, NOW_MS).trading).toBe('OK');
    expect(judgeStatus({ ...settings, tradingHalted: true }, one, working, NOW_MS).status).toBe('HALTED');
  });

  it('is DEGRADED for withdrawals when the custodian is silent or unknown, or a payout is late', () => {
    const judge = (payouts: Parameters<typeof judgeStatus>[2]) => judgeStatus(settings, fresh, payouts, NOW_MS);
    const degraded = { status: 'DEGRADED', trading: 'OK', withdrawals: 'DEGRADED', prices: 'OK' };
    expect(judge({ ...working, isSilent: true })).toEqual(degraded);
    expect(judge(undefined)).toEqual(degraded);
    expect(judge({ ...working, oldestPayoutAt: NOW_MS - 60_001 })).toEqual(degraded);
    expect(judge({ ...working, oldestPayoutAt: NOW_MS - 60_000 }).withdrawals).toBe('OK');
    expect(judgeStatus({ ...settings, withdrawalsHalted: true }, fresh, undefined, NOW_MS).withdrawals).toBe('HALTED');
  });

  it('is DEGRADED, and calls nothing halted, when the ledger cannot be read', () => {
    expect(judgeStatus(undefined, fresh, working, NOW_MS)).toEqual({
      status: 'DEGRADED',
      trading: 'DEGRADED',
      withdrawals: 'DEGRADED',
      prices: 'OK',
    });
  });
});
