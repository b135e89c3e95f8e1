import { z } from 'zod';
import type { Network } from '../money/networks.ts';
import { readTransactionHash } from './transaction-hash.ts';
import type { CustodyState, NeverSeen } from './custody.ts';
import { parseJson } from '../http/request.ts';

export const MAX_REASON_LENGTH = 500;

/** Why it refuses or waits, for the operator. */
const Reason = z.string().min(1).max(MAX_REASON_LENGTH);

const Proof = z.object({ signed: z.boolean(), signature: z.string().regex(/^[0-9a-f]{128}$/) });

/** A custodian's answer about a payout. Other fields are ignored. */
const CustodyAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('sent'), txHash: z.string() }),
  z.object({ status: z.literal('accepted') }),
  z.object({ status: z.literal('held'), reason: Reason }),
  z.object({ status: z.literal('refused'), reason: Reason, proof: Proof.optional() }),
  z.object({ status: z.literal('never_seen') }),
]);

const unknown = { kind: 'unknown' } as const;

/**
 * What the answer to a submission means. Status and body must agree: a refusal returns the money, so an error page or a
 * gateway's own 422 must not count as one.
 */
export function readSubmitAnswer(status: number, body: string, network: Network): CustodyState {
  const answer = parseJson(body === '' ? '{}' : body);
  const state = readState(answer, network);
  if (status === 422) return state.kind === 'refused' ? state : unknown;
  if (status === 409 && namesNoStatus(answer)) return { kind: 'accepted' };
  return [200, 201, 409].includes(status) && state.kind !== 'never_seen' ? state : unknown;
}

/**
 * What the answer to a look-up means. A 404 without a body says nothing about the payout, since a gateway gives the
 * same answer for a wrong address.
 */
export function readLookupAnswer(status: number, body: string, network: Network): CustodyState | NeverSeen {
  const state = readState(parseJson(body), network);
  const isMeant = state.kind === 'never_seen' ? status === 404 : status === 200 || status === 201;
  return isMeant ? state : unknown;
}

function readState(json: unknown, network: Network): CustodyState | NeverSeen {
  const { data: answer } = CustodyAnswer.safeParse(json);
  switch (answer?.status) {
    case 'sent': {
      const txHash = readTransactionHash(network, answer.txHash);
      return txHash === undefined ? unknown : { kind: 'sent', txHash };
    }
    case 'refused':
      return { kind: 'refused', reason: answer.reason, ...(answer.proof && { proof: answer.proof }) };
    case 'held':
      return { kind: 'held', reason: answer.reason };
    case 'accepted':
    case 'never_seen':
      return { kind: answer.status };
    case undefined:
      return unknown;
  }
}

function namesNoStatus(json: unknown): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !('status' in json);
}
