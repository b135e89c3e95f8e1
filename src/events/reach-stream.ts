import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { reach } from '../platform/objects.ts';

/** The methods of the object that has the streams of an account. Every call may throw. */
export interface Stream {
  /** Sends what its sockets have not been sent, and ends those whose key has ended. */
  wake(accountId: string): Promise<void>;
}

export type StreamBindings = Pick<Bindings, 'ACCOUNT_STREAM' | 'LEDGER_LOCATION'>;

/** The object of an account's streams. */
export function reachAccountStream({ ACCOUNT_STREAM, LEDGER_LOCATION }: StreamBindings, accountId: string) {
  return reach(ACCOUNT_STREAM, accountId, LEDGER_LOCATION) as unknown as Stream & Pick<DurableObjectStub, 'fetch'>;
}

/** Wakes the streams of an account. If that fails, the sweep wakes them. */
export async function wakeStream(bindings: StreamBindings, accountId: string): Promise<void> {
  await tryOrLog('stream_not_woken', { accountId }, undefined, () =>
    reachAccountStream(bindings, accountId).wake(accountId),
  );
}
