import type { Room } from './mutation.ts';

const HERE = 'src/withdrawals';
const GUARDS = 'migrations/0006_withdrawals.sql';

const room = 'test/withdrawals';
const races = `${room}/races.test.ts`;
const codes = `${room}/codes.test.ts`;
const limits = `${room}/limits.test.ts`;
const rules = `${room}/rules.test.ts`;
const inside = `${room}/inside.test.ts`;
const payouts = `${room}/payouts.test.ts`;
const crashes = `${room}/crashes.test.ts`;
const silence = `${room}/silence.test.ts`;
const custodian = `${room}/custodian.test.ts`;
const halts = `${room}/halts.test.ts`;
const questions = `${room}/questions.test.ts`;
const standingKey = `${room}/standing-key.test.ts`;
const review = 'test/operator/withdrawals.test.ts';
const ledgerTest = 'test/db/withdrawals.test.ts';

export const withdrawals: Room = {
  name: 'withdrawals',
  file: `${HERE}/plan-withdrawal.ts`,
  tests: [rules],
  mutations: [
    {
      name: 'the log leaves the fee out of the debit of a withdrawal',
      file: `${HERE}/commit-withdrawal.ts`,
      find: 'amount: plan.amount + plan.fee,',
      replace: 'amount: plan.amount,',
      tests: [payouts],
    },
    {
      name: 'the log leaves the fee out of the return of a withdrawal',
      file: `${HERE}/settle-withdrawal.ts`,
      find: 'transferOn(row, row.accountId, row.amount + row.fee)',
      replace: 'transferOn(row, row.accountId, row.amount)',
      tests: [custodian],
    },
    {
      name: 'the log leaves out the transfer of a withdrawal’s fee',
      file: `${HERE}/settle-withdrawal.ts`,
      find: 'row.fee > 0n ?',
      replace: '(false as boolean) ?',
      tests: [payouts],
    },
    {
      name: 'a withdrawal is settled from any status',
      file: `${HERE}/settle-withdrawal.ts`,
      find: 'sql`CASE WHEN ${withdrawals.status} = ${expected} THEN ${next} ELSE ${withdrawals.status} END`',
      replace: 'sql`CASE WHEN ${expected} = ${expected} THEN ${next} END`',
      tests: [review],
    },
    {
      name: 'a withdrawal is returned when the custodian does not answer',
      file: `${HERE}/pay-out.ts`,
      find: '  return undefined;\n}\n\nfunction applySettlement',
      replace: "  return { kind: 'failed', reason: 'silence' };\n}\n\nfunction applySettlement",
      tests: [silence],
    },
    {
      name: 'an open withdrawal is submitted without a look-up',
      file: `${HERE}/pay-out.ts`,
      find: 'isReleased ? neverAsked : await lookUp(context, row)',
      replace: 'neverAsked as CustodyState | typeof neverAsked',
      tests: [crashes],
    },
    {
      name: 'what the custodian has never seen is never submitted again',
      file: `${HERE}/pay-out.ts`,
      find: "found.kind === 'never_seen' ? await submit(context, row, isReleased) : found",
      replace: 'isReleased ? await submit(context, row, true) : (found as CustodyState)',
      tests: [silence],
    },
    {
      name: 'the retry of an open withdrawal submits it as if it were new',
      file: 'src/withdrawals/execute-withdrawal.ts',
      find: 'payOut(context, row, isFresh)',
      replace: 'payOut(context, row, isFresh || true)',
      tests: [crashes],
    },
    {
      name: 'each request that waits for the same payout asks the custodian',
      file: 'src/withdrawals/execute-withdrawal.ts',
      find: 'const paying = underWay.get(row.id) ??',
      replace: 'const paying = underWay.get(`${row.id} `) ??',
      tests: [custodian],
    },
    {
      name: 'the sweep asks about a payout that its request is still submitting',
      file: `${HERE}/withdrawal.ts`,
      find: 'FIRST_ASK_MS = 30_000',
      replace: 'FIRST_ASK_MS = 0',
      tests: [questions],
    },
    {
      name: 'the sweep asks first about the withdrawals that are due last',
      file: `${HERE}/withdrawal.ts`,
      find: 'ORDER BY next_ask_at LIMIT',
      replace: 'ORDER BY next_ask_at DESC LIMIT',
      tests: ['test/attacks/custody.node.test.ts'],
    },
    {
      name: 'the sweep does not double the pause for a withdrawal that stays open',
      file: `${HERE}/withdrawal.ts`,
      find: 'min(${withdrawals.asks}, 6)',
      replace: 'min(${withdrawals.asks}, 0)',
      tests: [questions],
    },
    {
      name: 'a payout is submitted although its release was not written',
      file: `${HERE}/pay-out.ts`,
      find: '!(await release(context, row))) return',
      replace: '!(await release(context, row)) && (false as boolean)) return',
      tests: [halts],
    },
    {
      name: 'the release by the batch that took the money never expires',
      file: `${HERE}/pay-out.ts`,
      find: 'now() - row.releasedAt < RELEASE_STANDS_MS',
      replace: 'now() > 0',
      tests: [halts],
    },
    {
      name: 'a payout that waits for its review is submitted without a release',
      file: GUARDS,
      find: "(OLD.status = 'PENDING' AND NEW.status IN ('PROCESSING', 'COMPLETED') AND NEW.released_at IS NULL)",
      replace: '0',
      tests: [ledgerTest],
    },
    {
      name: 'an approval accepts an address that is not usable yet',
      file: GUARDS,
      find: '\n          AND usable_at <= NEW.released_at',
      replace: '',
      tests: [halts],
    },
    {
      name: 'the batch accepts a key at the moment that it expires',
      file: GUARDS,
      find: 'expires_at <= NEW.committed_at',
      replace: 'expires_at < NEW.committed_at',
      tests: [ledgerTest],
    },
    {
      name: 'the batch compares the review threshold with one withdrawal alone',
      file: GUARDS,
      find: 'NEW.usd_value + used > (SELECT review_threshold',
      replace: 'NEW.usd_value > (SELECT review_threshold',
      tests: [inside],
    },
    {
      name: 'a withdrawal that the batch finds above the review threshold is refused',
      file: 'src/withdrawals/execute-withdrawal.ts',
      find: "if (outcome.kind === 'guarded' && outcome.guard === 'review_required') {",
      replace: 'if (false as boolean) {',
      tests: [inside],
    },
    {
      name: 'a lock after wrong codes is not logged',
      file: 'src/accounts/check-totp-code.ts',
      find: 'if (isLastAttempt(state)) logLock',
      replace: 'if (false as boolean) logLock',
      tests: ['test/api/logs.test.ts'],
    },
    {
      name: 'the custodian’s reason is shown to the account holder',
      file: `${HERE}/withdrawal.ts`,
      find: "  return 'refused';",
      replace: "  return reason as 'refused';",
      tests: [standingKey],
    },
    {
      name: 'the step of a code is not marked as used',
      file: `${HERE}/commit-withdrawal.ts`,
      find: 'if (totpStep === null) return',
      replace: 'if (totpStep !== undefined) return',
      tests: [codes],
    },
    {
      name: 'a step may be used twice',
      file: 'migrations/0009_security.sql',
      find: 'NEW.used_step <= OLD.used_step',
      replace: 'NEW.used_step < OLD.used_step',
      tests: [races],
    },
    {
      name: 'a code of two steps before is accepted',
      file: 'src/accounts/totp.ts',
      find: 'epochTolerance: STEP_S,',
      replace: 'epochTolerance: 2 * STEP_S,',
      tests: [codes],
    },
    {
      name: 'the lock is not checked',
      file: 'src/accounts/check-totp-code.ts',
      find: 'if (state.lockedUntil > now_ms)',
      replace: 'if (false as boolean)',
      tests: [codes],
    },
    {
      name: 'the lock lasts a millisecond too long',
      file: 'src/accounts/check-totp-code.ts',
      find: 'if (state.lockedUntil > now_ms)',
      replace: 'if (state.lockedUntil >= now_ms)',
      tests: [codes],
    },
    {
      name: 'guesses of a code at the console are not counted',
      file: 'src/accounts/totp.ts',
      find: 'countAttempt(database, accountId, now_ms),\n  ]);',
      replace: 'countAttempt(database, accountId, 0),\n  ]);',
      tests: ['test/console/attacks.node.test.ts'],
    },
    {
      name: 'attempts are not counted',
      file: `${HERE}/read-facts.ts`,
      find: 'hasCode ? [countAttempt(database, accountId, now_ms)] : []',
      replace: '[countAttempt(database, accountId, now_ms)].slice(1)',
      tests: [codes],
    },
    {
      name: 'a wrong code is not counted when another rule refuses as well',
      find: 'if (step.ok && step.value !== null) await clearAttempts(database, accountId);',
      replace: 'await clearAttempts(database, accountId);',
      tests: [codes],
    },
    {
      name: 'a code that another request used first is not counted as wrong',
      file: 'src/withdrawals/execute-withdrawal.ts',
      find: "(outcome.kind === 'guarded' && !isUsed)",
      replace: "outcome.kind === 'guarded'",
      tests: [races],
    },
    {
      name: 'an account withdraws to its own deposit address',
      find: 'if (owner === accountId)',
      replace: 'if (false as boolean)',
    },
    {
      name: 'a withdrawal of exactly the minimum is refused',
      find: 'if (amount < minimum)',
      replace: 'if (amount <= minimum)',
    },
    {
      name: 'a withdrawal that reaches the daily limit exactly is refused',
      find: 'facts.used + usdValue > facts.limit',
      replace: 'facts.used + usdValue >= facts.limit',
      tests: [limits],
    },
    {
      name: 'the value for the daily limit is rounded down',
      find: "toUsdt(asset, amount, firm.price, 'up')",
      replace: "toUsdt(asset, amount, firm.price, 'down')",
      tests: [limits],
    },
    {
      name: 'a withdrawal without a firm price has the value zero',
      find: "return firm && toUsdt(asset, amount, firm.price, 'up');",
      replace: "return firm ? toUsdt(asset, amount, firm.price, 'up') : 0n;",
    },
    {
      name: 'failed withdrawals count towards the daily limit',
      file: `${HERE}/read-facts.ts`,
      find: "        ne(withdrawals.status, 'FAILED'),\n",
      replace: '',
      tests: [limits],
    },
    {
      name: 'a withdrawal at exactly the review threshold waits',
      find: 'final.value > threshold',
      replace: 'final.value >= threshold',
      tests: [inside],
    },
    {
      name: 'a withdrawal to another account here costs the fee of the chain',
      find: 'fee: recipient === null ? allowed.value.fee : 0n,',
      replace: 'fee: allowed.value.fee,',
      tests: [inside],
    },
    {
      name: 'the batch counts a day that is a millisecond too long',
      file: GUARDS,
      find: 'committed_at > NEW.committed_at - 86400000 AND',
      replace: 'committed_at >= NEW.committed_at - 86400000 AND',
      tests: [limits],
    },
    {
      name: 'the batch does not check paused networks',
      file: GUARDS,
      find: 'SELECT value FROM settings, json_each(settings.paused_networks)',
      replace: 'SELECT value FROM settings, json_each(settings.paused_networks) WHERE 0',
      tests: [races],
    },
    {
      name: 'the batch accepts a withdrawal without a code: IS NOT became <>',
      file: GUARDS,
      find: 'used_step IS NOT NEW.totp_step',
      replace: 'used_step <> NEW.totp_step',
      tests: [races],
    },
    {
      name: 'the batch accepts an allowlist entry that is not usable yet',
      file: GUARDS,
      find: '\n          AND usable_at <= NEW.committed_at',
      replace: '',
      tests: [ledgerTest],
    },
    {
      name: 'a withdrawal that was paid may fail',
      file: GUARDS,
      find: "WHERE OLD.status IN ('COMPLETED', 'FAILED') OR (OLD",
      replace: "WHERE OLD.status IN ('FAILED') OR (OLD",
      tests: [ledgerTest],
    },
  ],
};
