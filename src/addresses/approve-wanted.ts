import { z } from '@hono/zod-openapi';
import { type AllowlistEntry, approveAddress } from '../accounts/allowlist.ts';
import { type Outcome, refuse } from '../http/answer.ts';
import type { Actor } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { findNetwork } from '../money/networks.ts';
import { readAddress } from './validate-address.ts';

const HOUR_MS = 3_600_000;
const MAX_TEXT_LENGTH = 128;

const Text = z.string().min(1).max(MAX_TEXT_LENGTH);

/** The body with which an address is approved. */
export const ApproveAddress = z.strictObject({
  network: Text.openapi({ example: 'ETH' }),
  address: Text.openapi({ example: '0x52908400098527886E0F7030069857D2E4169EE7' }),
  label: Text.openapi({ example: 'cold wallet' }),
});

export type ApproveAddress = z.output<typeof ApproveAddress>;

/**
 * Approves an address as somebody wrote it. Refuses with `network_not_supported`, `invalid_address` and
 * `account_recovered`. Throws when D1 fails.
 */
export async function approveWanted(
  database: Database,
  accountId: string,
  wanted: ApproveAddress,
  cooling_hours: number,
  actor: Actor,
): Promise<Outcome<AllowlistEntry>> {
  const network = findNetwork(wanted.network);
  if (!network) return refuse('network_not_supported', `There is no network ${wanted.network}.`);
  const address = readAddress(network, wanted.address);
  if (address === undefined) return refuse('invalid_address', `This is not a ${network} address.`);
  const approved = { network, address, label: wanted.label };
  return approveAddress(database, accountId, approved, cooling_hours * HOUR_MS, actor);
}
