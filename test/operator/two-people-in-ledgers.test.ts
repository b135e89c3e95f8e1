// @runtime three-ledgers
import { beforeAll, describe, expect, it } from 'vitest';
import { keepSettings } from '../../src/db/copy-settings.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { type ProblemBody, asOperator, json, operate, expectCode } from '../support/exchange.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { type Change, changesOfAccounts, raiseLimit } from '../support/operator/changes-by-two.ts';
import { employ } from '../support/operator/access.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import {
  ADA,
  BOB,
  LEAVER,
  TREASURER,
  approve,
  by,
  employTwoAdmins,
  readProposal,
} from '../support/operator/two-people.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';

const ledgers = [0, 1, 2] as const;

/** Whether each ledger knows that two people are admins. */
const readTwo = () =>
  Promise.all(ledgers.map((ledger) => sqlIn(ledger, 'SELECT count(*) AS n FROM two_admins').first<number>('n')));

const send = (email: string, { method, path, body }: Change) => by(email, method, path, body);

beforeAll(employTwoAdmins);

describe.each(ledgers)('at an account of ledger %i', (ledger) => {
  it.each(changesOfAccounts)('one person proposes and another approves: %s', async (_what, prepare) => {
    const change = await prepare(await openTraderIn(ledger));
    const before = await change.read();
    const proposal = await readProposal(await send(ADA, change));
    expect(ledgerNumberOf(proposal.id)).toBe(ledger);
    expect(await change.read()).toEqual(before);
    await expectCode(approve(ADA, proposal), '409 invalid_state');
    await expectCode(approve(BOB, proposal), '200');
    expect(await change.read()).not.toEqual(before);
    const row = await sqlIn(ledger, 'SELECT actor FROM audit WHERE proposal = ?', proposal.id).first('actor');
    expect(row).toBe(BOB);
  });

  it('a change goes on needing two people when the settings are changed meanwhile', async () => {
    await operate('PATCH', '/settings', { spreadBps: 1 });
    const change = raiseLimit(await openTraderIn(ledger));
    expect((await send(ADA, change)).status).toBe(202);
    await asOperator('PATCH', '/settings', { spreadBps: 0 });
  });
});

describe('what one person credits by hand', () => {
  it('has one limit in all ledgers together', async () => {
    for (const ledger of ledgers) await sqlIn(ledger, 'DELETE FROM hand_credits').run();
    const credit = async (ledger: number, amount: string) => {
      const { accountId } = await openTraderIn(ledger);
      const body = { asset: 'LTC', amount, reference: 'by hand' };
      return (await by(TREASURER, 'POST', `/accounts/${accountId}/credits`, body)).status;
    };
    expect([await credit(1, '0.9'), await credit(2, '0.9'), await credit(2, '0.3')]).toEqual([201, 201, 202]);
    expect([await credit(0, '0.3'), await credit(1, '0.2'), await credit(0, '0.1')]).toEqual([202, 201, 202]);
  });
});

describe('the rule that two people must agree', () => {
  it('is copied to every ledger with the second admin, and ends in all of them', async () => {
    expect(await readTwo()).toEqual([1, 1, 1]);
    const proposal = await readProposal(await by(ADA, 'PUT', `/staff/${BOB}`, { roles: [] }));
    await expectCode(approve(BOB, proposal), '200');
    expect(await readTwo()).toEqual([0, 0, 0]);
    for (const ledger of ledgers) {
      expect((await send(ADA, raiseLimit(await openTraderIn(ledger)))).status).toBe(200);
    }
    await employ(BOB, 'admin');
    expect(await readTwo()).toEqual([1, 1, 1]);
  });

  it('is finished by a ledger’s keeper where the copy was not confirmed, which the answer says', async () => {
    const leave = await readProposal(await by(ADA, 'PUT', `/staff/${BOB}`, { roles: [] }));
    await expectCode(approve(BOB, leave), '200');
    const isCopy = (text: string) => text.includes('"has_two_admins\\" = ');
    const lost = aroundBatches('before', 1, fail(CONNECTION_LOST), isCopy);
    const answer = await asOperator('PUT', `/staff/${BOB}`, { roles: ['admin'] });
    lost.restore();
    await expectCode(answer, '503 service_unavailable');
    expect(lost.state.injected).toBe(1);
    const behind = (await readTwo()).indexOf(0);
    expect([1, 2]).toContain(behind);
    await keepSettings(env, behind, Date.now());
    expect(await readTwo()).toEqual([1, 1, 1]);
  });

  it('lets the copies of settings follow that two people have changed', async () => {
    await operate('PATCH', '/settings', { tradingHalted: true });
    const change = {
      tradingHalted: false,
      reviewThreshold: null,
      allowlistMode: 'strict',
      approvalAbove: { LTC: '3' },
    };
    await expectCode(approve(BOB, await readProposal(await by(ADA, 'PATCH', '/settings', change))), '200');
    const columns = 'trading_halted, review_threshold, allowlist_mode, approval_above';
    const rows = await Promise.all(ledgers.map((ledger) => sqlIn(ledger, `SELECT ${columns} FROM settings`).first()));
    for (const row of rows) {
      expect(row).toMatchObject({ trading_halted: 0, review_threshold: null, allowlist_mode: 'strict' });
      expect(row).toEqual(rows[0]);
    }
  });

  it('shows the proposals of all ledgers, and takes each decision where the proposal is', async () => {
    const traders = await Promise.all(ledgers.map(openTraderIn));
    for (const trader of traders) {
      const proposal = await readProposal(await send(ADA, raiseLimit(trader)));
      const declined = await by(LEAVER, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'no' });
      await expectCode(declined, '403 insufficient_role');
      const mine = await by(ADA, 'POST', `/proposals/${proposal.id}/decline`, { reason: 'a mistake' });
      expect(await readProposal(mine, 200)).toMatchObject({ id: proposal.id, status: 'DECLINED', decidedBy: ADA });
    }
  });
});

describe('a quarantined deposit of ledger 0', () => {
  it('is not credited to an account of another ledger, and the answer says what to do', async () => {
    const { id } = await quarantine('ETH', '0.02');
    const { accountId } = await openTraderIn(1);
    const refused = await by(ADA, 'POST', `/deposits/${id}/credit`, { accountId, reason: 'its owner asked' });
    expect(refused.status).toBe(409);
    const { code, detail } = await json<ProblemBody>(refused);
    expect([code, detail]).toEqual(['invalid_state', expect.stringContaining('another ledger')]);
  });
});
