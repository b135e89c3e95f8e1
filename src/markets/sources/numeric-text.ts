import { z } from 'zod';

/** A number that a venue writes as text. No venue needs more room; a longer one would only cost time to read. */
export const NumericText = z.string().max(40);
