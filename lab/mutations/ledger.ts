import type { Mutation, Room } from './mutation.ts';

const ledgerTest = 'test/db/ledger.test.ts';
const recordsTest = 'test/db/records.test.ts';
const wantedTest = 'test/db/wanted-orders.test.ts';
const roundsTest = 'test/db/order-rounds.test.ts';
const keysTest = 'test/db/order-keys.test.ts';

const forbidden = 'test/db/forbidden-writes.test.ts';

const SETTINGS = 'migrations/0001_settings.sql';
const ACCOUNTS = 'migrations/0002_accounts.sql';
const LEDGER = 'migrations/0003_ledger.sql';
const ORDERS = 'migrations/0004_orders.sql';
const DEPOSITS = 'migrations/0005_deposits.sql';
const WITHDRAWALS = 'migrations/0006_withdrawals.sql';
const SETTLEMENTS = 'migrations/0007_settlements.sql';
const HERE = 'src/reconciliation';
const CHECK_PAYMENTS = 'src/withdrawals/check-payments.ts';
const acrossTest = 'test/withdrawals/across.test.ts';

/** The trigger that decides an order does so without one of its checks. */
function skipCheck(name: string, condition: string): Mutation {
  return { name, file: ORDERS, find: `        WHEN ${condition}`, replace: '        WHEN 0', tests: [wantedTest] };
}

export const ledger: Room = {
  name: 'ledger',
  file: LEDGER,
  tests: [ledgerTest],
  mutations: [
    {
      name: 'a failed order writes transfers',
      file: ORDERS,
      find: "AFTER INSERT ON orders\nWHEN NEW.status = 'COMPLETED'",
      replace: 'AFTER INSERT ON orders\nWHEN 1',
      tests: [forbidden],
    },
    {
      name: 'an order pays with the asset that it receives',
      file: ORDERS,
      find: "NEW.first_transfer, NEW.account_id, 'house:liquidity', iif(NEW.side = 'BUY', 'USDT', NEW.coin),",
      replace: "NEW.first_transfer, NEW.account_id, 'house:liquidity', iif(NEW.side = 'BUY', NEW.coin, 'USDT'),",
      tests: ['test/db/transfers.test.ts'],
    },
    {
      name: 'an order may have any price',
      file: ORDERS,
      find: '<= 1.0 + NEW.executed_price',
      replace: '>= 0 * NEW.executed_price',
      tests: [recordsTest],
    },
    {
      name: 'an order may be of USDT against itself',
      file: ORDERS,
      find: "WHERE NEW.coin IS 'USDT' OR NOT EXISTS",
      replace: 'WHERE NOT EXISTS',
      tests: [recordsTest],
    },
    {
      name: 'the two sides of a payment between ledgers may have different amounts',
      file: CHECK_PAYMENTS,
      find: 'other.amount === side.amount',
      replace: 'other.amount >= 0n',
      tests: [acrossTest],
    },
    {
      name: 'a payment that was received is not completed',
      file: CHECK_PAYMENTS,
      find: 'await complete(check, database, withdrawalId);',
      replace: '',
      tests: [acrossTest],
    },
    {
      name: 'a payment counts as broken while its other ledger does not answer',
      file: CHECK_PAYMENTS,
      find: "logFault('payments_not_compared', { ledger: peer, error: describeError(error) });\n    return { whole: [], findings: [] };",
      replace: "return { whole: [], findings: sides.map((side) => describe(side, 'unknown')) };",
      tests: [acrossTest],
    },
    {
      name: 'a key may be moved to another account',
      file: ACCOUNTS,
      find: '(NEW.id, NEW.account_id, NEW.token_hash, NEW.scopes, NEW.created_at)\n      IS NOT (OLD.id, OLD.account_id,',
      replace:
        '(NEW.id, OLD.account_id, NEW.token_hash, NEW.scopes, NEW.created_at)\n      IS NOT (OLD.id, OLD.account_id,',
      tests: [recordsTest],
    },
    {
      name: 'the journal may have a gap',
      find: 'WHERE NEW.id IS NOT (SELECT',
      replace: 'WHERE NEW.id < (SELECT',
    },
    {
      name: 'a balance may be set to NULL: IS NOT became <>',
      find: '(NEW.account, NEW.asset, NEW.amount, NEW.last_transfer) IS NOT',
      replace: '(NEW.account, NEW.asset, NEW.amount, NEW.last_transfer) <>',
    },
    {
      name: 'a balance accepts the same transfer twice',
      find: 'NEW.last_transfer <= OLD.last_transfer',
      replace: 'NEW.last_transfer < OLD.last_transfer',
    },
    {
      name: 'the last atom cannot be spent',
      find: 'WHERE NEW.amount < NEW.floor;',
      replace: 'WHERE NEW.amount <= NEW.floor;',
      tests: ['test/db/transfers.test.ts'],
    },
    {
      name: 'a balance may begin twice',
      find: 'OR EXISTS (SELECT 1 FROM balances WHERE account = NEW.account AND asset = NEW.asset)',
      replace: '',
    },
    {
      name: 'a balance may change its asset',
      find: 'NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset',
      replace: 'NEW.account IS NOT OLD.account',
    },
    {
      name: 'a fill does not store its round',
      find: "iif(NEW.kind = 'order' AND NEW.debit = 'house:liquidity'",
      replace: "iif(0 AND NEW.kind = 'order' AND NEW.debit = 'house:liquidity'",
      tests: [roundsTest],
    },
    {
      name: 'the database accepts an order of a revoked key',
      file: ORDERS,
      find: 'WHEN key.id IS NULL OR key.revoked_at IS NOT NULL THEN RAISE',
      replace: 'WHEN key.id IS NULL THEN RAISE',
      tests: [keysTest],
    },
    {
      name: 'the database accepts an order by another account’s key',
      file: ORDERS,
      find: 'FROM (SELECT 1) LEFT JOIN api_keys AS key ON key.id = NEW.key_id AND key.account_id = NEW.account_id',
      replace: 'FROM (SELECT 1) LEFT JOIN api_keys AS key ON key.id = NEW.key_id',
      tests: [keysTest],
    },
    {
      name: 'the database accepts an order in the millisecond in which its key expires',
      file: ORDERS,
      find: '<= substr(NEW.id, 1, 13)\n        AND key',
      replace: '< substr(NEW.id, 1, 13)\n        AND key',
      tests: [keysTest],
    },
    skipCheck(
      'an order that was made before refuses its batch',
      `EXISTS (SELECT 1 FROM orders WHERE account_id = NEW.account_id AND id = NEW.id)`,
    ),
    skipCheck('an order of a revoked key refuses its batch', 'key.id IS NULL OR key.revoked_at IS NOT NULL'),
    skipCheck(
      'an order of an expired key refuses its batch',
      "key.expires_at IS NOT NULL\n          AND printf('%08x-%04x', key.expires_at >> 16, key.expires_at & 65535) <= substr(NEW.id, 1, 13)",
    ),
    skipCheck('an order of a frozen account refuses its batch', "account.status IS NOT 'active'"),
    skipCheck('an order during a halt refuses its batch', 'settings.trading_halted'),
    skipCheck('an order of an older round refuses its batch', 'NEW.price_round < coin.price_round'),
    skipCheck(
      'an order beyond its balance refuses its batch',
      "own.amount - iif(NEW.side = 'BUY', NEW.usdt_amount, NEW.coin_amount) < own.floor",
    ),
    skipCheck(
      'a purchase beyond the house’s floor refuses its batch',
      "NEW.side = 'BUY' AND coin.amount - NEW.coin_amount < coin.floor",
    ),
    skipCheck(
      'a sale beyond the house’s floor refuses its batch',
      "NEW.side = 'SELL' AND usdt.amount - NEW.usdt_amount < usdt.floor",
    ),
    {
      name: 'an order that was refused is made all the same',
      file: ORDERS,
      find: '  SELECT RAISE(IGNORE) WHERE changes() > 0;\n',
      replace: '',
      tests: [wantedTest],
    },
    {
      name: 'amounts of orders lose their last digits beyond 2^53',
      file: 'src/orders/batches.ts',
      find: '[executedPrice, coinAmount, usdtAmount, middlePrice].map(String)',
      replace: '[executedPrice, coinAmount, usdtAmount, middlePrice].map(Number)',
      tests: [wantedTest],
    },
    {
      name: 'why orders were refused is told again to the next batch',
      file: 'src/orders/batches.ts',
      find: ', d1.prepare(FORGET_REFUSED)]',
      replace: ']',
      tests: [wantedTest],
    },
    {
      name: 'a deposit that was credited may be completed again',
      file: DEPOSITS,
      find: "WHERE OLD.status IN ('COMPLETED', 'FAILED')",
      replace: "WHERE OLD.status IN ('FAILED')",
      tests: ['test/operator/deposits.test.ts'],
    },
    {
      name: 'a transfer that returns a withdrawal needs no number',
      file: WITHDRAWALS,
      find: '(NEW.id = returned_transfer AND',
      replace: '(',
      tests: [forbidden],
    },
    {
      name: 'a withdrawal does not take its fee',
      file: WITHDRAWALS,
      find: "NEW.account_id, 'house:payouts', NEW.asset, NEW.amount + NEW.fee,",
      replace: "NEW.account_id, 'house:payouts', NEW.asset, NEW.amount,",
      tests: ['test/db/withdrawals.test.ts'],
    },
    {
      name: 'a transfer of a settlement may have any number',
      file: SETTLEMENTS,
      find: "NEW.id = first_transfer AND NEW.asset = 'USDT'",
      replace: "NEW.asset = 'USDT'",
      tests: ['test/db/settlements.test.ts'],
    },
    {
      name: 'a withdrawal’s limit may change',
      file: WITHDRAWALS,
      find: 'NEW.key_id, NEW.daily_limit, NEW.recipient',
      replace: 'NEW.key_id, OLD.daily_limit, NEW.recipient',
      tests: ['test/reconciliation/guards.test.ts'],
    },
    {
      name: 'the keeper waits without a limit for a slice that D1 does not answer',
      file: `${HERE}/statement.ts`,
      find: 'READ_DEADLINE_MS = 10_000',
      replace: 'READ_DEADLINE_MS = 1_000_000',
      tests: ['test/keeper/ledger-keeper.test.ts'],
    },
    {
      name: 'the reconciliation does not notice a missing transfer',
      file: `${HERE}/compose-ties.ts`,
      find: 'IS NOT NULL AND NOT ${isLeg(leg, kind, `t${at}`)})',
      replace: 'IS NOT NULL AND t${at}.id IS NOT NULL AND NOT ${isLeg(leg, kind, `t${at}`)})',
      tests: ['test/reconciliation/records.test.ts'],
    },
    {
      name: 'the reconciliation does not compare the newest transfer of a balance',
      file: `${HERE}/compose-sums.ts`,
      find: '        OR coalesce(max(last_transfer), -1) <> coalesce(max(number), 0)',
      replace: '       ',
      tests: ['test/reconciliation/balances.test.ts'],
    },
    {
      name: 'the reconciliation ignores a digest that differs',
      file: `${HERE}/reconciler.ts`,
      find: '(link.digest === kept.digest && link.upTo === kept.upTo)',
      replace: 'link.upTo === kept.upTo',
      tests: ['test/reconciliation/slices.test.ts'],
    },
    {
      name: 'the reconciliation leaves out transfers written while a large account is scanned',
      file: `${HERE}/scan-large-account.ts`,
      find: 'const sums = addSums(large.sums, readMoved(moved));',
      replace: 'const sums = addSums(large.sums, []);',
      tests: ['test/reconciliation/slices.test.ts'],
    },
    {
      name: 'the reconciliation does not notice a missing number in the journal',
      file: `${HERE}/scan-journal.ts`,
      find: 'transfers < to - after ?',
      replace: 'transfers < 0 ?',
      tests: ['test/reconciliation/balances.test.ts'],
    },
    {
      name: 'a broken record of one asset hides the sums of all assets',
      file: `${HERE}/close-pass.ts`,
      find: '!untied.includes(asset)',
      replace: 'untied.length === 0',
      tests: ['test/reconciliation/balances.test.ts'],
    },
    {
      name: 'the reconciliation adds debits instead of subtracting them',
      file: `${HERE}/compose-sums.ts`,
      find: 'high: negate(high), low: negate(low)',
      replace: 'high, low',
      tests: ['test/reconciliation/slices.test.ts'],
    },
    {
      name: 'a violation halts its own ledger alone',
      file: 'src/db/copy-settings.ts',
      find: '  if (!violation) return false;',
      replace: '  if (violation || !violation) return false;',
      tests: ['test/db/settings.test.ts'],
    },
    {
      name: 'a copy of the settings lifts a halt of its own without a later change',
      file: 'src/db/copy-settings.ts',
      find: '${settings.revision} = ${revision}',
      replace: '0',
      tests: ['test/db/settings.test.ts'],
    },
    {
      name: 'what a ledger owes may not exceed its caps by what moved in',
      file: 'src/reconciliation/close-pass.ts',
      find: 'cap + exposure + movedIn',
      replace: 'cap + exposure',
      tests: ['test/reconciliation/balances.test.ts'],
    },
    {
      name: 'of several ledgers, a list passes over what one has not looked at yet',
      file: 'src/db/merge-pages.ts',
      find: 'head: rows[0] ?? horizon',
      replace: 'head: rows[0] ?? null',
      tests: ['test/db/merge-pages.pure.test.ts'],
    },
    {
      name: 'of several ledgers, the audit goes on in all of them at the number of the first',
      file: 'src/db/merge-pages.ts',
      find: 'numbers[ledger] || null',
      replace: 'numbers[0] || null',
      tests: ['test/operator/lists.test.ts'],
    },
    {
      name: 'of several ledgers, one that does not answer is left out without a word',
      file: 'src/operator/merge-reconciliations.ts',
      find: 'shown.length < answers.length',
      replace: 'shown.length > answers.length',
      tests: ['test/operator/standing.test.ts'],
    },
    {
      name: 'of several ledgers, an account is opened in one without a weight',
      file: 'src/db/opening-weights.ts',
      find: '(left -= weightOf(ledger)) < 0',
      replace: '(left -= weightOf(ledger)) <= 0',
      tests: ['test/db/opening-weights.pure.test.ts'],
    },
    {
      name: 'of several ledgers, a repeated opening goes to the one that is drawn for it',
      file: 'src/accounts/open-account-once.ts',
      find: 'return accept(Number(ofKey));',
      replace: 'return accept(Number(drawn));',
      tests: ['test/operator/openings.test.ts'],
    },
    {
      name: 'of several ledgers, an externalId is lost with the opening that claimed it',
      file: 'src/accounts/open-account-once.ts',
      find: 'if (!request) return accept(Number(ofName));',
      replace: 'if (!request) return accept(Number(drawn));',
      tests: ['test/operator/openings.test.ts'],
    },
    {
      name: 'of several ledgers, two give one address to an account of their own',
      file: 'src/addresses/list-addresses.ts',
      find: 'if (holders.some((holder) => holder !== first.holder)) {',
      replace: 'if (holders.length === 0) {',
      tests: ['test/db/directory-of-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, two credit one output each',
      file: 'src/deposits/report-deposit.ts',
      find: 'const ledger = Number(holder);',
      replace: 'const ledger = holder === undefined ? FIRST_LEDGER : wanted;',
      tests: ['test/db/directory-of-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, one alone knows that two people must agree',
      file: 'migrations/0010_staff.sql',
      find: 'WHERE has_two_admins = 1;',
      replace: 'WHERE has_two_admins = 2;',
      tests: ['test/operator/two-people-in-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, a copy of the settings waits for two people of its own',
      file: SETTINGS,
      find: '\n      AND EXISTS (SELECT 1 FROM staff)',
      replace: '',
      tests: ['test/operator/two-people-in-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, a proposal lies in the first whatever it changes',
      file: 'src/operator/authenticate-operator.ts',
      find: 'return id === undefined ? FIRST_LEDGER : ledgerNumberOf(id);',
      replace: "return id === '' ? ledgerNumberOf(id) : FIRST_LEDGER;",
      tests: ['test/operator/two-people-in-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, the operator is sent the events of the first alone',
      file: 'src/events/webhooks/endpoint-copies.ts',
      find: 'if (!copy) await insert(database, id, values);',
      replace: 'if (!copy) continue;',
      tests: ['test/operator/webhooks-of-ledgers.test.ts'],
    },
    {
      name: 'of several ledgers, a receiver that is gone is switched off for the events of one alone',
      file: 'src/events/webhooks/webhook-sender.ts',
      find: 'const original = originalOf(endpoint);',
      replace: 'const original = id;',
      tests: ['test/operator/webhooks-of-ledgers.test.ts'],
    },
    {
      name: 'a lost connection is taken for a rejected batch',
      file: 'src/db/commit.ts',
      find: '/overloaded|',
      replace: '/overloaded|connection lost|',
      tests: ['test/db/commit.test.ts'],
    },
    {
      name: 'a batch whose record exists already is reported as committed',
      file: 'src/db/commit.ts',
      find: "return { kind: 'exists' };",
      replace: "return { kind: 'committed' };",
      tests: ['test/db/commit.test.ts'],
    },
  ],
};
