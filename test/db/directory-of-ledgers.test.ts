// @runtime three-ledgers
import { describe, expect, it } from 'vitest';
import { config } from '../../src/env.ts';
import { findHolders, nameAddress } from '../../src/db/directory.ts';
import { directoryOf } from '../../src/db/database.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { chooseAddressSources } from '../../src/providers.ts';
import { completeAddresses } from '../../src/addresses/list-addresses.ts';
import { indexOf, readAddresses } from '../support/addresses/addresses.ts';
import { asOperator, json, ORDER } from '../support/exchange.ts';
import { agreeQuick, settle } from '../support/operator/settlements.ts';
import { drawHash } from '../support/deposits.ts';
import { openInLedger, openTraderIn } from '../support/db/open-in-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

const ledgers = [0, 1, 2] as const;

const rising = (one: number, other: number) => one - other;

/** How many rows a condition finds in each ledger. */
function countIn(table: string, condition: string, ...values: string[]): Promise<number[]> {
  const query = `SELECT count(*) AS n FROM ${table} WHERE ${condition}`;
  return Promise.all(
    ledgers.map(async (ledger) => {
      const row = await sqlIn(ledger, query, ...values).first<{ n: number }>();
      return row?.n ?? 0;
    }),
  );
}

function reportTo(address: string, txHash: string, change: Record<string, unknown> = {}): Promise<Response> {
  const report = { network: 'BTC', address, asset: 'BTC', amount: '0.5', txHash, confirmations: 9, ...change };
  return asOperator('POST', '/deposits', report);
}

describe.each(ledgers)('an account of ledger %i', (ledger) => {
  const elsewhere = ledgers.map((other) => (other === ledger ? 1 : 0));

  it('is found by its id, and so are its keys and its records', async () => {
    const trader = await openTraderIn(ledger);
    const order = await trader.trade(ORDER);
    for (const id of [trader.accountId, trader.keyId, order.id]) expect(ledgerNumberOf(id)).toBe(ledger);
    expect((await trader.get(`/api/v1/orders/${order.id}`)).status).toBe(200);
    expect(await countIn('accounts', 'id = ?', trader.accountId)).toEqual(elsewhere);
    expect(await countIn('orders', 'account_id = ?', trader.accountId)).toEqual(elsewhere);
    expect(await countIn('transfers', '? IN (debit, credit)', trader.accountId)).toEqual(elsewhere.map((n) => n * 3));
  });

  it('is credited there with a deposit to its address, once', async () => {
    const trader = await openTraderIn(ledger);
    const { BTC = '' } = await readAddresses(trader);
    const txHash = drawHash('BTC');
    const early = await reportTo(BTC, txHash, { confirmations: 0 });
    const { deposit } = await json<{ deposit: { id: string; status: string } }>(early);
    expect([early.status, deposit.status, ledgerNumberOf(deposit.id)]).toEqual([201, 'PENDING', ledger]);
    const reports = await atOnce(6, () => reportTo(BTC, txHash));
    expect(reports.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect((await trader.balances())['BTC']).toBe('0.5');
    expect(await countIn('deposits', 'tx_hash = ?', txHash)).toEqual(elsewhere);
  });
});

describe('across all ledgers', () => {
  it('an output of a transaction is credited once, also when two accounts of two ledgers are named at once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
      const addresses = await Promise.all(traders.map(async (trader) => (await readAddresses(trader))['BTC'] ?? ''));
      const txHash = drawHash('BTC');
      const reports = await Promise.all(addresses.map((address) => reportTo(address, txHash)));
      const stored = await countIn('deposits', 'tx_hash = ?', txHash);
      expect(stored.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect(reports.filter(({ status }) => status === 201)).toHaveLength(1);
      const held = await Promise.all(traders.map(async (trader) => (await trader.balances())['BTC'] ?? '0'));
      expect(held.filter((amount) => amount !== '0').length).toBeLessThanOrEqual(1);
    }
  });

  it('a reference settles one trade, also when two ledgers use it at once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
      const reference = `raced-${round}`;
      const answers = await Promise.all(traders.map((trader) => settle(agreeQuick(trader, 'BUY', { reference }))));
      expect(answers.map(({ status }) => status).toSorted(rising)).toEqual([201, 409]);
      expect((await countIn('settlements', 'reference = ?', reference)).toSorted(rising)).toEqual([0, 0, 1]);
      const again = await Promise.all(traders.map((trader) => settle(agreeQuick(trader, 'BUY', { reference }))));
      expect(again.map(({ status }) => status).toSorted(rising)).toEqual([200, 409]);
    }
  });

  it('an address belongs to one account', async () => {
    const traders = await Promise.all([...ledgers, ...ledgers].map(openTraderIn));
    const lists = await Promise.all(traders.map(readAddresses));
    const bitcoin = lists.map((list) => list['BTC']);
    expect(new Set(bitcoin).size).toBe(traders.length);
  });

  it('an address is one account’s, also when two ledgers would give it to two accounts at once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const shared = `shared-${round}`;
      // Two accounts never have one index, so their addresses differ unless a source of addresses is at fault.
      const sources = { ...chooseAddressSources(config), solana: () => shared };
      const accounts = await Promise.all([1, 2].map((ledger) => openInLedger(ledger, Date.now())));
      const given = await Promise.allSettled(
        accounts.map((accountId) => completeAddresses(env, sources, accountId, new Map())),
      );
      expect(given.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const owner = accounts[given.findIndex(({ status }) => status === 'fulfilled')] ?? '';
      expect(await findHolders(directoryOf(env), [nameAddress('SOL', shared)])).toEqual([owner]);
      const stored = await countIn('addresses', 'address = ?', shared);
      expect(stored).toEqual(ledgers.map((ledger) => (ledger === ledgerNumberOf(owner) ? 1 : 0)));
    }
  });

  it('an address index is one account’s, also when accounts are opened at once in all ledgers', async () => {
    const opened = await Promise.all([...ledgers, ...ledgers].map((ledger) => openInLedger(ledger, Date.now())));
    const indexes = await Promise.all(opened.map(indexOf));
    expect(new Set(indexes).size).toBe(opened.length);
  });

  it('an output to an unknown address is recorded once, in ledger 0', async () => {
    const txHash = drawHash('BTC');
    const reported = await reportTo('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', txHash);
    expect(reported.status).toBe(201);
    expect(await countIn('deposits', 'tx_hash = ?', txHash)).toEqual([1, 0, 0]);
  });
});
