import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type ProblemBody, type Trader, asOperator, json } from '../exchange.ts';
import { openTraderIn } from '../db/open-in-ledger.ts';
import { drawHash } from '../reconciliation.ts';
import { holdWakingsThroughout } from '../runtime/meter.ts';
import { moveClock, readTaken, resetSettings, stopClock, withdraw } from '../withdrawals/withdrawals.ts';

/** An order that every trader here can pay. */
export const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
/** After its last withdrawal an account is moved so much later. */
export const TWO_DAYS_MS = 48 * 3_600_000;

/** A record in an answer, and a page of them. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string };
export type Page = Readonly<Record<string, readonly Row[]>> & { readonly nextCursor: string | null };

/** Has the clock stand still in each test of a file, and settings, spies and the clock restored after it. */
export function beginMoves(): void {
  holdWakingsThroughout();
  beforeEach(() => {
    stopClock();
    vi.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(async () => {
    await resetSettings();
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** Expects an answer to be a refusal with this code, whose detail has this text. */
export async function expectRefused(answer: Response, status: number, code: string, detail = ''): Promise<void> {
  const problem = await json<ProblemBody>(answer);
  expect([answer.status, problem.code]).toEqual([status, code]);
  expect(problem.detail).toContain(detail);
}

/** A page of records, by its path. */
export async function readPage(trader: Trader, path: string): Promise<Page> {
  const answer = await trader.get(path);
  if (answer.status !== 200) throw new Error(await answer.text());
  return json<Page>(answer);
}

/** The report of a deposit that is not yet known. */
export const drawDeposit = (address: string) => {
  return { network: 'ETH', asset: 'ETH', amount: '0.5', address, txHash: drawHash(), confirmations: 99 };
};

/** Reports a new deposit to an address. */
export function report(address: string, change: Record<string, unknown> = {}): Promise<Response> {
  return asOperator('POST', '/deposits', { ...drawDeposit(address), ...change });
}

/** Credits an account as the operator does. */
export async function credit({ accountId }: Trader, asset = 'USDT', amount = '5'): Promise<void> {
  const body = { asset, amount, reference: crypto.randomUUID() };
  expect((await asOperator('POST', `/accounts/${accountId}/credits`, body)).status).toBe(201);
}

/** An account with an order, a deposit and a withdrawal that is long over. */
export async function openBusy(ledger: number): Promise<Trader> {
  const trader = await openTraderIn(ledger);
  await trader.trade(ORDER);
  await readTaken(await withdraw(trader));
  moveClock(TWO_DAYS_MS + 1);
  return trader;
}
