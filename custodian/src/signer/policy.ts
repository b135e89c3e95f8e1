import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../../src/money/amounts.ts';
import { bitcoinNetworks, evmNetworks } from '../networks.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX);
const PerHour = z.record(z.string(), Amount);

/** What the signer may sign, kept in a file of its own that only the signer's user can write. */
export const Policy = z.strictObject({
  /** Bureau's Ed25519 public keys, in hex. Two while they are rotated. */
  bureauKeys: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .min(1)
    .max(4),
  /** Whether the public test mnemonic may be used. Never where coins are real. */
  sandbox: z.boolean().default(false),
  /** The most that payouts may move in any 3,600 s, by asset, over all networks. An asset that is not named has none. */
  payoutsPerHour: PerHour,
  networks: z.partialRecord(
    z.enum([...evmNetworks, ...bitcoinNetworks]),
    z.strictObject({
      /** The most that one transaction may pay the network, in its own coin. */
      maxFee: Amount,
      /** The one address that surplus may go to. */
      cold: z.string().min(1).max(128),
      /** The most that the gas key may hand out in any 3,600 s, in the network's own coin. */
      gasPerHour: Amount.default('0'),
    }),
  ),
});

export type Policy = z.output<typeof Policy>;
