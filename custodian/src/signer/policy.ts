import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../../src/money/amounts.ts';
import { servedNetworks } from '../networks.ts';

const Amount = z.string().regex(AMOUNT_SYNTAX);
const PerHour = z.record(z.string(), Amount);

const Gas = z.number().int().min(21_000).max(16_777_216);

/** A bound of gas: of payments in the network's coin, and of calls of a token. EIP-7825 allows no transaction more. */
export const MaxGas = z.strictObject({ coin: Gas, token: Gas });

/** What the signer may sign. It is a file that only the signer's user can write. */
export const Policy = z.strictObject({
  /** Bureau's Ed25519 public keys, in hex. There are two while a key is rotated. */
  bureauKeys: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .min(1)
    .max(4),
  /** Whether the public test mnemonic may be used. Never set it when coins are real. */
  sandbox: z.boolean().default(false),
  /** The most that payouts may move in any 3,600 s, by asset, over all networks. Other assets are not paid at all. */
  payoutsPerHour: PerHour,
  /**
   * Payouts on Tron that may have more than two versions: a person has seen on the chain that none of theirs has paid. Nothing
   * but their expirations excludes that two of them pay.
   */
  moreVersions: z.array(z.uuid()).default([]),
  networks: z.partialRecord(
    z.enum(servedNetworks),
    z.strictObject({
      /** The highest fee of one transaction, in the network's own coin. */
      maxFee: Amount,
      /**
       * The most that all fees may be in any 3,600 s, in the network's own coin. A payment counts with the highest fee of
       * its versions, since only one of them can be in a block.
       */
      feesPerHour: Amount,
      /** The most gas of one transaction, on the EVM; `usualGasBounds` of networks.ts when it is not given. */
      maxGas: MaxGas.optional(),
      /** The only address that surplus may go to. On Solana it is the wallet's, not that of a token account. */
      cold: z.string().min(1).max(128),
      /** The most that the gas key may pay in any 3,600 s, in the network's own coin. */
      gasPerHour: Amount.default('0'),
    }),
  ),
});

export type Policy = z.output<typeof Policy>;
