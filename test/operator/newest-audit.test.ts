// @runtime outside
import { beforeAll, describe, expect, it } from 'vitest';
import { openTrader, operate } from '../support/exchange.ts';
import { changes } from '../support/operator/changes-by-two.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { ADA, BOB, approve, by, employTwoAdmins, readProposal } from '../support/operator/two-people.ts';
import { forgetEarlierAudit } from '../support/runtime/forget-earlier-audit.ts';
import { sql } from '../support/db/sql.ts';

beforeAll(() => employTwoAdmins());
forgetEarlierAudit();

describe('a batch that needs a row of the audit', () => {
  it.each(changes)('begins with it, and needs none of an earlier batch: %s', async (_what, prepare) => {
    const { method, path, body, read } = await prepare(await openTrader({ USDT: '1000', ETH: '5' }));
    const before = await read();
    const approved = await approve(BOB, await readProposal(await by(ADA, method, path, body)));
    expect(approved.status).toBe(200);
    expect(await read()).not.toEqual(before);
  });

  it('begins with it, and needs none of an earlier batch: a deposit that is kept', async () => {
    const { id } = await quarantine('LTC', '2');
    await operate('POST', `/deposits/${id}/keep`, { reason: 'nobody asked' });
  });

  it('is refused by the row of an earlier one', async () => {
    await sql(`INSERT INTO audit (id, ts, role, action, target, detail)
      SELECT max(id) + 1, 1, 'admin', 'change_settings', 'settings', '{}' FROM audit`).run();
    const plan = sql(`UPDATE settings SET shares = json_set(shares, '$.x', json('{}')), revision = revision + 1`);
    await expect(plan.run()).rejects.toThrow('guard: no audit row names the shares');
  });
});
