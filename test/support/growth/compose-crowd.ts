import { networkRecords, networks } from '../../../src/money/networks.ts';

/** When the crowd's accounts were opened, and when every history begins. */
export const FIRST_MS = Date.UTC(2024, 0, 1);

/** The networks on which an account has one and the same address. */
const evm = networks
  .filter((network) => networkRecords[network].family.kind === 'evm')
  .map((network) => `'${network}'`)
  .join(', ');

/** The SQL of the whole numbers `i` from one number up to, but not including, another. */
export function listNumbers(from: number, to: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})`;
}

/** The SQL of the id of a crowd's account, by the SQL of its number. */
export function idInCrowd(number: string): string {
  return `printf('01900000-0000-7000-8000-%012x', ${number})`;
}

/**
 * The SQL that opens accounts from one number up to another, each with everything that an account has: a key, an
 * address on every network, a second factor and two approved addresses. Nobody has the token of such a key.
 */
export function composeCrowd(from: number, to: number): string[] {
  const numbers = listNumbers(from, to);
  const id = idInCrowd('i');
  const digits = `printf('%040x', i)`;
  return [
    `INSERT INTO address_indexes (address_index, account_id) ${numbers}
       SELECT i - ${from} + (SELECT coalesce(max(address_index) + 1, 0) FROM address_indexes), ${id} FROM n`,
    `INSERT INTO accounts (id, address_index, label, created_at) ${numbers}
       SELECT ${id}, address_index, 'crowd ' || i, ${FIRST_MS} FROM n JOIN address_indexes ON account_id = ${id}`,
    `INSERT INTO account_words (account_id, words) ${numbers}
       SELECT ${id}, words.value FROM n CROSS JOIN json_each(json_array('crowd ' || i, CAST(i AS TEXT))) AS words`,
    `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at) ${numbers}
       SELECT printf('01900001-0000-7000-8000-%012x', i), ${id}, 'bot', 'rtw', 'sha-' || ${digits}, ${FIRST_MS} FROM n`,
    `INSERT INTO addresses (account_id, network, address) ${numbers}
       SELECT ${id}, network.value, iif(network.value IN (${evm}), '0x', lower(network.value)) || ${digits}
       FROM n CROSS JOIN json_each('${JSON.stringify(networks)}') AS network`,
    `INSERT INTO totp (account_id, sealed_secret, confirmed_at, used_step) ${numbers}
       SELECT ${id}, '1.' || ${digits} || ${digits}, ${FIRST_MS}, 1 FROM n`,
    `INSERT INTO allowlist (account_id, id, network, address, label, usable_at) ${numbers}
       SELECT ${id}, printf('01900002-0000-7000-8000-%012x', i * 2 + own), 'TRC20', 'T' || own || substr(${digits}, 9),
         'own', ${FIRST_MS}
       FROM n CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1)`,
  ];
}
