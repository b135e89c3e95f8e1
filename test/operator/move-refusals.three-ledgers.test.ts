import { describe, expect, it, vi } from 'vitest';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { type Trader } from '../support/exchange.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { TWO_DAYS_MS, expectRefused, report, credit, beginMoves } from '../support/operator/moved-accounts.ts';
import { askMove, readHeldIn, setStatus } from '../support/operator/moves.ts';
import { agreeP2p, settle } from '../support/operator/settlements.ts';
import { CONNECTION_LOST, aroundBatch, fail } from '../support/runtime/faults.ts';
import { moveClock, readTaken, setSettings, withdraw } from '../support/withdrawals/withdrawals.ts';

beginMoves();

/** Lets the holder of an account of ledger 0 recover it, as two people do. */
async function allowRecovery({ accountId }: Trader): Promise<void> {
  const [database, id, now_ms] = [databaseOf(0), crypto.randomUUID(), Date.now()];
  await database.batch([
    database
      .prepare(
        `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
         VALUES (?1, 'POST', '/', '', ?1, 'recover_accounts', 'ada', ?2, ?2 + 86400000, 'OPEN')`,
      )
      .bind(id, now_ms),
    database
      .prepare(
        `INSERT INTO audit (id, ts, role, actor, action, target, detail, proposal, request)
         SELECT coalesce(max(id), 0) + 1, ?1, 'admin', 'bob', 'allow_recovery', ?2, '{}', ?3, ?3 FROM audit`,
      )
      .bind(now_ms, accountId, id),
    database.prepare('INSERT INTO allowed_recoveries VALUES (?, ?)').bind(accountId, now_ms + 3 * 86_400_000),
  ]);
}

describe('a move is refused', () => {
  const expectStays = async (trader: Trader, detail: string) => {
    await expectRefused(await askMove(trader, 1), 409, 'invalid_state', detail);
    const row = await databaseOf(0)
      .prepare('SELECT moved_to FROM accounts WHERE id = ?')
      .bind(trader.accountId)
      .first();
    expect(row).toEqual({ moved_to: null });
  };

  it('to a ledger that does not exist, and of an account that does not', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    await expectRefused(await askMove(trader, 3), 400, 'invalid_request');
    await expectRefused(await askMove(trader, 0), 409, 'invalid_state', 'in this ledger');
    await expectRefused(await askMove({ accountId: trader.keyId }, 1), 404, 'not_found');
  });

  it('while the account is not frozen', async () => {
    await expectStays(await openTraderIn(0), 'Freeze');
  });

  it('for 48 hours after a withdrawal', async () => {
    const trader = await openTraderIn(0);
    await readTaken(await withdraw(trader));
    await setStatus(trader, 'frozen');
    moveClock(TWO_DAYS_MS - 1);
    await expectStays(trader, '48 hours');
    moveClock(1);
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('while a withdrawal waits for its review, from it or to it', async () => {
    await setSettings({ reviewThreshold: '10' });
    const [sender, recipient] = [await openTraderIn(0), await openTraderIn(0)];
    const address = (await readAddresses(recipient))['TRC20'];
    expect((await readTaken(await withdraw(sender, { address }))).status).toBe('PENDING');
    moveClock(TWO_DAYS_MS + 1);
    for (const trader of [sender, recipient]) {
      await setStatus(trader, 'frozen');
      await expectStays(trader, 'A withdrawal from it or to it is open');
    }
  });

  it('while a deposit is not confirmed', async () => {
    const trader = await openTraderIn(0);
    expect((await report((await readAddresses(trader))['ETH'] ?? '', { confirmations: 0 })).status).toBe(201);
    await setStatus(trader, 'frozen');
    await expectStays(trader, 'deposit');
  });

  it('while a trade with an account of another ledger is held', async () => {
    const [trader, seller] = [await openTraderIn(0), await openTraderIn(1)];
    await credit(seller, 'ETH');
    const lost = aroundBatch('settlement', 'before', 1, fail(CONNECTION_LOST));
    const agreed = agreeP2p(trader, seller);
    expect((await settle(agreed)).status).toBe(504);
    lost.restore();
    await setStatus(trader, 'frozen');
    await expectStays(trader, 'trade');
  });

  it('while a recovery of it is allowed, or a proposal about it is open', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    const propose = databaseOf(0)
      .prepare(
        `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
         VALUES (?1, 'POST', ?2, '', ?1, 'credit', 'ada', ?3, ?3 + 86400000, 'OPEN')`,
      )
      .bind(crypto.randomUUID(), `/operator/v1/accounts/${trader.accountId}/credits`, Date.now());
    await propose.run();
    await expectStays(trader, 'proposal');
    moveClock(86_400_001);
    await allowRecovery(trader);
    await expectStays(trader, 'recover');
    moveClock(3 * 86_400_000);
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('when something of the account changes after it was looked at', async () => {
    const trader = await openTraderIn(0);
    await setStatus(trader, 'frozen');
    const meanwhile = aroundBatch('leave', 'before', 1, async () => {
      meanwhile.restore();
      await setStatus(trader, 'active');
      await setStatus(trader, 'frozen');
    });
    await expectStays(trader, 'at the same moment');
    expect((await askMove(trader, 1)).status).toBe(200);
  });

  it('when the lane of a key was not reached', async () => {
    const trader = await openTraderIn(0);
    await trader.balances();
    await setStatus(trader, 'frozen');
    const unreachable = vi.spyOn(KeyLane.prototype, 'reloadRecord').mockRejectedValue(new Error('no'));
    await expectRefused(await askMove(trader, 1), 503, 'service_unavailable');
    unreachable.mockRestore();
    expect(await readHeldIn(0, trader.accountId)).toEqual({ USDT: 500_000_000 });
  });
});
