import { beforeEach, describe, expect, it } from 'vitest';
import {
  ORDER,
  asOperator,
  createKey,
  json,
  openAccount,
  openTrader,
  operate,
  expectCode,
} from '../support/exchange.ts';
import { codeOf as totpOf } from '../support/holder/holders.ts';
import { aroundBatches } from '../support/runtime/faults.ts';
import { stopClock } from '../support/withdrawals/withdrawals.ts';
import { sql } from '../support/db/sql.ts';

describe('two-factor authentication', () => {
  beforeEach(stopClock);

  const draw = async (accountId: string) =>
    operate<{ secret: string; otpauthUri: string }>('POST', `/accounts/${accountId}/totp`);
  const confirm = (accountId: string, totpCode: string) =>
    asOperator('POST', `/accounts/${accountId}/totp/confirm`, { totpCode });

  it('is set up with a new secret, confirmed by a first code, and switched off', async () => {
    const accountId = await openAccount();
    const { secret, otpauthUri } = await draw(accountId);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(otpauthUri).toContain(`secret=${secret}`);
    expect(otpauthUri).toMatch(/^otpauth:\/\/totp\/Bureau/);
    const confirmed = await confirm(accountId, await totpOf(secret));
    expect(await json(confirmed)).toEqual({ totp: { enabled: true } });
    await expectCode(asOperator('POST', `/accounts/${accountId}/totp`), '409 invalid_state');
    expect(await operate('DELETE', `/accounts/${accountId}/totp`)).toEqual({ totp: { enabled: false } });
    expect((await draw(accountId)).secret).not.toBe(secret);
  });

  it('accepts codes of the neighbouring time steps, and none further off', async () => {
    for (const steps of [-1, 1]) {
      const accountId = await openAccount();
      expect((await confirm(accountId, await totpOf((await draw(accountId)).secret, steps))).status).toBe(200);
    }
    for (const steps of [-3, 3]) {
      const accountId = await openAccount();
      await expectCode(confirm(accountId, await totpOf((await draw(accountId)).secret, steps)), '403 totp_invalid');
    }
  });

  it('is not confirmed by a wrong code, by text that is no code, or without a secret', async () => {
    const accountId = await openAccount();
    await expectCode(confirm(accountId, '000000'), '409 invalid_state');
    const { secret } = await draw(accountId);
    const wrong = String((Number(await totpOf(secret)) + 1) % 1_000_000).padStart(6, '0');
    await expectCode(confirm(accountId, wrong), '403 totp_invalid');
    for (const code of ['12345', '1234567', 'abcdef', '１２３４５６']) {
      await expectCode(confirm(accountId, code), '400 invalid_request');
    }
  });

  it('is on with the secret that its first code is of, or not at all', async () => {
    const accountId = await openAccount();
    const { secret } = await draw(accountId);
    const isConfirmation = (text: string) => text.includes('update \\"totp\\"') && text.includes('\\"confirmed_at\\"');
    const fault = aroundBatches('before', 1, async () => void (await draw(accountId)), isConfirmation);
    try {
      await expectCode(confirm(accountId, await totpOf(secret)), '409 invalid_state');
    } finally {
      fault.restore();
    }
    expect(fault.state.injected).toBe(1);
    await operate('POST', `/accounts/${accountId}/totp`);
    const { totp } = (await operate<{ account: { totp: { enabled: boolean } } }>('GET', `/accounts/${accountId}`))
      .account;
    expect(totp.enabled).toBe(false);
  });

  it('never accepts a time step twice, also after it was switched off and on', async () => {
    const accountId = await openAccount();
    const { secret } = await draw(accountId);
    await confirm(accountId, await totpOf(secret));
    const usedStep = await sql('SELECT used_step FROM totp WHERE account_id = ?', accountId).first('used_step');
    expect(Math.abs(Number(usedStep) - Date.now() / 30_000)).toBeLessThan(2);
    const spend = sql('UPDATE totp SET used_step = ? WHERE account_id = ?', usedStep, accountId);
    await expect(spend.run()).rejects.toThrow('guard: totp_step_used');
    await asOperator('DELETE', `/accounts/${accountId}/totp`);
    const after = await sql('SELECT used_step FROM totp WHERE account_id = ?', accountId).first('used_step');
    expect(after).toBe(usedStep);
  });

  it('stores its secret encrypted, for its own account only', async () => {
    const [accountId, other] = [await openAccount(), await openAccount()];
    const { secret } = await draw(accountId);
    await draw(other);
    const stored = await sql('SELECT sealed_secret FROM totp WHERE account_id = ?', accountId).first('sealed_secret');
    expect(stored).toMatch(/^1\.[\w-]+\.[\w-]+$/);
    expect(String(stored)).not.toContain(secret);
    await sql('UPDATE totp SET sealed_secret = ? WHERE account_id = ?', stored, other).run();
    expect((await confirm(other, await totpOf(secret))).status).toBe(500);
  });
});

describe('the allowlist', () => {
  const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
  const approve = (accountId: string, change: Record<string, string> = {}) =>
    asOperator('POST', `/accounts/${accountId}/allowlist`, {
      network: 'ETH',
      address: ADDRESS,
      label: 'cold',
      ...change,
    });

  it('stores an address once, in its canonical form, and removes it', async () => {
    const accountId = await openAccount();
    const { entry } = await json<{ entry: { id: string; address: string } }>(
      await approve(accountId, { address: ADDRESS.toLowerCase() }),
    );
    expect(entry).toMatchObject({ network: 'ETH', address: ADDRESS, label: 'cold' });
    expect((await json<{ entry: unknown }>(await approve(accountId))).entry).toEqual(entry);
    const list = () => asOperator('GET', `/accounts/${accountId}/allowlist`);
    expect(await json(await list())).toEqual({ entries: [entry], nextCursor: null });
    expect(await operate('DELETE', `/accounts/${accountId}/allowlist/${entry.id}`)).toEqual({ entry });
    expect(await json(await list())).toEqual({ entries: [], nextCursor: null });
    await expectCode(asOperator('DELETE', `/accounts/${accountId}/allowlist/${entry.id}`), '404 not_found');
  });

  it('refuses an invalid address and an unknown network', async () => {
    const accountId = await openAccount();
    await expectCode(approve(accountId, { network: 'BTC' }), '422 invalid_address');
    await expectCode(approve(accountId, { network: 'XRP' }), '422 network_not_supported');
    await expectCode(approve('x'), '404 not_found');
  });
});

describe('PATCH /operator/v1/accounts/{id}', () => {
  it('freezes an account from its keys’ next request on, and unfreezes it', async () => {
    const trader = await openTrader({ USDT: '100' });
    const second = await createKey(trader.accountId);
    await trader.trade(ORDER);
    await second.trade(ORDER);
    const patch = (status: string) => asOperator('PATCH', `/accounts/${trader.accountId}`, { status });
    expect(await json(await patch('frozen'))).toMatchObject({ account: { status: 'frozen' } });
    for (const key of [trader, second]) await expectCode(key.order(ORDER), '403 account_frozen');
    expect((await trader.get('/api/v1/orders')).status).toBe(200);
    await patch('active');
    await trader.trade(ORDER);
  });

  it('sets the daily withdrawal limit', async () => {
    const accountId = await openAccount();
    const patch = (dailyWithdrawalLimit: unknown) =>
      asOperator('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit });
    expect(await json(await patch('12000.5'))).toMatchObject({ account: { dailyWithdrawalLimit: '12000.5' } });
    await expectCode(patch('1.0000001'), '422 precision_exceeded');
    await expectCode(patch('-1'), '400 invalid_request');
    await expectCode(patch('99999999999999999999'), '422 amount_above_maximum');
  });
});
