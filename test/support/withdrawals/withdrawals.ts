import { codeOf, wrongCodeOf } from '../totp.ts';
import type { Withdrawal } from '../../../src/withdrawals/withdrawal.ts';
import { onTestFinished, vi } from 'vitest';
import type { Asset } from '../../../src/money/assets.ts';
import { WITHDRAWAL } from '../client.ts';
import { type Effects, readEffects } from '../db/probes.ts';
import { type Trader, asOperator, json, operate } from '../exchange.ts';
import { forgetSettings } from '../gate.ts';
import { databaseOfId, queryAll, runFor } from '../db/open-in-ledger.ts';

export { WITHDRAWAL } from '../client.ts';
export { expectWholeLedger } from '../db/probes.ts';

export const WITHDRAWALS_PATH = '/api/v1/wallet/withdrawals';

/** An address that no account of this exchange owns. */
export const OUTSIDE = WITHDRAWAL['address'] ?? '';

export interface WithdrawalAnswer {
  readonly withdrawal: Withdrawal;
}

export async function readTaken(response: Response): Promise<WithdrawalAnswer['withdrawal']> {
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await json<WithdrawalAnswer>(response)).withdrawal;
}

/** How often each answer was given, by its code, or by its status when it is no problem. */
export async function tally(responses: readonly Response[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const response of responses) {
    const { code = String(response.status) } = await json<{ code?: string }>(response);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/** The operator's decision about a withdrawal that waits for it. */
export function review({ accountId }: Trader, id: string, verb: 'approve' | 'reject'): Promise<Response> {
  return asOperator('POST', `/accounts/${accountId}/withdrawals/${id}/${verb}`, { reason: 'as the test has it' });
}

export async function listOwn(trader: Trader): Promise<WithdrawalAnswer['withdrawal'][]> {
  const page = await json<{ withdrawals: WithdrawalAnswer['withdrawal'][] }>(await trader.get(WITHDRAWALS_PATH));
  return page.withdrawals;
}

/** Everything that a refused withdrawal must not change. */
export async function readHoldings(accountId: string): Promise<Effects & { readonly withdrawals: string }> {
  const results = await runFor(
    accountId,
    'SELECT id, status, tx_hash FROM withdrawals WHERE account_id = ?',
    accountId,
  );
  return { ...(await readEffects(accountId)), withdrawals: JSON.stringify(results) };
}

/** The balance of one of the house's accounts in all ledgers, in atoms. */
export async function houseHolds(
  account: 'payouts' | 'fees' | 'custody' | 'liquidity',
  asset: Asset = 'USDT',
): Promise<bigint> {
  const query = 'SELECT CAST(amount AS TEXT) AS amount FROM balances WHERE account = ? AND asset = ?';
  const rows = await queryAll<{ amount: string }>(query, `house:${account}`, asset);
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

let willReset = false;

/** Changes the operator's settings until the test ends. */
export async function setSettings(change: Record<string, unknown>): Promise<void> {
  if (!willReset) onTestFinished(resetSettings);
  willReset = true;
  await changeSettings(change);
}

export async function changeSettings(change: Record<string, unknown>): Promise<void> {
  await operate('PATCH', '/settings', change);
  // The gate may use settings that are some seconds old, and a test cannot wait for them.
  await forgetSettings();
}

export function resetSettings(): Promise<void> {
  willReset = false;
  return changeSettings({
    allowlistMode: 'off',
    tradingHalted: false,
    withdrawalsHalted: false,
    pausedNetworks: [],
    pausedDeposits: { networks: [], assets: [] },
    reviewThreshold: null,
  });
}

/** Stops the clock until the test ends, fifteen seconds into a step of thirty. Only `Date` stands still. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 15_000 });
}

export function moveClock(by_ms: number): void {
  vi.setSystemTime(Date.now() + by_ms);
}

export interface Authenticator {
  code(steps?: number): Promise<string>;
  /** Six digits that are no code of the present time step or of two before or after it. */
  wrong(): Promise<string>;
}

/** Switches the second factor on. Needs the clock of `stopClock`. The code of the time step before is used for it. */
export async function switchOnTotp(accountId: string): Promise<Authenticator> {
  const { secret } = await operate<{ secret: string }>('POST', `/accounts/${accountId}/totp`);
  await operate('POST', `/accounts/${accountId}/totp/confirm`, { totpCode: await codeOf(secret, -1) });
  return { code: (steps) => codeOf(secret, steps), wrong: () => wrongCodeOf(secret) };
}

/** What is stored about an account's codes. */
export async function readAttempts(accountId: string): Promise<Record<string, number> | null> {
  return databaseOfId(accountId)
    .prepare('SELECT used_step, attempts, locked_until FROM totp WHERE account_id = ?')
    .bind(accountId)
    .first();
}

/** A meeting point: each caller waits until this many have come. */
export function meetingOf(count: number): () => Promise<void> {
  const meeting = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come >= count) meeting.resolve();
    return meeting.promise;
  };
}
