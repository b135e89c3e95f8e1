import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../money/amounts.ts';
import { assetSymbols } from '../money/assets.ts';
import { networks } from '../money/networks.ts';
import type { NetworkHoldings } from './custody.ts';
import { parseJson } from '../http/request.ts';

/** The custodian's answer to `GET /v1/holdings`. Other fields are ignored, as are networks that Bureau does not know. */
const HoldingsAnswer = z.object({
  networks: z.array(
    z.object({
      network: z.string(),
      at: z.iso.datetime().nullish(),
      halted: z.string().nullish(),
      assets: z.array(z.object({ asset: z.string(), held: z.string().regex(AMOUNT_SYNTAX).nullish() })),
    }),
  ),
});

/**
 * What the answer says, by network. A network without a time, or that is no longer followed, says nothing; 404 is a
 * custodian that says nothing at all. `undefined` when the answer is none: any other status, a body that cannot be read,
 * or one that names a network or an asset of one twice.
 */
export function readHoldings(status: number, body: string): NetworkHoldings[] | undefined {
  if (status === 404) return [];
  const answer = status === 200 ? HoldingsAnswer.safeParse(parseJson(body)).data : undefined;
  if (!answer) return undefined;
  const known = answer.networks.flatMap(({ network: name, at, halted, assets }): NetworkHoldings[] => {
    const network = networks.find((one) => one === name);
    const amounts = assets.flatMap(({ asset, held = null }) => {
      const symbol = assetSymbols.find((one) => one === asset);
      return symbol ? [[symbol, held] as const] : [];
    });
    return network && at && (halted ?? null) === null ? [{ network, at_ms: Date.parse(at), amounts }] : [];
  });
  if (isRepeated(known.map(({ network }) => network))) return undefined;
  return known.some(({ amounts }) => isRepeated(amounts.map(([asset]) => asset))) ? undefined : known;
}

function isRepeated(names: readonly string[]): boolean {
  return new Set(names).size < names.length;
}
