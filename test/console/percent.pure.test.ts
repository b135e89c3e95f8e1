import { expect, it } from 'vitest';
import { readPercent, showPercent } from '../../console/pages/desk/parts/percent.ts';

it.each([
  [0, '0.00\u202F%'],
  [5, '0.05\u202F%'],
  [20, '0.20\u202F%'],
  [1_000, '10.00\u202F%'],
])('%d hundredths of a percent are shown as %s', (bps, text) => {
  expect(showPercent(bps)).toBe(text);
});

it.each([
  ['0.2', 20],
  ['0.20', 20],
  ['0.05', 5],
  ['10', 1_000],
  [' 1.25 ', 125],
  ['0.125', undefined],
  ['0,2', undefined],
  ['', undefined],
])('what is typed as %j is read as %s hundredths of a percent', (text, bps) => {
  expect(readPercent(text)).toBe(bps);
});
