import { readFileSync, readdirSync } from 'node:fs';
import type { Mutation } from './mutation.ts';

/**
 * The mutations of triggers, made from the text of the migrations: each refusal is taken out by itself, and so is
 * each write. So a trigger has its mutations as soon as its test file is named here. What
 * else could be wrong in a condition is in the lists of the other rooms.
 */

const MIGRATIONS = 'migrations';

/** The test file that must notice, and the triggers. Each trigger of the schema is here, or a test fails. */
export const noticedBy: Readonly<Record<string, readonly string[]>> = {
  'test/db/records.test.ts': [
    'settings_are_one',
    'settings_are_guarded',
    'settings_are_kept',
    'audit_is_guarded',
    'audit_is_not_changed',
    'audit_is_not_deleted',
    'accounts_are_opened_once',
    'accounts_are_kept',
    'accounts_keep_what_they_are',
    'api_keys_are_guarded',
    'api_keys_are_kept',
    'api_keys_stay_what_they_are',
    'orders_are_guarded',
    'orders_are_not_changed',
    'orders_are_not_deleted',
    'deposits_are_recorded_once',
    'deposits_are_not_deleted',
    'deposits_are_judged_once',
    'totp_begins_once',
    'second_factors_of_holders_end_by_two',
    'totp_is_kept',
    'allowlist_entries_begin_once',
    'allowlist_entries_are_not_changed',
  ],
  'test/db/ledger.test.ts': [
    'settings_are_guarded',
    'assets_are_listed_once',
    'assets_are_not_changed',
    'balances_begin_at_zero',
    'balances_are_explained',
    'balances_are_kept',
    'balances_keep_to_their_share',
    'transfers_are_numbered',
    'transfers_are_not_changed',
    'transfers_are_not_deleted',
    'transfers_of_orders_are_explained',
    'transfers_of_deposits_are_explained',
    'transfers_of_withdrawals_are_explained',
    'transfers_of_settlements_are_explained',
  ],
  'test/operator/accounts.test.ts': ['accounts_hold_every_asset'],
  'test/db/transfers.test.ts': ['balances_are_explained', 'balances_keep_to_their_share', 'transfers_move_balances'],
  'test/db/forbidden-writes.test.ts': [
    'balances_keep_to_their_share',
    'transfers_are_numbered',
    'orders_move_money',
    'deposits_are_recorded_once',
    'deposits_move_on',
    'deposits_take_their_next_effect',
    'claims_are_made_once',
    'withdrawals_are_guarded',
    'withdrawals_move_on',
    'withdrawals_are_not_deleted',
    'withdrawals_are_claimed_once',
  ],
  'test/db/order-keys.test.ts': ['orders_are_guarded'],
  'test/db/order-rounds.test.ts': ['balances_begin_at_zero', 'balances_keep_their_round'],
  'test/db/wanted-orders.test.ts': ['wanted_orders_are_decided'],
  'test/db/settlements.test.ts': [
    'settlements_are_guarded',
    'settlements_move_money',
    'settlements_are_not_changed',
    'settlements_are_not_deleted',
  ],
  'test/db/withdrawals.test.ts': [
    'deposits_are_recorded_once',
    'transfers_move_balances',
    'withdrawals_are_guarded',
    'withdrawals_take_money',
    'withdrawals_move_on',
    'withdrawals_change_their_status',
    'withdrawals_are_let_out',
    'withdrawals_pay_or_return_money',
  ],
  'test/db/new-assets.test.ts': ['assets_are_held_by_every_account'],
  'test/db/number-ledger.test.ts': [
    'settings_are_guarded',
    'settings_number_an_empty_ledger',
    'accounts_are_opened_once',
  ],
  'test/db/settings.test.ts': ['settings_are_guarded'],
  'test/db/addresses.test.ts': [
    'addresses_are_given_once',
    'addresses_are_not_changed',
    'addresses_are_not_deleted',
    'solana_pool_is_filled_once',
    'solana_pool_is_not_changed',
    'solana_pool_is_not_deleted',
  ],
  'test/db/directory.test.ts': [
    'address_indexes_are_taken_in_order',
    'address_indexes_are_not_changed',
    'address_indexes_are_not_deleted',
    'claims_are_made_once',
    'claims_are_not_changed',
    'claims_are_not_deleted',
  ],
  'test/db/events.test.ts': [
    'listeners_begin_once',
    'listeners_are_not_changed',
    'listeners_are_not_deleted',
    'listeners_are_told_what_was',
    'events_are_explained',
    'events_are_not_changed',
    'events_are_kept',
    'happenings_are_told',
    'orders_move_money',
    'deposits_take_effect',
    'accounts_change_their_status',
    'api_keys_tell',
    'api_keys_tell_their_end',
    'allowlist_entries_tell',
    'allowlist_entries_tell_their_end',
    'totp_tells',
    'webhook_endpoints_are_guarded',
    'webhook_endpoints_keep_their_account',
    'webhook_endpoints_tell_their_end',
    'audit_takes_effect',
  ],
  'test/events/webhooks/deliveries.test.ts': ['api_keys_tell_their_end'],
  'test/api/events.test.ts': [
    'deposits_take_their_next_effect',
    'withdrawals_take_money',
    'withdrawals_pay_or_return_money',
    'settlements_move_money',
  ],
  'test/reconciliation/guards.test.ts': [
    'withdrawals_are_guarded',
    'withdrawals_move_on',
    'violations_are_recorded_once',
    'violations_are_cleared_once',
    'violations_are_kept',
    'settings_are_guarded',
  ],
  'test/withdrawals/races.test.ts': ['withdrawals_are_guarded'],
  'test/withdrawals/halts.test.ts': ['withdrawals_are_let_out'],
  'test/withdrawals/inside.test.ts': ['withdrawals_are_guarded', 'withdrawals_take_money'],
  'test/withdrawals/across.test.ts': ['deposits_are_recorded_once', 'deposits_take_effect'],
  'test/operator/staff.test.ts': ['staff_are_kept', 'staff_change_by_two'],
  'test/operator/once.test.ts': [
    'accounts_are_opened_once',
    'accounts_keep_what_they_are',
    'operator_requests_are_made_once',
    'operator_requests_are_not_changed',
    'operator_requests_are_not_deleted',
  ],
  'test/operator/agreed-deposits.test.ts': ['transfers_of_deposits_are_explained'],
  'test/operator/deposits.test.ts': ['deposits_move_on', 'deposits_are_judged_once'],
  'test/operator/dust.test.ts': ['deposits_take_effect', 'deposits_take_their_next_effect', 'deposits_are_judged_once'],
  'test/operator/quarantine.test.ts': [
    'deposits_are_recorded_once',
    'deposits_are_judged_once',
    'deposits_are_decided_once',
    'deposits_take_their_next_effect',
    'deposits_are_credited_by_decision',
  ],
  'test/operator/claims.test.ts': ['withdrawals_are_claimed_once'],
  'test/operator/house.test.ts': ['orders_are_guarded'],
  'test/operator/proposals.test.ts': ['proposals_begin_open', 'proposals_are_decided_once'],
  'test/operator/two-people.test.ts': [
    'proposals_begin_open',
    'proposals_are_kept',
    'proposals_are_decided_once',
    'audit_takes_effect',
    'changes_are_made_by_two',
    'roles_are_set_by_two',
    'staff_join_by_two',
    'staff_change_by_two',
    'settings_are_guarded',
    'accounts_keep_what_they_are',
    'settlements_are_guarded',
    'audit_is_guarded',
    'violations_are_cleared_once',
    'deposits_are_decided_once',
    'hand_credits_have_a_limit',
    'credits_by_hand_count',
    'api_keys_are_guarded',
    'allowlist_entries_begin_once',
    'second_factors_of_holders_end_by_two',
  ],
  'test/operator/security-settings.test.ts': ['totp_steps_increase', 'second_factors_are_confirmed_as_drawn'],
  'test/holder/allowed-recovery.test.ts': [
    'recoveries_are_allowed_by_two',
    'recoveries_are_allowed_as_they_are',
    'audit_is_guarded',
    'audit_takes_effect',
    'accounts_change_their_status',
  ],
  'test/holder/security-events.test.ts': ['audit_takes_effect', 'webhook_endpoints_tell_their_end'],
  'test/holder/sessions.test.ts': [
    'accounts_keep_what_they_are',
    'api_keys_are_guarded',
    'api_keys_stay_what_they_are',
    'invitations_are_guarded',
    'invitations_are_not_changed',
    'invitations_end_with_the_first',
    'accounts_change_their_status',
  ],
  'test/holder/own-settings.test.ts': [
    'accounts_keep_what_they_are',
    'api_keys_are_guarded',
    'allowlist_entries_begin_once',
    'withdrawals_are_guarded',
    'withdrawals_are_let_out',
    'second_factors_of_holders_end_by_two',
  ],
};

interface Trigger {
  readonly name: string;
  readonly file: string;
  /** From CREATE to END; */
  readonly text: string;
}

/** The triggers of the migrations. */
export function readTriggers(): Trigger[] {
  return readdirSync(MIGRATIONS).flatMap((migration) => {
    const file = `${MIGRATIONS}/${migration}`;
    const made = readFileSync(file, 'utf8').matchAll(/^CREATE TRIGGER (\w+) [\s\S]*?\nEND;/gm);
    return Array.from(made, ([text, name = '']) => ({ name, file, text }));
  });
}

/**
 * What a trigger does: a refusal, with its message, a change that needs two people, which it only names, or what it
 * writes.
 */
const DEEDS = [
  /RAISE\(ABORT, '(?:guard|ledger): (?<message>(?:[^']|'')*)'[^()]*\)/g,
  /INSERT INTO (?:changes_by_two|set_roles) [^;]*;/g,
  /^ {2}(?<write>(?:INSERT INTO (?!changes_by_two|set_roles)|UPDATE |DELETE FROM )\w+)[\s\S]*?;$/gm,
];

function countNames(test: string, message: string | undefined): number {
  return message === undefined ? 0 : readFileSync(test, 'utf8').split(message).length - 1;
}

/** The trigger without one of the things that it does, for each of them. */
function mutate({ name, file, text }: Trigger): Mutation[] {
  const tests = Object.keys(noticedBy).filter((test) => noticedBy[test]?.includes(name));
  if (tests.length === 0) return [];
  const deeds = DEEDS.flatMap((pattern) => [...text.matchAll(pattern)]).map(({ 0: deed, groups, index }) => {
    const message = groups?.['message']?.trim().replaceAll("''", "'");
    const refusal = message?.replaceAll("'", '’') ?? 'one person alone';
    return { deed, index, message, what: groups?.['write'] ? `write: ${groups['write']}` : `refuse: ${refusal}` };
  });
  return deeds.map(({ deed, index, what, message }) => {
    const before = deeds.filter((other) => other.what === what && other.index < index).length;
    const which = before === 0 ? '' : ` (${before + 1})`;
    const nothing = deed.endsWith(';') ? 'SELECT 1;' : 'NULL';
    return {
      room: 'triggers',
      name: `the trigger ${name} does not ${what}${which}`,
      file,
      find: text,
      replace: `${text.slice(0, index)}${nothing}${text.slice(index + deed.length)}`,
      // A file that names the refusal most likely notices, so it is the first to run.
      tests: tests.toSorted((one, other) => countNames(other, message) - countNames(one, message)),
    };
  });
}

export const triggers = readTriggers().flatMap(mutate);
