// @runtime outside
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { databaseOfId, runFor } from '../support/db/open-in-ledger.ts';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asOperator, openAccount, expectCode } from '../support/exchange.ts';
import { accepted, expectRefusal, signIn, switchTotpOn } from '../support/holder/holders.ts';
import { recoverWithoutCode } from '../support/operator/changes-by-two.ts';
import {
  ADA,
  BOB,
  REVIEWER,
  approve,
  by,
  codeOf,
  employTwoAdmins,
  readProposal,
} from '../support/operator/two-people.ts';
import { holderEntrypoint } from '../support/runtime/test-env.ts';

const HOUR_MS = 3_600_000;
const allowed = { kind: 'allowed' } as const;

/** Two people agree that the holder of an account may recover it. Returns the answer of the second. */
async function agree(accountId: string): Promise<Response> {
  const { method, path, body } = await recoverWithoutCode(accountId);
  return approve(BOB, await readProposal(await by(ADA, method, path, body)));
}

beforeAll(employTwoAdmins);

describe('a recovery that two of the exchange’s people allow', () => {
  it('lets the holder in once, holds the account for 24 hours and ends the other sessions', async () => {
    const accountId = await openAccount();
    const { token: old } = await signIn(accountId);
    const { token } = await signIn(accountId, 'look');
    await expectRefusal(holderEntrypoint.recover(token, allowed), 'approval_required');
    expect((await agree(accountId)).status).toBe(200);
    expect((await accepted(holderEntrypoint.describe(token))).recoveryAllowedUntil_ms).toBeGreaterThan(
      Date.now() + 71 * HOUR_MS,
    );
    const both = await Promise.all([
      holderEntrypoint.recover(token, allowed),
      holderEntrypoint.recover(token, allowed),
    ]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    await expectRefusal(holderEntrypoint.describe(old), 'invalid_api_key');
    const after = await accepted(holderEntrypoint.describe(token));
    expect(after.heldUntil_ms).toBeGreaterThan(Date.now() + 23 * HOUR_MS);
    expect(after.recoveryAllowedUntil_ms).toBeNull();
    await expectRefusal(holderEntrypoint.recover(token, allowed), 'approval_required');
  });

  it('lets the second factor be switched off without a code, for 24 hours', async () => {
    const [accountId, late] = [await openAccount(), await openAccount()];
    for (const id of [accountId, late]) {
      await switchTotpOn((await signIn(id)).token);
      await agree(id);
      await accepted(holderEntrypoint.recover((await signIn(id, 'look')).token, allowed));
    }
    await accepted(holderEntrypoint.removeTotp((await signIn(accountId)).token, undefined));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * HOUR_MS + 1_000 });
    await expectRefusal(holderEntrypoint.removeTotp((await signIn(late)).token, undefined), 'totp_required');
  });

  it('is in the audit with the name of each of the two, and in the holder’s log with none', async () => {
    const accountId = await openAccount();
    const { token } = await signIn(accountId, 'look');
    await agree(accountId);
    await accepted(holderEntrypoint.recover(token, allowed));
    const results = await runFor(
      accountId,
      "SELECT actor, role, action FROM audit WHERE target = ? AND action LIKE '%recover%' ORDER BY id",
      accountId,
    );
    expect(results).toEqual([
      { actor: ADA, role: 'admin', action: 'ask_recovery' },
      { actor: BOB, role: 'admin', action: 'allow_recovery' },
      { actor: null, role: 'holder', action: 'recover_account' },
    ]);
    const log = await accepted(holderEntrypoint.listSecurityLog(token, null));
    expect(JSON.stringify(log)).not.toContain('@bureau.test');
    expect(log.slice(0, 3).map(({ action, by: who }) => [action, who])).toEqual([
      ['recover_account', 'holder'],
      ['allow_recovery', 'exchange'],
      ['ask_recovery', 'exchange'],
    ]);
  });

  it('tells the holder of the request and of the approval', async () => {
    const accountId = await openAccount();
    await signIn(accountId);
    const { last } = (await accepted(holderEntrypoint.listNotices(ledgerNumberOf(accountId), null))) ?? { last: 0 };
    await agree(accountId);
    const { notices } = (await accepted(holderEntrypoint.listNotices(ledgerNumberOf(accountId), last))) ?? {
      notices: [],
    };
    expect(notices.map((notice) => [notice.accountId, notice.action])).toEqual([
      [accountId, 'ask_recovery'],
      [accountId, 'allow_recovery'],
    ]);
  });

  it('lapses after 72 hours, and with a freeze', async () => {
    const accountId = await openAccount();
    await agree(accountId);
    const { token } = await signIn(accountId, 'look');
    await accepted(holderEntrypoint.freeze(token));
    await expectRefusal(holderEntrypoint.recover(token, allowed), 'approval_required');
    const late = await openAccount();
    await agree(late);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 72 * HOUR_MS + 1_000 });
    const { token: lateToken } = await signIn(late, 'look');
    expect((await accepted(holderEntrypoint.describe(lateToken))).recoveryAllowedUntil_ms).toBeNull();
    await expectRefusal(holderEntrypoint.recover(lateToken, allowed), 'approval_required');
  });

  it('is never one person’s doing, nor a bug’s', async () => {
    const accountId = await openAccount();
    const { method, path, body } = await recoverWithoutCode(accountId);
    const proposal = await readProposal(await by(REVIEWER, method, path, body));
    expect(await codeOf(await approve(REVIEWER, proposal))).toBe('409 invalid_state');
    const forge = databaseOfId(accountId).prepare('INSERT INTO allowed_recoveries VALUES (?, ?)');
    await expect(forge.bind(accountId, Date.now() + 72 * HOUR_MS).run()).rejects.toThrow('guard: two_people_needed');
    const agreed = await openAccount();
    await agree(agreed);
    for (const [longer, message] of [
      ['UPDATE allowed_recoveries SET expires_at = expires_at + 1 WHERE account_id = ?', 'is never changed'],
      ['INSERT OR REPLACE INTO allowed_recoveries VALUES (?, 9000000000000)', 'lasts 72 hours'],
    ] as const) {
      await expect(databaseOfId(agreed).prepare(longer).bind(agreed).run()).rejects.toThrow(
        `guard: an allowed recovery ${message}`,
      );
    }
    const unheld = await openAccount();
    await expectCode(asOperator('POST', `/accounts/${unheld}/recovery`, body), '409 invalid_state');
  });
});
