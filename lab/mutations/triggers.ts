import { readFileSync, readdirSync } from 'node:fs';
import type { Mutation } from './mutation.ts';

/**
 * The mutations of triggers, made from the text of the migrations: each refusal is taken out by itself, and so is
 * each write. A trigger that only refuses, in words that a test names, needs no line here. What
 * else could be wrong in a condition is in the lists of the other rooms.
 */

const MIGRATIONS = 'migrations';

/**
 * The tests, below `test/`, that must notice beside those that name a refusal: for triggers that write, and refusals that
 * no test names.
 */
export const noticedBy: Readonly<Record<string, string>> = {
  settings_are_guarded: 'db/records db/ledger db/number-ledger db/settings reconciliation/guards operator/two-people',
  audit_is_guarded: 'db/records operator/two-people holder/allowed-recovery',
  accounts_are_opened_once: 'db/records db/number-ledger operator/once',
  accounts_keep_what_they_are: 'db/records operator/once operator/two-people holder/sessions holder/own-settings',
  api_keys_are_guarded: 'db/records operator/two-people holder/sessions holder/own-settings',
  api_keys_stay_what_they_are: 'db/records holder/sessions',
  orders_are_guarded: 'db/records db/order-keys operator/house',
  deposits_are_recorded_once: 'db/records db/forbidden-writes db/withdrawals withdrawals/across operator/quarantine',
  deposits_are_judged_once: 'db/records operator/deposits operator/dust operator/quarantine',
  second_factors_of_holders_end_by_two: 'db/records operator/two-people holder/own-settings',
  allowlist_entries_begin_once: 'db/records operator/two-people holder/own-settings',
  balances_keep_to_their_share: 'db/ledger db/transfers db/forbidden-writes',
  transfers_of_orders_are_explained: 'db/ledger',
  transfers_of_deposits_are_explained: 'db/ledger operator/agreed-deposits',
  transfers_of_withdrawals_are_explained: 'db/ledger',
  transfers_of_settlements_are_explained: 'db/ledger',
  accounts_hold_every_asset: 'operator/accounts',
  balances_are_explained: 'db/transfers db/house-money',
  transfers_move_balances: 'db/transfers db/withdrawals',
  transfers_are_numbered: 'db/forbidden-writes',
  orders_move_money: 'db/forbidden-writes db/events',
  deposits_move_on: 'db/forbidden-writes operator/deposits',
  deposits_take_their_next_effect: 'db/forbidden-writes api/events operator/dust operator/quarantine',
  claims_are_made_once: 'db/forbidden-writes db/directory',
  withdrawals_are_guarded:
    'db/forbidden-writes db/withdrawals reconciliation/guards withdrawals/races withdrawals/inside holder/own-settings',
  withdrawals_move_on: 'db/forbidden-writes db/withdrawals reconciliation/guards',
  withdrawals_are_not_deleted: 'db/forbidden-writes',
  withdrawals_are_claimed_once: 'db/forbidden-writes operator/claims',
  balances_begin_at_zero: 'db/order-rounds',
  wanted_orders_are_decided: 'db/wanted-orders',
  fundings_are_guarded: 'db/house-money operator/two-people',
  fundings_move_money: 'db/house-money',
  hedges_are_guarded: 'db/house-money',
  hedges_set_money_aside: 'db/house-money',
  hedges_move_money: 'db/house-money',
  settlements_are_guarded: 'db/settlements operator/two-people',
  settlements_move_money: 'db/settlements api/events',
  withdrawals_take_money: 'db/withdrawals api/events withdrawals/inside',
  withdrawals_are_let_out: 'db/withdrawals withdrawals/halts holder/own-settings',
  withdrawals_pay_or_return_money: 'db/withdrawals api/events',
  assets_are_held_by_every_account: 'db/new-assets',
  settings_number_an_empty_ledger: 'db/number-ledger',
  listeners_are_told_what_was: 'db/events',
  events_are_kept: 'db/events',
  happenings_are_told: 'db/events',
  deposits_take_effect: 'db/events withdrawals/across operator/dust',
  accounts_change_their_status: 'db/events holder/allowed-recovery holder/sessions',
  api_keys_tell: 'db/events',
  api_keys_tell_their_end: 'db/events events/webhooks/deliveries',
  allowlist_entries_tell: 'db/events',
  allowlist_entries_tell_their_end: 'db/events',
  totp_tells: 'db/events',
  webhook_endpoints_tell_their_end: 'db/events holder/security-events',
  audit_takes_effect: 'db/events operator/two-people holder/allowed-recovery holder/security-events',
  violations_are_cleared_once: 'reconciliation/guards operator/two-people',
  staff_are_kept: 'operator/staff',
  staff_change_by_two: 'operator/staff operator/two-people',
  operator_requests_are_made_once: 'operator/once',
  operator_requests_are_not_changed: 'operator/once',
  operator_requests_are_not_deleted: 'operator/once',
  deposits_are_decided_once: 'operator/quarantine operator/two-people',
  deposits_are_credited_by_decision: 'operator/quarantine',
  proposals_begin_open: 'operator/proposals operator/two-people',
  proposals_are_decided_once: 'operator/proposals operator/two-people',
  proposals_are_kept: 'operator/two-people',
  roles_are_set_by_two: 'operator/two-people',
  staff_join_by_two: 'operator/two-people',
  hand_credits_have_a_limit: 'operator/two-people',
  credits_by_hand_count: 'operator/two-people',
  second_factors_are_confirmed_as_drawn: 'operator/security-settings',
  recoveries_are_allowed_by_two: 'holder/allowed-recovery',
  recoveries_are_allowed_as_they_are: 'holder/allowed-recovery',
  invitations_are_guarded: 'holder/sessions',
  invitations_end_with_the_first: 'holder/sessions',
};

interface Trigger {
  readonly name: string;
  readonly file: string;
  /** From CREATE to END; */
  readonly text: string;
}

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

const TESTS = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => ({ file: `test/${file}`, text: readFileSync(`test/${file}`, 'utf8').replaceAll("\\'", "'") }));

/** The test files that name a refusal or are listed for the trigger; the one that names it most often runs first. */
function findTests(trigger: string, message: string | undefined): string[] {
  const listed = noticedBy[trigger]?.split(' ').map((name) => `test/${name}.test.ts`) ?? [];
  const counted = TESTS.map(({ file, text }) => ({ file, count: message ? text.split(message).length - 1 : 0 }));
  const chosen = counted.filter(({ file, count }) => count > 0 || listed.includes(file));
  return chosen.toSorted((one, other) => other.count - one.count).map(({ file }) => file);
}

/** The trigger without one of the things that it does, for each of them. */
function mutate({ name, file, text }: Trigger): Mutation[] {
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
      tests: findTests(name, message),
    };
  });
}

export const triggers = readTriggers().flatMap(mutate);
