import { z } from 'zod';
import { formatAmount } from '../../../src/money/amounts.ts';
import { findListing } from '../networks.ts';
import type { PoolEntry } from '../signer/wallet.ts';
import type { Deposit } from '../store/deposits.ts';

const DEADLINE_MS = 10_000;

const ReportAnswer = z.object({
  deposit: z.object({
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED']),
    reason: z.string().nullable(),
  }),
});

const LookAnswer = z.object({ status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']) });

const AddressRange = z.object({ count: z.number().int().min(0) });

const PoolPage = z.object({ addresses: z.array(z.object({ index: z.number().int().min(0), address: z.string() })) });

const Filled = z.object({ solanaPool: z.object({ highestIndex: z.number() }) });

export type ReportAnswer = z.output<typeof ReportAnswer>['deposit'];

/** The requests that the custodian sends to Bureau. */
export interface Bureau {
  /** Reports a deposit. Safe to repeat. Rejects when Bureau did not accept it. */
  report(deposit: Deposit, confirmations: number, failed: boolean): Promise<ReportAnswer>;
  /**
   * Asks Bureau to look up a payout now. Returns whether Bureau has settled it. Rejects when Bureau did not accept the
   * request.
   */
  sayLookNow(withdrawalId: string): Promise<boolean>;
  /** How many deposit addresses Bureau has assigned. Rejects when Bureau does not answer. */
  countAddresses(): Promise<number>;
  /** The entries of the pool of Solana addresses from an index on, in order; none after the last. Rejects without an answer. */
  readPool(from: number): Promise<readonly { readonly index: number; readonly address: string }[]>;
  /** Adds entries to that pool. Safe to repeat. Rejects when Bureau did not take them. */
  fillPool(entries: readonly PoolEntry[]): Promise<void>;
}

/** What lets the custodian's requests through. */
export interface BureauTokens {
  /** Bureau's token for deposits and the pool of addresses, which allows nothing else. */
  readonly depositToken: string;
  /** The service token of Cloudflare Access, where Access protects Bureau's operator API. */
  readonly serviceToken?: { readonly id: string; readonly secret: string } | undefined;
}

/** Sends requests to Bureau over HTTP. */
export function connectBureau(url: string, { depositToken, serviceToken }: BureauTokens): Bureau {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response> =>
    fetch(`${url.replace(/\/+$/, '')}/operator/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${depositToken}`,
        ...(serviceToken && {
          'CF-Access-Client-Id': serviceToken.id,
          'CF-Access-Client-Secret': serviceToken.secret,
        }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: 'manual',
    });
  return {
    report: async (deposit, confirmations, failed) => {
      const { network, address, asset, txHash, outputIndex } = deposit;
      const amount = formatAmount(deposit.atoms, findListing(network, asset)?.decimals ?? 0);
      const report = { network, address, asset, amount, txHash, outputIndex, confirmations, failed };
      return ReportAnswer.parse(await readAnswer(await ask('POST', '/deposits', report))).deposit;
    },
    sayLookNow: async (withdrawalId) => {
      const response = await ask('POST', `/withdrawals/${withdrawalId}/look`);
      // 404: the withdrawal has ended already.
      if (response.status === 404) return true;
      return LookAnswer.parse(await readAnswer(response)).status !== 'PROCESSING';
    },
    countAddresses: async () => AddressRange.parse(await readAnswer(await ask('GET', '/address-range'))).count,
    readPool: async (from) =>
      PoolPage.parse(await readAnswer(await ask('GET', `/solana-addresses?from=${from}`))).addresses,
    fillPool: async (addresses) =>
      void Filled.parse(await readAnswer(await ask('POST', '/solana-addresses', { addresses }))),
  };
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  // Bureau redirects nobody; Access does so with whoever shows no service token, or one of no Service Auth policy.
  if (response.status >= 300 && response.status < 400)
    throw new Error(
      `a redirect to ${response.headers.get('Location')?.split('?')[0]} instead of an answer: set CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET to a service token that a Service Auth policy of Access lets in`,
    );
  if (!response.ok) throw new Error(`Bureau answered ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
