import { networks } from '../money/networks.ts';
import { type AccountRange, type Statement, composeOnce } from './statement.ts';

/** As literals: SQLite then looks an address up in the index once for each network. */
const everyNetwork = networks.map((network) => `'${network}'`).join(', ');

/**
 * Finds addresses that also belong to another account, on any network. The unique index on (network, address) does not
 * see this: an account has the same address on all EVM networks.
 */
export function composeAddresses({ from, before }: AccountRange): Statement<AddressesRow> {
  return { text: composeOnce('addresses', selectAddresses), values: [from, before] };
}

/** An account has the same address on several networks; it is looked up once. */
function selectAddresses(): string {
  return `
    SELECT coalesce(sum(given), 0) AS addresses, json_group_array(json_object(
        'address', address, 'networks', networks, 'accountId', account_id, 'other', other))
        FILTER (WHERE other IS NOT NULL) AS examples
    FROM (
      SELECT account_id, group_concat(network, ' ') AS networks, address, count(*) AS given,
        (SELECT o.account_id FROM addresses AS o
          WHERE o.network IN (${everyNetwork}) AND o.address = a.address AND o.account_id <> a.account_id LIMIT 1) AS other
      FROM addresses AS a WHERE account_id >= ?1 AND account_id < ?2 GROUP BY account_id, address)`;
}

export interface AddressesRow {
  readonly addresses: number;
  readonly examples: string;
}
