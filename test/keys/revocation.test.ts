import { describe, expect, it } from 'vitest';
import { evictDurableObject } from 'cloudflare:test';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  type ProblemBody,
  type Trader,
  asOperator,
  createKey,
  json,
  openTrader,
  operate,
  expectCode,
  ORDER,
} from '../support/exchange.ts';
import { type Moment, abort, aroundBatch, aroundKeyReads } from '../support/runtime/faults.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';
import { readTriggers, runWithout } from '../support/db/triggers.ts';
import { waitFor } from '../support/wait-for.ts';
import { sql } from '../support/db/sql.ts';

async function expectNoKey(response: Response): Promise<void> {
  await expectCode(response, '401 invalid_api_key');
}

/** Holds the order's batch before or after D1 takes it, does something meanwhile, and returns the order's status. */
async function placeWhile(
  trader: Trader,
  meanwhile: () => Promise<unknown>,
  moment: Moment = 'before',
): Promise<number> {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  aroundBatch('order', moment, 1, () => {
    reached.resolve();
    return held.promise;
  });
  const ordering = trader.order(ORDER, 'in-flight');
  await reached.promise;
  await meanwhile();
  held.resolve();
  return (await ordering).status;
}

describe('a key that becomes invalid while its order is on the way to D1', () => {
  it('because it is revoked has the order refused by the batch, and nothing is admitted afterwards', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const { accountId, keyId } = trader;
    const before = await readEffects(accountId);
    const status = await placeWhile(trader, async () => {
      await operate('DELETE', `/accounts/${accountId}/api-keys/${keyId}`);
      await expectNoKey(await trader.order(ORDER));
      await expectNoKey(await trader.get('/api/v1/orders'));
    });
    expect(status).toBe(401);
    await expectNoKey(await trader.order(ORDER, 'in-flight'));
    expect(await readEffects(accountId)).toEqual(before);
    expect(await sumOfBalances()).toEqual([]);
  });

  it('because it is revoked after D1 took the batch has its order completed and answered as filled', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const { accountId, keyId } = trader;
    const status = await placeWhile(
      trader,
      () => asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`),
      'after',
    );
    expect(status).toBe(201);
    await expectNoKey(await trader.order(ORDER, 'in-flight'));
    expect((await readEffects(accountId)).orders).toBe(1);
    expect(await sumOfBalances()).toEqual([]);
  });

  it('because its account is frozen has the order refused by the batch', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const before = await readEffects(trader.accountId);
    const status = await placeWhile(trader, () =>
      asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' }),
    );
    expect(status).toBe(403);
    expect(await readEffects(trader.accountId)).toEqual(before);
  });
});

/** Lets D1 answer the next read of a key's record, and holds the answer back until `release` is called. */
function holdKeyRead() {
  const held = Promise.withResolvers<void>();
  const read = aroundKeyReads('after', 1, () => held.promise);
  // The test polls from outside. A promise that the object resolves would run the rest of the test inside the object.
  const reached = () => waitFor(() => expect(read.state.injected).toBe(1));
  return { reached, release: () => held.resolve() };
}

const setStatus = (accountId: string, status: 'active' | 'frozen') =>
  asOperator('PATCH', `/accounts/${accountId}`, { status });

const revoke = ({ accountId, keyId }: Trader) => asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`);

const BALANCES = '/api/v1/wallet/balances';

async function expectRevokedForGood(trader: Trader): Promise<void> {
  await expectNoKey(await trader.get(BALANCES));
  await expectNoKey(await trader.order(ORDER));
  await evictDurableObject(trader.lane);
  await expectNoKey(await trader.get(BALANCES));
}

describe('a read of a key’s record that arrives late', () => {
  it('does not make a revoked key valid again when it was made for the key’s first request', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const late = holdKeyRead();
    const reading = trader.get(BALANCES);
    await late.reached();
    expect((await revoke(trader)).status).toBe(200);
    late.release();
    await expectNoKey(await reading);
    await expectRevokedForGood(trader);
  });

  it('does not make a revoked key valid again when it was made for a change of its account', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.get(BALANCES)).status).toBe(200);
    const late = holdKeyRead();
    const thawing = setStatus(trader.accountId, 'active');
    await late.reached();
    expect((await revoke(trader)).status).toBe(200);
    late.release();
    expect((await thawing).status).toBe(200);
    await expectRevokedForGood(trader);
  });

  it.each([
    ['thaws no account that was frozen since', 'active', 'frozen', 403],
    ['freezes no account that was thawed since', 'frozen', 'active', 201],
  ] as const)('%s', async (_, first, second, status) => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.get(BALANCES)).status).toBe(200);
    const late = holdKeyRead();
    const changing = setStatus(trader.accountId, first);
    await late.reached();
    expect((await setStatus(trader.accountId, second)).status).toBe(200);
    late.release();
    expect((await changing).status).toBe(200);
    expect((await trader.order(ORDER)).status).toBe(status);
  });
});

/** What a restored database may undo, although its triggers refuse it otherwise. */
async function restoreTo(...statements: D1PreparedStatement[]): Promise<void> {
  const guards = (await readTriggers()).filter(({ tbl_name }) => ['accounts', 'api_keys'].includes(tbl_name));
  await runWithout(guards, statements);
}

const forgetKey = (keyId: string) => restoreTo(sql('DELETE FROM api_keys WHERE id = ?', keyId));

/** A copy of a key's row, as a later restore would write it back. */
async function keepRow(keyId: string): Promise<() => Promise<unknown>> {
  const row = await sql('SELECT * FROM api_keys WHERE id = ?', keyId).first();
  const names = Object.keys(row ?? {});
  const insert = `INSERT INTO api_keys (${names.join()}) VALUES (${names.map(() => '?').join()})`;
  return () => sql(insert, ...Object.values(row ?? {})).run();
}

const countAudit = async (keyId: string) =>
  sql("SELECT count(*) AS n FROM audit WHERE action = 'revoke_api_key' AND detail LIKE ?", `%${keyId}%`).first<number>(
    'n',
  );

describe('a key that was made after the time to which the database was restored', () => {
  it('can be revoked for good, because its lane knows it, and the audit records it', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.get(BALANCES)).status).toBe(200);
    const putBack = await keepRow(trader.keyId);
    await forgetKey(trader.keyId);
    const response = await revoke(trader);
    expect(response.status).toBe(200);
    const { apiKey } = await json<{ apiKey: Record<string, unknown> }>(response);
    expect(apiKey).toMatchObject({
      id: trader.keyId,
      accountId: trader.accountId,
      scopes: ['read', 'trade', 'withdraw'],
    });
    expect(apiKey['revokedAt']).not.toBeNull();
    expect(await countAudit(trader.keyId)).toBe(1);
    await expectRevokedForGood(trader);
    await putBack();
    await setStatus(trader.accountId, 'active');
    await expectRevokedForGood(trader);
  });

  it('is not found when it was never used, but is revoked all the same if its row comes back', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const putBack = await keepRow(trader.keyId);
    await forgetKey(trader.keyId);
    expect((await revoke(trader)).status).toBe(404);
    expect(await countAudit(trader.keyId)).toBe(1);
    await putBack();
    await expectRevokedForGood(trader);
  });

  it('is not revoked through another account’s path', async () => {
    const [trader, other] = [await openTrader({ USDT: '1000' }), await openTrader()];
    expect((await trader.get(BALANCES)).status).toBe(200);
    const path = `/accounts/${other.accountId}/api-keys/${trader.keyId}`;
    expect((await asOperator('DELETE', path)).status).toBe(404);
    await forgetKey(trader.keyId);
    expect((await asOperator('DELETE', path)).status).toBe(404);
    expect((await trader.get(BALANCES)).status).toBe(200);
  });

  it('fills no order and takes no withdrawal while its row is gone', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.trade(ORDER);
    await forgetKey(trader.keyId);
    await expectNoKey(await trader.order(ORDER));
    await expectNoKey(await trader.withdraw());
    expect((await readEffects(trader.accountId)).orders).toBe(1);
  });

  it('can no longer read its own record', async () => {
    const trader = await openTrader();
    expect((await trader.get('/api/v1/account/api-key')).status).toBe(200);
    await forgetKey(trader.keyId);
    await expectNoKey(await trader.get('/api/v1/account/api-key'));
  });

  it('leaves no record behind when its id, or the account’s, is malformed', async () => {
    const { accountId } = await openTrader();
    for (const path of [
      `/accounts/${accountId}/api-keys/nonsense`,
      `/accounts/x/api-keys/${newRecordId(Date.now())}`,
    ]) {
      expect((await asOperator('DELETE', path)).status).toBe(404);
    }
    expect(await countAudit('nonsense')).toBe(0);
  });
});

describe('a lane with newer records than a restored database', () => {
  it('accepts the next change, because the account’s number is raised above the lane’s', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const second = await createKey(trader.accountId);
    const number = (value: number) =>
      sql('UPDATE accounts SET record_number = ? WHERE id = ?', value, trader.accountId);
    // The freeze got its number from a clock that was ahead.
    await number(Date.now() + 1e9).run();
    for (const key of [trader, second]) expect((await key.get(BALANCES)).status).toBe(200);
    expect((await setStatus(trader.accountId, 'frozen')).status).toBe(200);
    for (const key of [trader, second]) expect((await key.order(ORDER)).status).toBe(403);
    const thaw = sql("UPDATE accounts SET status = 'active' WHERE id = ?", trader.accountId);
    await restoreTo(thaw, number(0));

    expect((await setStatus(trader.accountId, 'active')).status).toBe(200);
    expect((await trader.order(ORDER)).status).toBe(201);
    expect((await second.get(BALANCES)).status).toBe(200);
  });

  it('keeps a revocation that the database has lost', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await revoke(trader)).status).toBe(200);
    await restoreTo(sql('UPDATE api_keys SET revoked_at = NULL WHERE id = ?', trader.keyId));
    await setStatus(trader.accountId, 'active');
    await abort(trader.lane);
    await expectRevokedForGood(trader);
  });
});

it('an account that is frozen gets its earlier answers again, and is refused what is new', async () => {
  const trader = await openTrader({ USDT: '1000' });
  const first = await trader.order(ORDER, 'before-the-freeze');
  expect(first.status).toBe(201);
  await setStatus(trader.accountId, 'frozen');
  const again = await trader.order(ORDER, 'before-the-freeze');
  expect([again.status, again.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
  expect(await again.text()).toBe(await first.text());
  const refused = await trader.order(ORDER, 'after-the-freeze');
  await expectCode(refused, '403 account_frozen');
  const another = await trader.order({ ...ORDER, value: '11' }, 'before-the-freeze');
  expect((await json<ProblemBody>(another)).code).toBe('idempotency_key_reused');
  await setStatus(trader.accountId, 'active');
  expect((await trader.order(ORDER, 'after-the-freeze')).status).toBe(201);
  expect((await readEffects(trader.accountId)).orders).toBe(2);
});
