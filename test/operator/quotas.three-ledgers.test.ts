import { afterEach, describe, expect, it, vi } from 'vitest';
import type { QuotaReport } from '../../src/operator/quotas.ts';
import { type ProblemBody, asOperator, json, send } from '../support/exchange.ts';
import { databaseOf, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { readLimit, readStanding, sumOf } from '../support/ledger/quotas.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';

const set = (ledger: number | string, change: Record<string, unknown>) =>
  asOperator('PATCH', '/quotas', { ledger, ...change });

const read = async (answer: Response) => {
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await json<{ quotas: QuotaReport }>(answer)).quotas;
};

const assetOf = (list: QuotaReport['exposure'], name: string) => list.find(({ asset }) => asset === name);

const problemOf = async (answer: Response) => [answer.status, (await json<ProblemBody>(answer)).code];

afterEach(() => void vi.restoreAllMocks());

describe('the quotas of three ledgers', () => {
  it('are shown with the limit, each ledger’s part and use, and their sums', async () => {
    await openTraderIn(1);
    const { supplyCaps, exposure } = await read(await asOperator('GET', '/quotas'));
    const third = 333_333_333_333_333n;
    expect((await readStanding('USDT')).map(({ quota }) => quota)).toEqual([third + 1n, third, third]);
    expect(assetOf(supplyCaps, 'USDT')).toEqual({
      asset: 'USDT',
      limit: '1000000000',
      quotas: '1000000000',
      used: '500',
      ledgers: [
        { ledger: 0, quota: '333333333.333334', used: '0' },
        { ledger: 1, quota: '333333333.333333', used: '500' },
        { ledger: 2, quota: '333333333.333333', used: '0' },
      ],
    });
    expect(assetOf(exposure, 'BTC')).toMatchObject({ limit: '200', quotas: '200', used: '0' });
    expect(exposure).toHaveLength(9);
  });

  it('are set by the operator: what a ledger lacks comes from ledger 0, and what it has more goes there', async () => {
    await set(1, { exposure: { ETH: '150' } });
    await set(2, { exposure: { ETH: '4000' } });
    const limit = await readLimit('ETH', 'house:liquidity');
    const quotas = async () => (await readStanding('ETH', 'house:liquidity')).map(({ quota }) => quota);
    expect(await quotas()).toEqual([85_000_000_000n, 15_000_000_000n, 400_000_000_000n]);
    const shown = await read(await set(1, { exposure: { ETH: '1000' }, supplyCaps: { BTC: '1' } }));
    expect(await quotas()).toEqual([0n, 100_000_000_000n, 400_000_000_000n]);
    expect(assetOf(shown.exposure, 'ETH')).toMatchObject({ limit: '5000', quotas: '5000' });
    expect(assetOf(shown.supplyCaps, 'BTC')?.ledgers[1]).toEqual({ ledger: 1, quota: '1', used: '0' });
    expect(await readLimit('ETH', 'house:liquidity')).toBe(limit);
    const audit = databaseOf(1).prepare(`SELECT role, action FROM audit ORDER BY id DESC LIMIT 1`);
    expect(await audit.first()).toEqual({ role: 'operator', action: 'grant_quota' });
  });

  it('are refused where they cannot be', async () => {
    const trader = await openTraderIn(2);
    expect(trader.accountId).not.toBe('');
    const cases: [number | string, Record<string, unknown>, number, string][] = [
      [0, { supplyCaps: { BTC: '1' } }, 400, 'invalid_request'],
      [3, { supplyCaps: { BTC: '1' } }, 400, 'invalid_request'],
      [4096, { supplyCaps: { BTC: '1' } }, 400, 'invalid_request'],
      ['one', { supplyCaps: { BTC: '1' } }, 400, 'invalid_request'],
      [1, { supplyCap: { BTC: '1' } }, 400, 'invalid_request'],
      [1, { supplyCaps: { BTC: '0.000000001' } }, 422, 'precision_exceeded'],
      [1, { supplyCaps: { BTC: '99999999999999' } }, 422, 'amount_above_maximum'],
      // More than ledger 0 has; less than the ledger uses.
      [1, { supplyCaps: { BTC: '10001' } }, 409, 'invalid_state'],
      [2, { supplyCaps: { USDT: '499' } }, 409, 'invalid_state'],
    ];
    for (const [ledger, change, status, code] of cases) {
      expect(await problemOf(await set(ledger, change)), JSON.stringify(change)).toEqual([status, code]);
    }
    const { AUDITOR_TOKEN } = env as unknown as Record<string, string>;
    const headers = { Authorization: `Bearer ${AUDITOR_TOKEN}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ ledger: 1, exposure: { BTC: '1' } });
    const byAuditor = await send('/operator/v1/quotas', { method: 'PATCH', headers, body });
    expect(await problemOf(byAuditor)).toEqual([403, 'insufficient_role']);
  });

  it('are set when a request that was not confirmed is sent again, and not twice', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await set(1, { supplyCaps: { DOGE: '0' } });
    let halves = 0;
    const isReceivers = (text: string) => text.includes('insert into \\"quota_grants\\"') && (halves += 1) === 2;
    const cut = aroundBatches('before', 1, fail(CONNECTION_LOST), isReceivers);
    expect(await problemOf(await set(1, { supplyCaps: { DOGE: '5' } }))).toEqual([503, 'service_unavailable']);
    cut.restore();
    const before = await readStanding('DOGE');
    expect(before[1]?.quota).toBe(0n);
    expect(sumOf(before, 'quota')).toBeLessThan(await readLimit('DOGE'));
    const shown = await read(await set(1, { supplyCaps: { DOGE: '5' } }));
    expect(assetOf(shown.supplyCaps, 'DOGE')?.ledgers[1]?.quota).toBe('5');
    expect(sumOf(await readStanding('DOGE'), 'quota')).toBe(await readLimit('DOGE'));
  });
});
