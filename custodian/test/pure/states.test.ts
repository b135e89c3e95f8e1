import { expect, test } from 'vitest';
import { followStep } from '../../src/states/chain.ts';
import { countConfirmations, depositStates, standDeposit } from '../../src/states/deposit.ts';
import { type FenceSpent, answerOf, spendStates, standSpend } from '../../src/states/spend.ts';

const booleans = [false, true];
const everySpent: (FenceSpent | undefined)[] = [
  undefined,
  ...booleans.flatMap((byVersion) =>
    booleans.flatMap((isReverted) => booleans.map((isFinal) => ({ byVersion, isReverted, isFinal }))),
  ),
];

test('only a signed spend is moved by the chain, and an end is an end', () => {
  for (const state of spendStates) {
    if (state === 'SIGNED' || state === 'INCLUDED') continue;
    for (const spent of everySpent) expect(standSpend(state, spent)).toBe(state);
  }
});

test('a spend is where its fence is, whatever it was before', () => {
  for (const spent of everySpent) expect(standSpend('SIGNED', spent)).toBe(standSpend('INCLUDED', spent));
  expect(standSpend('INCLUDED', undefined)).toBe('SIGNED');
});

test('nothing ends before the block is final, and another transaction’s fence only then', () => {
  for (const isReverted of booleans) {
    expect(standSpend('SIGNED', { byVersion: true, isReverted, isFinal: false })).toBe('INCLUDED');
    expect(standSpend('SIGNED', { byVersion: false, isReverted, isFinal: false })).toBe('SIGNED');
    expect(standSpend('INCLUDED', { byVersion: false, isReverted, isFinal: true })).toBe('DISPLACED');
  }
  expect(standSpend('INCLUDED', { byVersion: true, isReverted: false, isFinal: true })).toBe('FINAL_PAID');
  expect(standSpend('INCLUDED', { byVersion: true, isReverted: true, isFinal: true })).toBe('FINAL_REVERTED');
});

test('Bureau hears sent only of what is final and paid, and refused only of what is burnt', () => {
  for (const state of spendStates) {
    const answer = answerOf(state, '0xabc', 'no such address');
    expect(answer.status === 'sent').toBe(state === 'FINAL_PAID');
    expect(answer.status === 'refused').toBe(state === 'REFUSED');
  }
  expect(answerOf('SIGNED', '0xabc', null)).toEqual({ status: 'accepted', txHash: '0xabc' });
  expect(answerOf('HELD', null, 'hot_wallet_low')).toEqual({ status: 'accepted' });
});

test('a reorganised deposit waits, comes back, and dies only when what excludes it is final', () => {
  expect(standDeposit('INCLUDED', { height: null, conflictHeight: null, finalHeight: 100 })).toBe('ORPHANED');
  expect(standDeposit('ORPHANED', { height: 99, conflictHeight: null, finalHeight: 90 })).toBe('INCLUDED');
  expect(standDeposit('ORPHANED', { height: null, conflictHeight: 95, finalHeight: 94 })).toBe('ORPHANED');
  expect(standDeposit('ORPHANED', { height: null, conflictHeight: 95, finalHeight: 95 })).toBe('DEAD');
  expect(standDeposit('INCLUDED', { height: 95, conflictHeight: null, finalHeight: 95 })).toBe('FINAL');
});

test('a deposit that is final or dead stays so', () => {
  for (const state of depositStates.filter((one) => one === 'FINAL' || one === 'DEAD')) {
    for (const height of [null, 5]) {
      for (const conflictHeight of [null, 5]) {
        expect(standDeposit(state, { height, conflictHeight, finalHeight: 10 })).toBe(state);
      }
    }
  }
});

test('confirmations stay below what credits a deposit until the chain calls its block final', () => {
  expect(countConfirmations(100, 140, 32, 99)).toBe(31);
  expect(countConfirmations(100, 140, 32, 100)).toBe(41);
  expect(countConfirmations(100, 110, 32, 99)).toBe(11);
  expect(countConfirmations(100, 105, 6, null)).toBe(6);
  expect(countConfirmations(100, 99, 6, null)).toBe(0);
});

test('a block is taken in only upon its parent, and what is final is never taken back', () => {
  const ours = { height: 7, hash: 'a' };
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'a' }, 7)).toEqual({ kind: 'extend' });
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'x' }, 6)).toEqual({ kind: 'roll_back' });
  expect(followStep(ours, { height: 8, hash: 'b', parent: 'x' }, 7)).toEqual({ kind: 'halt' });
  expect(() => followStep(ours, { height: 9, hash: 'b', parent: 'a' }, 0)).toThrow();
});
