import { type Trader, json } from '../exchange.ts';
import { databaseOfId, runFor } from '../db/open-in-ledger.ts';

export interface AddressesAnswer {
  readonly addresses: readonly { readonly network: string; readonly address: string; readonly primaryAsset: string }[];
}

export const ADDRESSES_PATH = '/api/v1/wallet/addresses';

/** An account's deposit addresses by network, as the API shows them. */
export async function readAddresses(trader: Trader): Promise<Record<string, string>> {
  const { addresses } = await json<AddressesAnswer>(await trader.get(ADDRESSES_PATH));
  return Object.fromEntries(addresses.map(({ network, address }) => [network, address]));
}

/** The stored rows of an account. */
export async function keptAddresses(accountId: string): Promise<Record<string, unknown>> {
  const results = await runFor<{ network: string; address: string }>(
    accountId,
    'SELECT network, address FROM addresses WHERE account_id = ?',
    accountId,
  );
  return Object.fromEntries(results.map(({ network, address }) => [network, address]));
}

export async function indexOf(accountId: string): Promise<number> {
  const row = await databaseOfId(accountId)
    .prepare('SELECT address_index FROM accounts WHERE id = ?')
    .bind(accountId)
    .first<{ address_index: number }>();
  if (!row) throw new Error('there is no such account');
  return row.address_index;
}
