import { prepareAccount } from '../../../src/accounts/account.ts';
import { openLedger } from '../../../src/ledger/ledgers.ts';
import { newRecordId } from '../../../src/ledger/record-id.ts';
import { env } from '../runtime/test-env.ts';

/** Opens an account in a ledger, which no route does for any but the first. Returns its id; throws when it is refused. */
export async function openInLedger(ledger: number, now_ms: number, externalId?: string): Promise<string> {
  const id = newRecordId(now_ms, ledger);
  const prepared = await prepareAccount(env, id, { label: 'test', externalId }, { role: 'operator', now_ms });
  if (!prepared.ok) throw new Error(prepared.detail);
  await openLedger(env, ledger).batch(prepared.value);
  return id;
}
