import { z } from 'zod';
import { type Coin, assets } from '../../money/assets.ts';
import type { Venue } from '../../money/venue-symbols.ts';
import type { MarketCandle } from '../candles/candle-source.ts';
import { SourceError, type SourceFault } from './source-error.ts';

/** A number that a venue writes as text. No venue writes longer ones, which would only take time to parse. */
const NumericText = z.string().max(40);

/** The same where any other value counts as text that is no number. */
export function textOf(value: unknown): string {
  return NumericText.catch('').parse(value);
}

/** A time in whole milliseconds that a venue writes as text. */
export const TimeText = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** A row of candles: its start, five numbers, and more that Bureau does not use. */
export function candleRow<Start extends z.ZodType<number>>(start: Start) {
  return z.tuple([start, NumericText, NumericText, NumericText, NumericText, NumericText], z.unknown());
}

/** The candle of a row in the usual order: start in milliseconds, open, high, low, close, volume in the base. */
export function toCandle([start_ms, open, high, low, close, volume]: z.output<
  ReturnType<typeof candleRow>
>): MarketCandle {
  return { start_ms, open, high, low, close, volume };
}

/** What the codes of a venue's errors mean; all others mean that it is unavailable. */
export type Faults = ReadonlyMap<unknown, SourceFault>;

/**
 * An answer in the shape that it has when all is well. Throws a `SourceError` for any other, of the fault that its code
 * means, which is the member `codeField` of the answer.
 */
export function readAnswer<Shape>(Shape: z.ZodType<Shape>, answer: unknown, codeField: string, faults: Faults): Shape {
  const read = Shape.safeParse(answer);
  if (read.success) return read.data;
  throw new SourceError('answered with an error or in another shape', {
    fault: faults.get(fieldOf(answer, codeField)),
  });
}

/** A member of a value from outside; `undefined` where it is no object or has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The market of a coin as a venue spells it. Throws a `SourceError` when the venue does not list it. */
export function symbolAt(venue: Venue, coin: Coin): string {
  const symbol = assets[coin].venueSymbols[venue];
  if (symbol === null) throw new SourceError('does not list the coin', { fault: 'question_refused' });
  return symbol;
}
