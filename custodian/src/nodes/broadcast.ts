import type { BroadcastOutcome } from './chain.ts';
import { NodeRefusal } from './json-rpc.ts';

/**
 * What a node says to a transaction that is sent. It decides nothing: only blocks do. `known` matches what nodes of the
 * network say of one that they have. Rejects when the node does not answer.
 */
export async function broadcast(sending: Promise<void>, known: RegExp): Promise<BroadcastOutcome> {
  try {
    await sending;
    return { kind: 'known' };
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    return known.test(error.message) ? { kind: 'known' } : { kind: 'rejected', message: error.message };
  }
}
