import { expect, test } from 'vitest';
import { followStep } from '../../src/states/chain.ts';
import { countConfirmations, depositStates, nextDepositState } from '../../src/states/deposit.ts';
import { type FenceSpent, answerOf, spendStates, nextSpendState } from '../../src/states/spend.ts';

const booleans = [false, true];
const everySpent: (FenceSpent | undefined)[] = [
  undefined,
  ...booleans.flatMap((byVersion) =>
    booleans.flatMap((isReverted) =>
      booleans.flatMap((isFinal) =>
        booleans.flatMap((isAsOrdered) =>
          booleans.map((isStarved) => ({ byVersion, isReverted, isFinal, isAsOrdered, isStarved })),
        ),
      ),
    ),
  ),
];

test('only a signed spend changes its state with the chain, and final states never change', () => {
  for (const state of spendStates) {
    if (state === 'SIGNED' || state === 'INCLUDED') continue;
    for (const spent of everySpent) {
      for (const isDead of booleans) expect(nextSpendState(state, spent, isDead)).toBe(state);
    }
  }
});

test('the state of a signed spend depends only on how its fence was used, or that it never can be', () => {
  for (const spent of everySpent) {
    for (const isDead of booleans) {
      expect(nextSpendState('SIGNED', spent, isDead)).toBe(nextSpendState('INCLUDED', spent, isDead));
    }
  }
  expect(nextSpendState('INCLUDED', undefined, false)).toBe('SIGNED');
});

test('a spend gets another version only when its fence is dead, or a final block shows that it moved nothing', () => {
  expect(nextSpendState('SIGNED', undefined, true)).toBe('QUEUED');
  for (const spent of everySpent) {
    const isStarvedForGood = spent?.byVersion && spent.isFinal && spent.isStarved;
    for (const isDead of booleans) {
      const isOver = spent ? isStarvedForGood : isDead;
      expect(nextSpendState('SIGNED', spent, isDead) === 'QUEUED').toBe(isOver === true);
    }
  }
});

test('a spend ends only when the block that used its fence is final', () => {
  const next = (changes: Partial<FenceSpent>) => {
    const paid = { byVersion: true, isReverted: false, isStarved: false, isFinal: true, isAsOrdered: true };
    return nextSpendState('INCLUDED', { ...paid, ...changes }, false);
  };
  for (const isReverted of booleans) {
    expect(next({ isReverted, isFinal: false })).toBe('INCLUDED');
    expect(next({ byVersion: false, isReverted, isFinal: false })).toBe('SIGNED');
    expect(next({ byVersion: false, isReverted })).toBe('DISPLACED');
  }
  expect(next({})).toBe('FINAL_PAID');
  expect(next({ isAsOrdered: false })).toBe('DISPLACED');
  expect(next({ isReverted: true })).toBe('FINAL_REVERTED');
});

test('the answer is "sent" only for a payout in a final block, and "refused" only for a burnt id', () => {
  for (const state of spendStates) {
    const answer = answerOf(state, '0xabc', 'no such address');
    expect(answer.status === 'sent').toBe(state === 'FINAL_PAID');
    expect(answer.status === 'refused').toBe(state === 'REFUSED');
  }
  expect(answerOf('SIGNED', '0xabc', null)).toEqual({ status: 'accepted', txHash: '0xabc' });
});

test('a payout that waits is answered with its reason, whether or not it was signed, and no other state is', () => {
  expect(answerOf('HELD', null, 'hot_wallet_low')).toEqual({ status: 'held', reason: 'hot_wallet_low' });
  for (const state of spendStates) {
    expect(answerOf(state, '0xabc', 'hot_wallet_low').status === 'held').toBe(state === 'HELD');
  }
});

test('a deposit whose block was reorganised away waits, may come back, and is dead only when a conflicting transaction is final', () => {
  expect(nextDepositState('INCLUDED', { height: null, conflictHeight: null, finalHeight: 100 })).toBe('ORPHANED');
  expect(nextDepositState('ORPHANED', { height: 99, conflictHeight: null, finalHeight: 90 })).toBe('INCLUDED');
  expect(nextDepositState('ORPHANED', { height: null, conflictHeight: 95, finalHeight: 94 })).toBe('ORPHANED');
  expect(nextDepositState('ORPHANED', { height: null, conflictHeight: 95, finalHeight: 95 })).toBe('DEAD');
  expect(nextDepositState('INCLUDED', { height: 95, conflictHeight: null, finalHeight: 95 })).toBe('FINAL');
});

test('a deposit that is final or dead never changes', () => {
  for (const state of depositStates.filter((one) => one === 'FINAL' || one === 'DEAD')) {
    for (const height of [null, 5]) {
      for (const conflictHeight of [null, 5]) {
        expect(nextDepositState(state, { height, conflictHeight, finalHeight: 10 })).toBe(state);
      }
    }
  }
});

test('confirmations stay below those that credit a deposit until its block is final', () => {
  expect(countConfirmations(100, 140, 32, 99)).toBe(31);
  expect(countConfirmations(100, 140, 32, 100)).toBe(41);
  expect(countConfirmations(100, 110, 32, 99)).toBe(11);
  expect(countConfirmations(100, 105, 6, null)).toBe(6);
  expect(countConfirmations(100, 99, 6, null)).toBe(0);
});

test('a block is stored only after its parent, and a final block is never deleted', () => {
  const ours = { height: 7, hash: 'a' };
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'a' }, 7)).toEqual({ kind: 'extend' });
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'x' }, 6)).toEqual({ kind: 'roll_back' });
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'x' }, 7)).toEqual({ kind: 'halt' });
  expect(() => followStep(ours, { height: 9, hash: 'b', parent: 'a' }, 0)).toThrow();
});
