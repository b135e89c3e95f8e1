import { sql } from 'drizzle-orm';
import { networks } from '../../money/networks.ts';
import { type Check, cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';

interface AddressRow {
  readonly accountId: string;
  readonly network: string;
  readonly address: string;
  /** Another account that has the same address, on this network or on another. */
  readonly other: string | null;
}

/**
 * Looks for each address at whom else it belongs to, on every network: the EVM networks share one address, which the
 * index on (network, address) does not compare.
 */
export const checkAddresses: Check<AddressRow> = {
  name: 'addresses',

  query: ({ after: [accountId, network], rows }) => sql`
    SELECT account_id AS accountId, network, address,
      (SELECT o.account_id FROM json_each(${JSON.stringify(networks)}) AS n CROSS JOIN addresses AS o
        WHERE o.network = n.value AND o.address = a.address AND o.account_id <> a.account_id LIMIT 1) AS other
    FROM addresses AS a WHERE (account_id, network) > (${accountId}, ${network})
    ORDER BY account_id, network LIMIT ${rows}`,

  judge: (rows, slice) => ({
    next: cursorAfter(rows, slice, ({ accountId, network }) => [accountId, network]),
    checked: { addresses_have_one_owner: rows.length },
    findings: rows.flatMap(({ accountId, network, address, other }): Finding[] =>
      other === null
        ? []
        : [{ invariant: 'addresses_have_one_owner', example: { address, network, accountId, other } }],
    ),
  }),
};
