// @runtime outside
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { digestRequest } from '../../src/operator/proposals.ts';
import {
  type ProblemBody,
  type Trader,
  asOperator,
  json,
  openTrader,
  expectCode,
  codeOf,
} from '../support/exchange.ts';
import { raiseLimit, recoverWithoutCode } from '../support/operator/changes-by-two.ts';
import { agreeQuick } from '../support/operator/settlements.ts';
import {
  ADA,
  BOB,
  REVIEWER,
  type Proposal,
  TREASURER,
  approve,
  by,
  employTwoAdmins,
  look,
  readProposal,
} from '../support/operator/two-people.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

const DAY_MS = 86_400_000;

let trader: Trader;
beforeAll(employTwoAdmins);
beforeEach(async () => {
  trader = await openTrader({ USDT: '1000', ETH: '5' });
});

describe('a proposal', () => {
  /** One of ADA, and a look at what it would change. */
  async function make(): Promise<{ proposal: Proposal; expectNothing: () => Promise<void> }> {
    const { method, path, body, read } = raiseLimit(trader);
    const before = await read();
    const proposal = await readProposal(await by(ADA, method, path, body));
    return { proposal, expectNothing: async () => expect(await read()).toEqual(before) };
  }

  it('is not approved by its maker', async () => {
    const { proposal, expectNothing } = await make();
    await expectCode(approve(ADA, proposal), '409 invalid_state');
    await expectCode(approve(ADA.toUpperCase(), proposal), '409 invalid_state');
    await expectNothing();
  });

  it('is not approved twice, also at once', async () => {
    const agreed = agreeQuick(trader, 'BUY');
    const proposal = await readProposal(await by(ADA, 'POST', '/settlements', agreed));
    const answers = await atOnce(6, () => approve(BOB, proposal));
    const codes = await Promise.all(answers.map(codeOf));
    expect(codes.filter((code) => code === '200').length).toBeGreaterThanOrEqual(1);
    await expectCode(approve(BOB, proposal), '409 invalid_state');
    const named = await sql('SELECT count(*) AS rows FROM audit WHERE proposal = ?', proposal.id).first();
    expect(named).toEqual({ rows: 1 });
    expect((await trader.balances())['USDT']).toBe('900');
  });

  it('is not approved late', async () => {
    const { proposal, expectNothing } = await make();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS });
    await expectCode(approve(BOB, proposal), '409 invalid_state');
    expect((await look(proposal.id)).status).toBe('EXPIRED');
    await expectNothing();
    // The same request is another proposal then.
    const { method, path, body } = raiseLimit(trader);
    const again = await readProposal(await by(ADA, method, path, body));
    expect(again.id).not.toBe(proposal.id);
    expect((await look(proposal.id)).status).toBe('EXPIRED');
  });

  it('is not approved under the digest of another request, nor with a changed body', async () => {
    const { proposal, expectNothing } = await make();
    const body = JSON.stringify({ dailyWithdrawalLimit: '90000' });
    const path = `/operator/v1/accounts/${trader.accountId}`;
    const digest = await digestRequest({ method: 'PATCH', path, body });
    expect(digest).not.toBe(proposal.digest);
    await expectCode(approve(BOB, { ...proposal, digest }), '409 invalid_state');
    for (const text of [`body = '${body}'`, `path = '/operator/v1/settings'`, `digest = '${digest}'`]) {
      for (const update of ['UPDATE', 'UPDATE OR REPLACE']) {
        const changed = sql(`${update} proposals SET ${text} WHERE id = ?`, proposal.id).run();
        await expect(changed).rejects.toThrow('guard: a proposal keeps what it is');
      }
    }
    await expectNothing();
  });

  it('is not approved by somebody who may not make the change', async () => {
    const { proposal, expectNothing } = await make();
    for (const email of [TREASURER, REVIEWER]) {
      await expectCode(approve(email, proposal), '403 insufficient_role');
    }
    await expectCode(
      by(TREASURER, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'x' }),
      '403 insufficient_role',
    );
    await expectNothing();
    expect((await look(proposal.id)).status).toBe('OPEN');
  });

  it('is declined by another, or taken back by its maker, and then never executed', async () => {
    for (const email of [BOB, ADA]) {
      const { proposal, expectNothing } = await make();
      const declined = await by(email, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'not agreed' });
      expect(await readProposal(declined, 200)).toMatchObject({
        status: 'DECLINED',
        decidedBy: email,
        reason: 'not agreed',
      });
      await expectCode(approve(BOB, proposal), '409 invalid_state');
      await expectNothing();
    }
  });

  it('stays open when the change is refused, and is executed once it can be', async () => {
    const agreed = agreeQuick(trader, 'BUY', { usdtAmount: '1500' });
    const refused = await by(TREASURER, 'POST', '/settlements', agreed);
    const proposal = refused.status === 202 ? await readProposal(refused) : undefined;
    if (!proposal) throw new Error(await refused.text());
    await expectCode(approve(ADA, proposal), '422 insufficient_balance');
    expect((await look(proposal.id)).status).toBe('OPEN');
    await asOperator('POST', `/accounts/${trader.accountId}/credits`, {
      asset: 'USDT',
      amount: '500',
      reference: 'more',
    });
    await expectCode(approve(ADA, proposal), '200');
    expect((await trader.balances())['USDT']).toBe('0');
  });

  it('is one, however often the same request is sent', async () => {
    const { method, path, body } = raiseLimit(trader);
    const sent = await atOnce(5, () => by(ADA, method, path, body));
    const ids = await Promise.all(sent.map(async (response) => (await readProposal(response)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('is listed by its state', async () => {
    const { proposal } = await make();
    const list = async (query: string) =>
      (await json<{ proposals: Proposal[] }>(await by(REVIEWER, 'GET', `/proposals${query}`))).proposals;
    expect(await list('')).toContainEqual(proposal);
    expect((await list('?status=OPEN')).map(({ id }) => id)).toContain(proposal.id);
    expect((await list('?status=DECLINED')).map(({ id }) => id)).not.toContain(proposal.id);
    await expectCode(asOperator('GET', '/proposals/nothing'), '404 not_found');
  });

  it('is one of 20 that one person has open, also of those made at once, and others make theirs', async () => {
    const declineAll = sql(
      `UPDATE proposals SET status = 'DECLINED', decided_by = 'operator', decided_at = 1, reason = 'x' WHERE status = 'OPEN'`,
    );
    await declineAll.run();
    const { method, path } = raiseLimit(trader);
    const raise = (email: string, to: number) => by(email, method, path, { dailyWithdrawalLimit: String(to) });
    const answers = await atOnce(30, (nth) => raise(ADA, 9_000 + nth));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    const problem = await json<ProblemBody>(await raise(ADA, 8_000));
    const { code, status, detail } = exampleOfProblem('approval_required', false) as ProblemBody;
    expect(problem).toMatchObject({ code, status, detail });
    await readProposal(await raise(BOB, 8_000));
    // Those that have expired count no more.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS });
    await readProposal(await raise(ADA, 8_000));
    vi.useRealTimers();
    await declineAll.run();
  });
});

describe('a recovery', () => {
  it('is proposed once at a time for an account, and its holder is told once', async () => {
    const recovery = await recoverWithoutCode(trader.accountId);
    const other = await recoverWithoutCode((await openTrader()).accountId);
    const propose = (email: string, reason: string, { path } = recovery) => by(email, 'POST', path, { reason });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((reason) => propose(REVIEWER, reason)));
    const made = answers.filter(({ status }) => status === 202);
    expect(made).toHaveLength(1);
    const proposal = await readProposal(made[0] as Response);
    await expectCode(propose(ADA, 'e'), '409 invalid_state');
    expect((await propose(REVIEWER, 'a', other)).status).toBe(202);
    const told = () =>
      sql(`SELECT count(*) AS n FROM audit WHERE action = 'ask_recovery' AND target = ?`, trader.accountId).first('n');
    expect(await told()).toBe(1);
    await by(ADA, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'not them' });
    expect((await propose(ADA, 'e')).status).toBe(202);
    expect(await told()).toBe(2);
  });
});
