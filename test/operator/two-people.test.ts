// @runtime outside
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { atOnce } from '../support/at-once.ts';
import { drawHash, reportFor } from '../support/deposits.ts';
import { type Trader, asOperator, operate, openTrader, expectCode, asToken } from '../support/exchange.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { forgetEarlierAudit } from '../support/runtime/forget-earlier-audit.ts';
import { accepted, signIn, switchTotpOn, codeOf as totpCodeOf } from '../support/holder/holders.ts';
import { giveHolder } from '../support/holder/invite.ts';
import { changes, raiseLimit } from '../support/operator/changes-by-two.ts';
import {
  ADA,
  BOB,
  LEAVER,
  TREASURER,
  approve,
  by,
  employTwoAdmins,
  look,
  readProposal,
} from '../support/operator/two-people.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { type Row, audit } from '../support/db/raw-ledger.ts';
import { listRows, sql } from '../support/db/sql.ts';

const DAY_MS = 86_400_000;
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

let trader: Trader;
beforeAll(employTwoAdmins);
forgetEarlierAudit();
beforeEach(async () => {
  trader = await openTrader({ USDT: '1000', ETH: '5' });
});

// Each is made by a batch that begins with its row of the audit, and needs none of an earlier batch.
describe('a change that needs two people', () => {
  it.each(changes)('is one person’s proposal and another’s approval: %s', async (_what, prepare) => {
    const { method, path, body, read } = await prepare(trader);
    const before = await read();
    const proposal = await readProposal(await by(ADA, method, path, body));
    expect(proposal).toMatchObject({ status: 'OPEN', method, path: `/operator/v1${path}`, body, proposedBy: ADA });
    expect(await read()).toEqual(before);

    const approved = await approve(BOB, proposal);
    expect(await readProposal(approved, 200)).toMatchObject({ status: 'APPROVED', proposedBy: ADA, decidedBy: BOB });
    expect(await read()).not.toEqual(before);
    const results = await listRows<Record<string, string>>(
      'SELECT actor, action, target, proposal FROM audit WHERE proposal = ?1 OR target = ?1 ORDER BY id',
      proposal.id,
    );
    expect(results).toMatchObject([
      { actor: ADA, action: 'propose', target: proposal.id, proposal: null },
      { actor: BOB, proposal: proposal.id },
    ]);
    expect(results).toHaveLength(2);
  });

  it.each(changes)('may be proposed by a token, which never approves: %s', async (_what, prepare) => {
    const { method, path, body, read } = await prepare(trader);
    const before = await read();
    const proposal = await readProposal(await asOperator(method, path, body));
    const { id, digest } = proposal;
    await expectCode(asOperator('POST', `/proposals/${id}/approve`, { digest }), '403 insufficient_role');
    expect([(await look(id)).status, await read()]).toEqual(['OPEN', before]);
    await expectCode(approve(BOB, proposal), '200');
    expect(await read()).not.toEqual(before);
  });

  it('is made by one where two need not agree: a lower limit, a halt, a small credit', async () => {
    const account = `/accounts/${trader.accountId}`;
    await expectCode(by(ADA, 'PATCH', account, { dailyWithdrawalLimit: '10' }), '200');
    await expectCode(by(ADA, 'PATCH', '/settings', { tradingHalted: true }), '200');
    const credit = { asset: 'LTC', amount: '2', reference: 'small' };
    await expectCode(by(TREASURER, 'POST', `${account}/credits`, credit), '201');
  });
});

it('a proposal of settings says why, and the audit of its approval too', async () => {
  const body = { maxAtVenues: '77', reason: 'the auditors ask for it' };
  const proposal = await readProposal(await by(ADA, 'PATCH', '/settings', body));
  expect(proposal.body).toEqual(body);
  await expectCode(approve(BOB, proposal), '200');
  const rows = await listRows<{ detail: string }>('SELECT detail FROM audit WHERE proposal = ?', proposal.id);
  expect(rows.map(({ detail }) => JSON.parse(detail))).toEqual([{ maxAtVenues: '77', because: body.reason }]);
});

it('a spread below what hedges cost is neither proposed nor approved', async () => {
  const hedging = { venue: 'v', outer: '9', inner: '0', maxAgeSeconds: 1, limitBps: 30, maxHedge: '50000', feeBps: 25 };
  const terms = (spreadBps: number) => ({ coinTerms: { BTC: { spreadBps, hedging } } });
  const proposals = () => listRows('SELECT id FROM proposals');
  const before = await proposals();
  await expectCode(by(ADA, 'PATCH', '/settings', terms(28)), '409 invalid_state');
  expect(await proposals()).toEqual(before);
  // One that was right when it was proposed.
  await sql('UPDATE settings SET spread_bps = 29').run();
  const { BTC } = terms(0).coinTerms;
  const proposal = await readProposal(
    await by(ADA, 'PATCH', '/settings', { coinTerms: { BTC: { hedging: BTC.hedging } } }),
  );
  await sql('UPDATE settings SET spread_bps = NULL').run();
  await expectCode(approve(BOB, proposal), '409 invalid_state');
  expect((await look(proposal.id)).status).toBe('OPEN');
  await expectCode(by(BOB, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'thin' }), '200');
});

describe('what one person credits by hand', () => {
  const credit = (email: string, amount: string, asset = 'LTC') =>
    by(email, 'POST', `/accounts/${trader.accountId}/credits`, {
      asset,
      amount,
      reference: `${amount} ${asset} of ${email}`,
    });
  const report = async (email: string, amount: string, confirmations: number, txHash: string) => {
    return by(email, 'POST', '/deposits', await reportFor(trader, { network: 'LTC', amount, confirmations, txHash }));
  };
  const hash = () => drawHash('LTC');
  beforeEach(() => sql('DELETE FROM hand_credits').run());
  it('is limited by its sum of 24 hours for each asset, credits and reported deposits together', async () => {
    expect((await credit(ADA, '1')).status).toBe(201);
    const seen = hash();
    expect((await report(ADA, '0.6', 1, seen)).status).toBe(201);
    expect((await report(ADA, '0.6', 100, seen)).status).toBe(200);
    expect((await report(ADA, '0.41', 100, hash())).status).toBe(202);
    expect((await report(ADA, '0.4', 100, hash())).status).toBe(201);
    expect((await credit(ADA, '0.00000001')).status).toBe(202);
    expect((await credit(ADA, '1', 'USDT')).status).toBe(201);
    // Another person has a limit of their own, and so has the operator's token.
    expect((await credit(BOB, '2')).status).toBe(201);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS - 60_000 });
    expect((await credit(ADA, '0.00000002')).status).toBe(202);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await credit(ADA, '2')).status).toBe(201);
    const results = await listRows(`SELECT amount FROM hand_credits WHERE person = ? AND asset = 'LTC'`, ADA);
    expect(results).toEqual([{ amount: 200_000_000 }]);
  });

  it('does not count what two people agreed on', async () => {
    const proposal = await readProposal(await credit(TREASURER, '2.5'));
    await expectCode(approve(ADA, proposal), '200');
    for (const email of [TREASURER, ADA]) expect((await credit(email, '2')).status).toBe(201);
  });

  it('is no more by credits that are sent at once', async () => {
    const answers = await atOnce(10, (nth) => credit(ADA, `0.7${nth}`));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(8);
  });

  it('is nothing of an asset for which no amount is set', async () => {
    expect((await credit(ADA, '0.00000001', 'DOGE')).status).toBe(202);
  });
});

describe('a member of staff who is no admin', () => {
  const set = (email: string, roles: readonly string[]) => by(ADA, 'PUT', `/staff/${email}`, { roles });
  const grant = async (email: string, roles: readonly string[]) =>
    approve(BOB, await readProposal(await set(email, roles)));

  it('loses roles by one admin’s decision, and gets none by it', async () => {
    await grant('clerk@bureau.test', ['support', 'compliance']);
    expect((await set('clerk@bureau.test', ['support'])).status).toBe(200);
    expect((await set('clerk@bureau.test', ['compliance'])).status).toBe(202);
    expect((await set('clerk@bureau.test', [])).status).toBe(200);
    expect((await set('clerk@bureau.test', ['support'])).status).toBe(202);
    await expectCode(by('clerk@bureau.test', 'GET', '/accounts'), '403 insufficient_role');
  });

  it('is no admin: one admin alone leaves their number as it is', async () => {
    await grant('third@bureau.test', ['admin', 'support']);
    for (const roles of [[], ['support'], ['admin']]) {
      expect((await set('third@bureau.test', roles)).status).toBe(202);
    }
    expect((await set(BOB, [])).status).toBe(202);
  });
});

describe('a holder', () => {
  it('changes their own account alone', async () => {
    const { token } = await signIn(trader.accountId);
    const secret = await switchTotpOn(token);
    await accepted(holderEntrypoint.makeKey(token, { label: 'bot', scopes: ['read'] }));
    await accepted(holderEntrypoint.approveAddress(token, { network: 'ETH', address: COLD, label: 'cold' }));
    await accepted(holderEntrypoint.removeTotp(token, await totpCodeOf(secret, 1)));
  });
});

describe('the second factor of an account that has a holder', () => {
  it('is switched off by two people, also by a request without a body', async () => {
    await sql(`INSERT INTO totp (account_id, sealed_secret, confirmed_at) VALUES (?, 's', 1)`, trader.accountId).run();
    await giveHolder(trader.accountId);
    const proposal = await readProposal(await by(ADA, 'DELETE', `/accounts/${trader.accountId}/totp`));
    await expectCode(approve(BOB, proposal), '200');
    expect(await sql('SELECT confirmed_at FROM totp WHERE account_id = ?', trader.accountId).first()).toEqual({
      confirmed_at: null,
    });
  });
});

describe('a deposit that the custodian reports', () => {
  it('is credited whatever its amount, by its token alone', async () => {
    const report = await reportFor(trader, { network: 'LTC', amount: '7' });
    await expectCode(asToken(env.DEPOSIT_TOKEN, 'POST', '/deposits', report), '201');
    expect((await trader.balances())['LTC']).toBe('7');
  });
});

describe('a batch that needs a row of the audit', () => {
  it('begins with it, and needs none of an earlier batch: a deposit that is kept', async () => {
    const { id } = await quarantine('LTC', '2');
    await operate('POST', `/deposits/${id}/keep`, { reason: 'nobody asked' });
  });

  it('is refused by the row of an earlier one', async () => {
    await audit('change_settings', 'settings', {}, { role: 'admin' }).run();
    const plan = sql(`UPDATE settings SET shares = json_set(shares, '$.x', json('{}')), revision = revision + 1`);
    await expect(plan.run()).rejects.toThrow('guard: no audit row names the shares');
  });
});

describe('the database', () => {
  const audited = (action: string, target: string, more: Row = {}) =>
    audit(action, target, {}, { ts: Date.now(), role: 'admin', ...more });

  it('refuses each change without its proposal, also with a row of the audit', async () => {
    await sql('UPDATE settings SET trading_halted = 1, withdrawals_halted = 1').run();
    const id = trader.accountId;
    await sql(`INSERT INTO totp (account_id, sealed_secret, confirmed_at) VALUES (?, 'sealed', 1)`, id).run();
    await giveHolder(trader.accountId);
    const attempts: readonly (readonly [string, string, string])[] = [
      ['set_roles', LEAVER, `UPDATE staff SET roles = '["admin"]' WHERE email = '${LEAVER}'`],
      ['set_roles', 'x@y.z', `INSERT INTO staff VALUES ('x@y.z', '["admin"]', 1)`],
      ['set_roles', LEAVER, `INSERT OR REPLACE INTO staff VALUES ('${LEAVER}', '["admin"]', 1)`],
      ['set_roles', BOB, `INSERT OR REPLACE INTO staff VALUES ('${BOB}', '[]', 1)`],
      ['set_roles', BOB, `UPDATE staff SET roles = '[]' WHERE email = '${BOB}'`],
      ['change_account', id, `UPDATE accounts SET daily_withdrawal_limit = 9000000000000 WHERE id = '${id}'`],
      ['change_settings', 'settings', 'UPDATE settings SET trading_halted = 0'],
      ['change_settings', 'settings', 'UPDATE settings SET withdrawals_halted = 0'],
      [
        'change_settings',
        'settings',
        `UPDATE settings SET allowlist_mode = iif(allowlist_mode IS 'off', 'strict', 'off')`,
      ],
      ['change_settings', 'settings', `UPDATE settings SET approval_above = '{}'`],
      [
        'create_api_key',
        id,
        `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, rate_limits, created_at)
        VALUES ('new', '${id}', 'x', 'read', 'x', '{}', 1)`,
      ],
      ['approve_address', id, `INSERT INTO allowlist VALUES ('${id}', 'new', 'ETH', '0x1', 'x', 1)`],
      ['remove_totp', id, `UPDATE totp SET sealed_secret = NULL, confirmed_at = NULL WHERE account_id = '${id}'`],
      ['remove_totp', id, `UPDATE totp SET sealed_secret = 'another' WHERE account_id = '${id}'`],
    ];
    for (const [action, target, change] of attempts) {
      await expect(sql(change).run(), change).rejects.toThrow('guard: two_people_needed');
      await expect(env.DB.batch([audited(action, target), sql(change)]), change).rejects.toThrow(
        'guard: two_people_needed',
      );
    }
    await expect(audited('settle_withdrawal', id).run()).rejects.toThrow('guard: two_people_needed');
  });

  it('refuses a higher limit of the exchange, in whichever ledger, and lets shares move between ledgers', async () => {
    const change = (...shares: readonly string[]) =>
      env.DB.batch([
        audited('change_shares', 'settings'),
        sql(
          `UPDATE settings SET revision = revision + 1,
             shares = json_set(shares, '$."house:custody".BTC', json(?))`,
          JSON.stringify(shares),
        ),
      ]);
    const whole = await sql(`SELECT shares ->> '$."house:custody".BTC[0]' AS share FROM settings`).first<string>(
      'share',
    );
    const less = String(Number(whole) - 5);
    await change(less, '5');
    await expect(change(less, '6')).rejects.toThrow('guard: two_people_needed');
    await expect(change(whole ?? '', '1')).rejects.toThrow('guard: two_people_needed');
    await change(less, '4');
    await change(less);
  });

  it('takes an approval only by the row of the change, of another person, in time, of the same request', async () => {
    const { method, path, body } = raiseLimit(trader);
    const { id, digest } = await readProposal(await by(ADA, method, path, body));
    const approveRaw = (actor: string | null, proposal: string, request: string) =>
      audited('change_account', trader.accountId, { actor, proposal, request });
    await expect(approveRaw(null, id, digest).run()).rejects.toThrow('guard: a person approves');
    await expect(approveRaw(BOB, id, 'other').run()).rejects.toThrow('guard: a person approves');
    await expect(approveRaw(BOB, 'other', digest).run()).rejects.toThrow('guard: a person approves');
    await expect(approveRaw(ADA, id, digest).run()).rejects.toThrow('guard: proposed_by_oneself');
    for (const change of [
      `status = 'APPROVED', decided_by = '${BOB}', decided_at = 1`,
      `status = 'EXPIRED', decided_at = 1`,
      `expires_at = 9000000000000`,
    ]) {
      await expect(sql(`UPDATE proposals SET ${change} WHERE id = ?`, id).run(), change).rejects.toThrow('guard: ');
    }
    await expect(sql('DELETE FROM proposals WHERE id = ?', id).run()).rejects.toThrow('never deleted');
    const copy = (status: string, expires: string, decided: string) =>
      sql(
        `INSERT INTO proposals SELECT 'copy', method, path, body, 'other', duty, proposed_by, proposed_at, ${expires},
           '${status}', ${decided}, NULL FROM proposals WHERE id = ?`,
        id,
      );
    for (const begun of [copy('APPROVED', 'expires_at', `'${BOB}', 1`), copy('OPEN', 'expires_at + 1', 'NULL, NULL')]) {
      await expect(begun.run()).rejects.toThrow('guard: a proposal begins open, for 24 hours');
    }
    const late = audited('x', 'x', { ts: Date.now() + DAY_MS, actor: BOB, proposal: id, request: digest });
    await expect(late.run()).rejects.toThrow('guard: proposal_expired');
    await approveRaw(BOB, id, digest).run();
    await expect(approveRaw(BOB, id, digest).run()).rejects.toThrow('guard: proposal_decided');
  });
});
