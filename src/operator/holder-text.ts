import { z } from '@hono/zod-openapi';

/** What a program could make a link of: whoever writes to holders sends nobody anywhere. */
const LINK = /:\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2,}/iu;

/** A line of plain text that holders are told, without a link and of at most so many characters. */
export function holderText(most: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/\p{Cc}/u.test(text), 'is more than a line of text')
    .refine((text) => !LINK.test(text), 'has something like a link; write a space after each full stop');
}
