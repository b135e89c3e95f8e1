import { readFileSync, readdirSync } from 'node:fs';
import type { Mutation, Room } from './mutation.ts';

/**
 * The mutations of triggers, made from the text of the migrations: each RAISE is taken out by itself, and each trigger
 * that writes something is dropped. So a trigger has its mutations as soon as its test file is named
 * here. Those that are not are in the lists of the other rooms.
 */

const MIGRATIONS = 'migrations';

/** The test file that must notice, and the triggers. */
const noticedBy: Readonly<Record<string, readonly string[]>> = {
  'test/operator/staff.test.ts': ['staff_are_kept', 'staff_keep_their_email'],
  'test/operator/once.test.ts': [
    'accounts_have_their_own_external_id',
    'accounts_keep_their_external_id',
    'operator_requests_are_made_once',
    'operator_requests_are_not_changed',
    'operator_requests_are_not_deleted',
  ],
  'test/db/directory.test.ts': ['claims_are_made_once'],
  'test/operator/agreed-deposits.test.ts': ['deposits_are_agreed_on', 'deposits_are_agreed_on_later'],
  'test/db/settings.test.ts': ['settings_are_not_overtaken'],
  'test/db/forbidden-writes.test.ts': [
    'balances_of_transit_keep_their_floor',
    'deposits_are_recorded_once',
    'receipts_are_refused_once',
    'refusals_are_not_changed',
    'refusals_are_not_deleted',
  ],
  'test/db/ledger.test.ts': [
    'transfers_have_a_kind',
    'balances_have_an_owner',
    'balances_begin_with_their_floor',
    'balances_keep_to_their_share',
    'shares_change_by_audit',
    'settings_are_not_overtaken',
  ],
  'test/db/settlements.test.ts': ['settlements_are_guarded', 'settlements_move_money'],
  'test/db/withdrawals.test.ts': ['deposits_are_recorded_once', 'withdrawals_pay_money'],
  'test/withdrawals/across.test.ts': ['deposits_are_recorded_once', 'deposits_move_money'],
  'test/db/records.test.ts': ['deposits_are_recorded_once'],
  'test/db/new-assets.test.ts': ['assets_are_held_by_every_account'],
  'test/operator/proposals.test.ts': [
    'proposals_begin_open',
    'proposals_have_a_limit',
    'proposals_are_decided_once',
  ],
  'test/operator/two-people.test.ts': [
    'proposals_begin_open',
    'proposals_are_kept',
    'deposits_are_decided_once',
    'proposals_are_decided_once',
    'audit_approves_proposals',
    'keys_of_holders_are_made_by_two',
    'addresses_of_holders_are_approved_by_two',
    'second_factors_of_holders_end_by_two',
    'staff_join_by_two',
    'staff_change_by_two',
    'settings_change_by_two',
    'limits_rise_by_two',
    'trades_are_settled_by_two',
    'violations_are_cleared_by_two',
    'stuck_withdrawals_are_settled_by_two',
    'hand_credits_have_a_limit',
    'hand_credits_end',
    'credits_by_hand_count',
    'deposits_confirmed_by_hand_count',
  ],
  'test/operator/claims.test.ts': [
    'payout_claims_are_made_once',
    'payout_claims_are_not_changed',
    'payout_claims_are_kept',
  ],
  'test/operator/deposits.test.ts': ['inner_payments_begin_in_quarantine', 'inner_payments_stay_in_quarantine'],
  'test/operator/quarantine.test.ts': [
    'deposits_begin_undecided',
    'deposits_are_decided_once',
    'deposits_are_credited_by_decision',
    'credits_of_quarantine_are_explained',
    'deposits_stay_decided',
  ],
  'test/db/number-ledger.test.ts': [
    'settings_keep_their_ledger',
    'settings_number_an_empty_ledger',
    'accounts_are_of_their_ledger',
  ],
  'test/operator/house.test.ts': ['orders_fill_beside_the_middle'],
  'test/api/events.test.ts': [
    'deposits_tell_their_steps',
    'withdrawals_tell',
    'withdrawals_tell_their_steps',
    'settlements_tell',
  ],
  'test/db/events.test.ts': [
    'listeners_begin_once',
    'listeners_are_not_changed',
    'listeners_are_not_deleted',
    'listeners_are_told_what_was',
    'events_are_numbered',
    'events_are_explained',
    'events_are_not_changed',
    'events_are_kept',
    'orders_tell',
    'deposits_tell',
    'accounts_tell_their_status',
    'api_keys_tell',
    'api_keys_tell_their_end',
    'allowlist_entries_tell',
    'allowlist_entries_tell_their_end',
    'totp_tells',
    'webhook_endpoints_are_guarded',
    'webhook_endpoints_keep_their_account',
    'webhook_endpoints_end_with_their_key',
    'webhook_endpoints_tell',
    'audit_tells',
  ],
  'test/operator/security-settings.test.ts': ['second_factors_are_confirmed_as_drawn'],
  'test/holder/allowed-recovery.test.ts': [
    'recoveries_are_allowed_by_two',
    'recoveries_are_allowed_as_they_are',
    'recoveries_need_to_be_allowed',
    'recoveries_end_with_the_first',
    'recoveries_end_with_a_freeze',
  ],
  'test/holder/security-events.test.ts': ['audit_tells_security', 'webhook_endpoints_note_their_end'],
  'test/holder/sessions.test.ts': [
    'sessions_are_few_and_short',
    'sessions_keep_their_end',
    'accounts_keep_their_holder',
    'invitations_are_guarded',
    'invitations_are_not_changed',
    'holders_were_invited',
    'invitations_end_with_the_first',
    'invitations_end_with_a_freeze',
  ],
  'test/holder/own-settings.test.ts': [
    'accounts_stay_held',
    'keys_are_few',
    'keys_that_withdraw_need_a_second_factor',
    'allowlist_entries_are_few',
    'second_factors_of_holders_end_by_two',
    'withdrawals_wait_after_recovery',
    'reviews_wait_after_recovery',
    'keys_wait_after_recovery',
    'approvals_wait_after_recovery',
  ],
};

interface Trigger {
  readonly name: string;
  readonly file: string;
  /** From CREATE to END; */
  readonly text: string;
}

/** The triggers of the migrations. */
function readTriggers(): Trigger[] {
  return readdirSync(MIGRATIONS).flatMap((migration) => {
    const file = `${MIGRATIONS}/${migration}`;
    const made = readFileSync(file, 'utf8').matchAll(/^CREATE TRIGGER (\w+) [\s\S]*?\nEND;/gm);
    return Array.from(made, ([text, name = '']) => ({ name, file, text }));
  });
}

/** The trigger without one of its refusals, for each of them; and nothing in place of one that writes. */
function mutate({ name, file, text }: Trigger): Mutation[] {
  const tests = Object.keys(noticedBy).filter((test) => noticedBy[test]?.includes(name));
  if (tests.length === 0) return [];
  const refusals = [...text.matchAll(/SELECT RAISE\(ABORT, 'guard: ((?:[^']|'')*)'[^;]*;/g)];
  const silenced = refusals.map(({ 0: statement, 1: message = '', index }): Mutation => {
    const before = refusals.filter((other) => other[1] === message && other.index < index).length;
    const which = before === 0 ? '' : ` (${before + 1})`;
    return {
      name: `the trigger ${name} does not refuse: ${message.trim().replaceAll("''", '’')}${which}`,
      file,
      find: text,
      replace: `${text.slice(0, index)}SELECT 1;${text.slice(index + statement.length)}`,
      tests,
    };
  });
  if (!/ AFTER /.test(text)) return silenced;
  return [...silenced, { name: `the trigger ${name} is gone`, file, find: text, replace: '', tests }];
}

export const triggers: Room = {
  name: 'triggers',
  file: MIGRATIONS,
  tests: [],
  mutations: readTriggers().flatMap(mutate),
};
