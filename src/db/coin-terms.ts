import { z } from 'zod';
import { QUOTE_ASSET, coinSymbols, scaleOf } from '../money/assets.ts';
import { AMOUNT_SYNTAX, type Atoms, parseAmount } from '../money/amounts.ts';

const Usdt = z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string');

/** How the house's position of a coin is covered. Amounts are in USDT; each ledger has its part of them. */
export const HedgingTerms = z
  .strictObject({
    /** The venue account at the dealer. */
    venue: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'is not a name of a venue'),
    /** Above `outer` the position is hedged at once, above `inner` after `maxAgeSeconds`; each time back to `inner`. */
    outer: Usdt,
    inner: Usdt,
    maxAgeSeconds: z.int().min(1).max(86_400),
    /** How much worse than the market's middle a hedge may be, in hundredths of a percent. */
    limitBps: z.int().min(1).max(1_000),
    /** The largest hedge. */
    maxHedge: Usdt,
    /** The venue's fee, in hundredths of a percent: as much more is set aside for a purchase. */
    feeBps: z.int().min(0).max(1_000),
  })
  .refine(({ outer, inner }) => Number(inner) <= Number(outer), { path: ['inner'], message: 'is above outer' });

export type HedgingTerms = z.output<typeof HedgingTerms>;

/** What holds of a coin instead of the exchange's own: its spread, its largest order in USDT, and how it is hedged. */
export const CoinTerms = z.partialRecord(
  z.enum(coinSymbols),
  z.strictObject({
    spreadBps: z.int().min(0).max(1_000).optional(),
    maxNotional: Usdt.optional(),
    hedging: HedgingTerms.optional(),
  }),
);

export type CoinTerms = z.output<typeof CoinTerms>;

/** An amount of USDT in atoms, of the settings, which are checked when they are set; rounded down. */
export function usdtAtoms(text: string): Atoms {
  const atoms = parseAmount(text, scaleOf(QUOTE_ASSET));
  if (atoms === undefined) throw new Error(`${text} USDT is finer than the ledger`);
  return atoms;
}
