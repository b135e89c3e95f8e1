import { describe, expect, it } from 'vitest';
import type { SourceTicker } from '../../../src/markets/sources/price-source.ts';
import { faultOf } from '../runtime/fault-of.ts';
import { parsePrice } from '../../../src/money/amounts.ts';

/** Texts that a venue may send instead of a number. */
export const unreadableNumbers: readonly (readonly [name: string, value: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['empty text', ''],
  ['a blank', ' '],
  ['nan', 'nan'],
  ['NaN', 'NaN'],
  ['infinity', 'Infinity'],
  ['a dash', '-'],
  ['a decimal comma', '1,5'],
  ['a JSON number, which may have lost digits', 65000.1],
  ['a boolean', true],
  ['a list', ['65000.1']],
  ['200 digits', '9'.repeat(200)],
  ['an exponent beyond any market', '1e999'],
];

export const impossiblePrices: readonly (readonly [name: string, value: string])[] = [
  ['zero', '0'],
  ['zero with decimals', '0.00000000'],
  ['less than zero', '-65000.1'],
  ['too little for 8 decimals', '0.000000001'],
  ['ten billion', '1e10'],
];

/** The fields of one market that a test may replace; `undefined` leaves the field out. */
export interface TickerChange {
  readonly price?: unknown;
  readonly open?: unknown;
  readonly volume?: unknown;
}

/**
 * The guarantees about numbers that every parser of tickers gives. `read` parses an answer with two markets: BTC with
 * the change, and a valid ETH. `noPrevious` are invalid values of the field from which the venue's open is computed;
 * leave it out when the venue gives no open.
 */
export function testTickerEdges(
  read: (change: TickerChange) => SourceTicker[],
  noPrevious?: readonly (readonly [name: string, value: string])[],
): void {
  const bitcoin = (change: TickerChange) => read(change).find(({ coin }) => coin === 'BTC');

  it.each([...unreadableNumbers, ...impossiblePrices])(
    'skip a row whose price is %s, and only that row',
    (_, price) => {
      expect(read({ price }).map(({ coin }) => coin)).toEqual(['ETH']);
    },
  );

  it.each([
    ['6.50001e4', '65000.1'],
    ['6.50001E+4', '65000.1'],
    ['65000.10000000000000', '65000.1'],
    ['1e-8', '0.00000001'],
  ])('read a price of %s', (price, plain) => {
    expect(bitcoin({ price })?.price).toBe(parsePrice(plain));
  });

  // 1e999 is absurd, but no bound for volumes would be certain.
  it.each([...unreadableNumbers.filter(([, value]) => value !== '1e999'), ['less than zero', '-1'] as const])(
    'keep the price of a row whose volume is %s',
    (_, volume) => {
      expect(bitcoin({ volume })).toMatchObject({ price: expect.any(BigInt), volume24h: null });
    },
  );

  it.each([
    ['0.00000000', '0'],
    ['1.5e3', '1500'],
    ['33278.39129000', '33278.39129'],
  ])('read a volume of %s as %s', (volume, plain) => {
    expect(bitcoin({ volume })?.volume24h).toBe(plain);
  });

  if (!noPrevious) return;
  describe('keep the price of a row without an open when the field for it', () => {
    it.each([...unreadableNumbers, ...noPrevious])('is %s', (_, open) => {
      expect(bitcoin({ open })).toMatchObject({ price: expect.any(BigInt), open24h: null });
    });
  });
}

/**
 * The guarantees that every parser of a list of rows gives. `names` are a row's fields for the numbers, and `other` are
 * the fields of an ETH row.
 */
export function testTickers(
  read: (...rows: unknown[]) => SourceTicker[],
  row: (fields?: object) => Readonly<Record<string, unknown>>,
  names: Readonly<Record<keyof TickerChange, string>>,
  other: object,
  noPrevious?: readonly (readonly [name: string, value: string])[],
): void {
  testTickerEdges((change) => read(changeFields(row(), names, change), row(other)), noPrevious);

  it.each([null, 'text', 7, []])('skip a row that is %j', (entry) => {
    expect(read(entry, row())).toHaveLength(1);
  });

  it('count a coin once, with its last row, however often it is listed', () => {
    expect(read(row(), row({ [names.price]: '1' }))).toMatchObject([{ price: parsePrice('1') }]);
  });
}

/** Answers that are refused as a whole, each with the fault that is found in it. */
export function testRefusedAnswers(
  parse: (answer: unknown) => unknown,
  answers: readonly (readonly [unknown, string])[],
) {
  it.each(answers)('are refused as a whole when the answer is %j: %s', (answer, fault) => {
    expect(faultOf(() => parse(answer))).toBe(fault);
  });
}

/** A record with the changed fields, under the venue's names. A field that changes to `undefined` is left out. */
function changeFields(
  row: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
  change: TickerChange,
): Record<string, unknown> {
  const changed = { ...row };
  for (const [field, value] of Object.entries(change)) {
    const name = names[field] ?? field;
    if (value === undefined) delete changed[name];
    else changed[name] = value;
  }
  return changed;
}
