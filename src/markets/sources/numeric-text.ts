import { z } from 'zod';

/** A number that a venue writes as text. No venue needs more room; a longer one would only cost time to read. */
export const NumericText = z.string().max(40);

/** The same where a row is of use without it: whatever else stands there counts as text that is no number. */
export const OptionalNumericText = NumericText.catch('');

/** A time in whole milliseconds that a venue writes as text. */
export const TimeText = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);
