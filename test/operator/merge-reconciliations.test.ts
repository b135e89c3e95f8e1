import { describe, expect, it } from 'vitest';
import { NO_PROGRESS } from '../../src/reconciliation/progress.ts';
import { mergeReconciliations } from '../../src/operator/merge-reconciliations.ts';
import { type LedgerReconciliation, showReconciliation } from '../../src/operator/reconciliation.ts';

const nothing = showReconciliation({ progress: NO_PROGRESS, links: { transfers: null, audit: null } }, []);

function withDebts(debts: Record<string, string>): LedgerReconciliation {
  const invariants = nothing.invariants.map(({ name, ...others }) => {
    const figures = { checked: '9', broken: '0', ...(name === 'debts_within_caps' && { BTC: debts }) };
    return { ...others, name, status: 'ok' as const, figures };
  });
  return { ...nothing, status: 'ok', invariants };
}

function judge(...ledgers: Record<string, string>[]) {
  const merged = mergeReconciliations(ledgers.map((debts, ledger) => ({ ledger, answer: withDebts(debts) })));
  const { status, examples } = merged.invariants.find(({ name }) => name === 'debts_within_caps')!;
  return { status, examples };
}

const caps = { supplyCap: '10', exposure: '2' };

describe('the debts of all ledgers together', () => {
  it('are within all caps and exposures, where more may be owed for what moved in', () => {
    const giver = { ...caps, broughtIn: '10', owed: '3', movedIn: '-7' };
    const taker = { ...caps, broughtIn: '10', owed: '19', movedIn: '7' };
    expect(judge(giver, taker)).toEqual({ status: 'ok', examples: [] });
    expect(judge({ ...giver, owed: '6', atVenues: '1' }, { ...taker, atVenues: '2' })).toMatchObject({ status: 'ok' });
  });

  it('are found to be beyond them although each ledger found its own within', () => {
    const sums = { supplyCap: '20', exposure: '4', movedIn: '0' };
    const first = { ...caps, broughtIn: '10', owed: '12', movedIn: '0' };
    expect(judge(first, { ...first, owed: '12.00000001' })).toEqual({
      status: 'broken',
      examples: [{ asset: 'BTC', ...sums, broughtIn: '20', owed: '24.00000001' }],
    });
    expect(judge(first, { ...first, broughtIn: '10.00000001' })).toEqual({
      status: 'broken',
      examples: [{ asset: 'BTC', ...sums, broughtIn: '20.00000001', owed: '24' }],
    });
  });
});
