import { expect, it } from 'vitest';
import { type OpenHedge, readEnd } from '../../src/dealing/hedge-book.ts';

const hedge: OpenHedge = {
  id: 'h',
  venue: 'v',
  coin: 'BTC',
  side: 'BUY',
  coinAmount: 1_000_000n,
  limitPrice: 6_000_000_000_000n,
  setAside: 700_000_000n,
  sendBy_ms: 0,
};

type Dealt = Parameters<typeof readEnd>[1];

const dealt: Dealt = {
  kind: 'dealt',
  amount: '0.009000009',
  cost: '539.9999991',
  fee: { asset: 'USDT', amount: '0.1000001' },
  reference: '28',
};

it('what a hedge moved is rounded against the house, its fee as well', () => {
  const fee = { asset: 'USDT', amount: 100_001n };
  expect(readEnd(hedge, dealt)).toEqual({ coin: 900_000n, usdt: 540_000_000n, fee, isWorse: false });
  const sale = { ...hedge, side: 'SELL', setAside: 1_000_000n } as const;
  expect(readEnd(sale, dealt)).toEqual({ coin: 900_001n, usdt: 539_999_999n, fee, isWorse: true });
});

it.each<[string, Partial<Dealt>]>([
  ['more was dealt than ordered', { amount: '0.01000001' }],
  ['more was dealt than set aside', { cost: '700.0000001' }],
  ['the fee is in XRP', { fee: { asset: 'XRP', amount: '1' } }],
  ['less than an atom was dealt', { amount: '0.000000009' }],
])('it is not believed that %s', (reason, change) => {
  expect(readEnd(hedge, { ...dealt, ...change })).toBe(reason);
});
