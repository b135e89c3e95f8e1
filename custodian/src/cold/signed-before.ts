import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ColdAnswer, ColdRequest } from './cold-request.ts';

/** A nonce or a coin of the cold wallet, and the transaction that was signed with it. */
const Entry = z.object({ fence: z.string(), txHash: z.string() });

/** What a payment uses up: its nonce, or its coins. On Tron it uses up nothing, so the same payment is meant by its words. */
function listFences(request: ColdRequest): string[] {
  if (request.kind === 'tron') return [`${request.network}:${request.transaction.to}:${request.transaction.data}`];
  if (request.kind === 'evm') return [`${request.network}:${request.transaction.nonce}`];
  return request.transaction.inputs.map(({ txid, vout }) => `${request.network}:${txid}:${vout}`);
}

/**
 * Another transaction that was signed with the same nonce or coin before; `undefined` when there is none. Two signed
 * transactions for one payment are two chances of a mistake, and a person may not know of the first.
 */
export function findSignedBefore(file: string, request: ColdRequest, { txHash }: ColdAnswer): string | undefined {
  if (!existsSync(file)) return undefined;
  const fences = listFences(request);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const entries = lines.map((line) => Entry.parse(JSON.parse(line)));
  return entries.find((entry) => fences.includes(entry.fence) && entry.txHash !== txHash)?.txHash;
}

/** Notes a signature. Call it before the answer leaves the machine. */
export function noteSigned(file: string, request: ColdRequest, { txHash }: ColdAnswer): void {
  const lines = listFences(request).map((fence) => `${JSON.stringify({ fence, txHash })}\n`);
  appendFileSync(file, lines.join(''), { mode: 0o600 });
}
