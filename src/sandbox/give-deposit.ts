import { z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { type Outcome, refuse } from '../http/answer.ts';
import { Id } from '../http/wire-types.ts';
import type { Actor } from '../db/audit.ts';
import { valueIn } from '../markets/value-in-usdt.ts';
import { findNetwork, networkRecords } from '../money/networks.ts';
import { findAccount } from '../operator/find-records.ts';
import type { Bindings } from '../platform/bindings.ts';
import { chooseAddressSources } from '../providers.ts';
import { listAddresses } from '../addresses/list-addresses.ts';
import { deriveTransactionHash } from '../custody/sandbox.ts';
import { ReportDeposit, type ReportResult, reportDeposit } from '../deposits/report-deposit.ts';

/** A deposit that the sandbox makes up: coins from nowhere, to the address of an account. */
export const GiveDeposit = z
  .strictObject({ accountId: Id, ...ReportDeposit.pick({ asset: true, network: true, amount: true }).shape })
  .openapi('GiveDeposit');

export type GiveDeposit = z.output<typeof GiveDeposit>;

/**
 * Reports a deposit of a new transaction to the account's own address, with the confirmations of its network, as a
 * custodian would: it is credited, or quarantined, by the same code and for the same reasons. Every call is another
 * deposit. Refuses with `not_found`, `network_not_supported`, and as `listAddresses` and `reportDeposit` do.
 */
export async function giveDeposit(
  bindings: Bindings,
  wanted: GiveDeposit,
  actor: Actor,
): Promise<Outcome<ReportResult>> {
  const { accountId, asset, amount } = wanted;
  const network = findNetwork(wanted.network);
  if (!network) return refuse('network_not_supported', `There is no network ${wanted.network}.`);
  const found = await findAccount(bindings, { id: accountId });
  if (!found.ok) return found;
  const addresses = await listAddresses(bindings, chooseAddressSources(config), accountId);
  if (!addresses.ok) return addresses;
  const address = addresses.value.addresses.find((one) => one.network === network)?.address ?? '';
  const { confirmations } = networkRecords[network];
  const txHash = await deriveTransactionHash(`bureau sandbox deposit ${crypto.randomUUID()}`, network);
  const report = { network, address, asset, amount, txHash, outputIndex: 0, confirmations, failed: false };
  return reportDeposit(bindings, report, valueIn(bindings), actor);
}
