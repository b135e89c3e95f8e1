import { z } from 'zod';
import { formatAmount } from '../../../src/money/amounts.ts';
import { findListing } from '../networks.ts';
import type { Deposit } from '../store/deposits.ts';

const DEADLINE_MS = 10_000;

const ReportAnswer = z.object({
  deposit: z.object({
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED']),
    reason: z.string().nullable(),
  }),
});

/** What Bureau made of a report. */
export type ReportAnswer = z.output<typeof ReportAnswer>['deposit'];

/** Bureau, as the custodian speaks to it. */
export interface Bureau {
  /** Reports a deposit. Safe to repeat. Rejects when Bureau did not take it. */
  report(deposit: Deposit, confirmations: number, failed: boolean): Promise<ReportAnswer>;
}

/** Speaks to Bureau over HTTP with the token that reports deposits, and may do nothing else. */
export function connectBureau(url: string, depositToken: string): Bureau {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${depositToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: 'error',
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Bureau answered ${response.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  return {
    report: async (deposit, confirmations, failed) => {
      const { network, address, asset, txHash, outputIndex } = deposit;
      const amount = formatAmount(deposit.atoms, findListing(network, asset)?.decimals ?? 0);
      const report = { network, address, asset, amount, txHash, outputIndex, confirmations, failed };
      return ReportAnswer.parse(await post('/operator/v1/deposits', report)).deposit;
    },
  };
}
