import { expect, test } from 'vitest';
import { type Status, tellTroubles } from '../../console/pages/troubles.ts';

const ALL: Status = { trading: 'OK', withdrawals: 'OK', prices: 'OK' };
const tell = (status: Partial<Status>) => tellTroubles({ ...ALL, ...status });

test('nothing is told while all works', () => expect(tell({})).toBeUndefined());

test('two halts are one trouble, with what still works', () => {
  expect(tell({ trading: 'HALTED', withdrawals: 'HALTED' })).toEqual({
    what: 'Trading and withdrawals are halted by the exchange.',
    more: 'New orders and withdrawals are refused. Withdrawals sent before may be late. Deposits work as usual, and your coins stay where they are.',
  });
});

test.each([
  [{ trading: 'HALTED' }, 'Trading is halted by the exchange.', 'Withdrawals and deposits work as usual'],
  [{ withdrawals: 'HALTED' }, 'Withdrawals are halted by the exchange.', 'New withdrawals are refused. '],
  [{ withdrawals: 'HALTED' }, 'Withdrawals are halted by the exchange.', 'Trading and deposits work as usual'],
  [{ trading: 'DEGRADED' }, 'Orders cannot fill at the moment.', 'Withdrawals and deposits work as usual'],
  [{ prices: 'DEGRADED' }, 'Some coins have no price at the moment.', 'Withdrawals and deposits work as usual'],
  [
    { trading: 'HALTED', withdrawals: 'DEGRADED' },
    'Trading is halted by the exchange. Withdrawals take longer than usual.',
    ' Deposits work as usual',
  ],
] as const)('%j is told, with what still works', (status, what, working) => {
  const trouble = tell(status);
  expect(trouble?.what).toBe(what);
  expect(trouble?.more).toContain(working);
});
