import { z } from 'zod';

/** A number that a venue writes as text. No venue writes longer ones, which would only take time to parse. */
export const NumericText = z.string().max(40);

/** The same for an optional field: any other value counts as text that is no number. */
export const OptionalNumericText = NumericText.catch('');

/** A time in whole milliseconds that a venue writes as text. */
export const TimeText = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);
