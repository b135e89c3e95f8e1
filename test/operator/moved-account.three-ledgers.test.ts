import { describe, expect, it } from 'vitest';
import { wakeBehind } from '../../src/events/webhooks/reach-sender.ts';
import { openLedger } from '../../src/ledger/ledgers.ts';
import { ledgerNumberOf } from '../../src/ledger/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { recordOf } from '../support/events/feed.ts';
import { Receiver, createManager, runAlarm, subscribe } from '../support/events/receiver.ts';
import { asOperator, createKey, json } from '../support/exchange.ts';
import { accepted, signIn, switchTotpOn } from '../support/holder/holders.ts';
import { ledgersUnderTest, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { ORDER, expectRefused, report, credit, beginMoves, type Row } from '../support/operator/moved-accounts.ts';
import {
  askMove,
  expectNothingLost,
  expectReconciled,
  move,
  readHeldIn,
  setStatus,
} from '../support/operator/moves.ts';
import { agreeP2p, agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { readTaken, withdraw } from '../support/withdrawals/withdrawals.ts';

beginMoves();

/** Has every ledger look for endpoints that are behind, as its keeper does. */
async function wakeAll(): Promise<void> {
  for (const ledger of ledgersUnderTest) await wakeBehind(env, openLedger(env, ledger), Date.now());
}

describe('an account that is moved', () => {
  it.each(ledgersUnderTest)(
    'is paid at its new ledger: by deposits to its addresses, and by an account of ledger %i',
    async (ledger) => {
      const trader = await openTraderIn(0);
      const sender = await openTraderIn(ledger);
      const addresses = await readAddresses(trader);
      await move(trader, 1);
      expect(await readAddresses(trader)).toEqual(addresses);
      expect((await report(addresses['ETH'] ?? '')).status).toBe(201);
      const { status } = await readTaken(await withdraw(sender, { address: addresses['TRC20'], amount: '100' }));
      expect(status).toBe('COMPLETED');
      expect(await trader.balances()).toMatchObject({ USDT: '600', ETH: '0.5' });
      expect(await readHeldIn(0, trader.accountId)).toEqual({});
      await expectNothingLost();
      await expectReconciled();
    },
  );

  it('pays accounts of every ledger, and its own address is still its own', async () => {
    const trader = await openTraderIn(0);
    const own = (await readAddresses(trader))['TRC20'];
    await move(trader, 1);
    for (const ledger of ledgersUnderTest) {
      const recipient = await openTraderIn(ledger);
      const address = (await readAddresses(recipient))['TRC20'];
      expect((await readTaken(await withdraw(trader, { address, amount: '10' }))).status).toBe('COMPLETED');
      expect(await recipient.balances()).toMatchObject({ USDT: '510' });
    }
    await expectRefused(await withdraw(trader, { address: own }), 422, 'invalid_address');
    await expectNothingLost();
    await expectReconciled();
  });

  it('settles trades as buyer and as seller, with accounts of every ledger and with the house', async () => {
    const trader = await openTraderIn(0);
    await credit(trader, 'ETH', '5');
    const settled = agreeQuick(trader, 'SELL');
    await readSettled(await settle(settled));
    await move(trader, 1);
    await readSettled(await settle(settled), 200);
    for (const ledger of ledgersUnderTest) {
      const other = await openTraderIn(ledger);
      await credit(other, 'ETH', '5');
      await readSettled(await settle(agreeP2p(trader, other)));
      await readSettled(await settle(agreeP2p(other, trader)));
    }
    await readSettled(await settle(agreeQuick(trader, 'BUY')));
    expect(await trader.balances()).toMatchObject({ USDT: '500', ETH: '5' });
    expect(await readHeldIn(0, trader.accountId)).toEqual({});
    await expectNothingLost();
    await expectReconciled();
  });

  it('keeps its keys, sessions, second factor and approved addresses, which can be changed', async () => {
    const trader = await openTraderIn(0);
    const spare = await createKey(trader.accountId);
    const session = await signIn(trader.accountId);
    const entry = { network: 'TRC20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', label: 'cold' };
    const { id } = await accepted(holderEntrypoint.approveAddress(session.token, entry));
    await switchTotpOn(session.token);
    await move(trader, 2);
    await expectRefused(await withdraw(trader), 403, 'totp_required');
    expect((await accepted(holderEntrypoint.listKeys(session.token))).map((key) => key.id).toSorted()).toEqual(
      [trader.keyId, spare.keyId].toSorted(),
    );
    expect(await session.api.balances()).toMatchObject({ USDT: '500' });
    expect((await accepted(holderEntrypoint.listAddresses(session.token))).map((one) => one.id)).toEqual([id]);
    await accepted(holderEntrypoint.removeAddress(session.token, id));
    await accepted(holderEntrypoint.revokeKey(session.token, spare.keyId));
    expect((await spare.get('/api/v1/wallet/balances')).status).toBe(401);
    expect((await trader.get('/api/v1/wallet/balances')).status).toBe(200);
    const { apiKey, token } = await accepted(
      holderEntrypoint.makeKey(session.token, { label: 'new', scopes: ['read', 'trade'] }),
    );
    expect([ledgerNumberOf(apiKey.id), token.length > 0]).toEqual([2, true]);
    const later = await signIn(trader.accountId);
    expect(await later.api.balances()).toMatchObject({ USDT: '500' });
    const log = await accepted(holderEntrypoint.listSecurityLog(later.token, null));
    expect(log.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['approve_address', 'revoke_api_key', 'open_session']),
    );
    const noted = log.map(({ id: number }) => Number(number));
    expect(noted).toEqual(noted.toSorted((one, other) => other - one));
  });

  it('is frozen, unfrozen and limited where it is', async () => {
    const trader = await openTraderIn(1);
    await move(trader, 0);
    await setStatus(trader, 'frozen');
    await expectRefused(await trader.order(ORDER), 403, 'account_frozen');
    await setStatus(trader, 'active');
    await trader.trade(ORDER);
    const path = `/accounts/${trader.accountId}`;
    expect((await asOperator('PATCH', path, { dailyWithdrawalLimit: '10' })).status).toBe(200);
    await expectRefused(await withdraw(trader), 422, 'daily_limit_exceeded');
    expect((await asOperator('DELETE', `${path}/api-keys/${trader.keyId}`)).status).toBe(200);
    expect((await trader.order(ORDER)).status).toBe(401);
  });

  it('is listed and found once', async () => {
    const label = `moved ${crypto.randomUUID()}`;
    const opened = await asOperator('POST', '/accounts', { label, externalId: label });
    const accountId = (await json<{ account: Row }>(opened)).account.id;
    const trader = await createKey(accountId);
    const address = (await readAddresses(trader))['TRC20'] ?? '';
    await move(trader, ledgerNumberOf(accountId) === 1 ? 2 : 1);
    const find = async (query: string) => {
      const answer = await asOperator('GET', `/accounts?${new URLSearchParams({ query }).toString()}`);
      return (await json<{ accounts: Row[] }>(answer)).accounts.map(({ id }) => id);
    };
    for (const query of [label.slice(0, 30), label, accountId, trader.keyId, address]) {
      expect(await find(query), query).toEqual([accountId]);
    }
    for (const query of [address, accountId, trader.keyId]) {
      const { results } = await json<{ results: Row[] }>(await asOperator('GET', `/search?q=${query}`));
      expect(results, query).toHaveLength(1);
    }
  });

  it('has its webhooks sent what happens after the move, and nothing twice', async () => {
    const trader = await openTraderIn(0);
    const manager = await createManager(trader.accountId);
    const receiver = new Receiver();
    const endpoint = await subscribe(manager, receiver);
    const { id: before } = await trader.trade(ORDER);
    await setStatus(trader, 'frozen');
    await expectRefused(await askMove(trader, 1), 409, 'invalid_state', 'events to send');
    await wakeAll();
    await runAlarm(endpoint);
    expect((await askMove(trader, 1)).status).toBe(200);
    await setStatus(trader, 'active');
    const { id: after } = await trader.trade(ORDER);
    await wakeAll();
    await runAlarm(endpoint);
    const orders = receiver.received.flatMap(({ event }) =>
      event.type === 'order.filled' ? [recordOf(event as never)['id']] : [],
    );
    expect(orders).toEqual([before, after]);
    expect(receiver.types).toEqual(['order.filled', 'account.frozen', 'account.thawed', 'order.filled']);
  });
});
