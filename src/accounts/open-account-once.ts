import { type Outcome, accept } from '../http/answer.ts';
import type { Actor } from '../db/audit.ts';
import { claimNames } from '../db/directory.ts';
import { directoryOf, firstLedger, listLedgers } from '../db/database.ts';
import { type OnceRecord, type OnceRequest, findEarlier, makeOnce, reusedKey } from '../db/make-once.ts';
import { chooseLedger } from '../db/opening-weights.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type OpenAccount, explainExistingAccount, prepareAccount } from './account.ts';

/**
 * Opens an account, at most once for a request with an Idempotency-Key, in a ledger that is drawn by the weights of the
 * settings. `random` is from 0 to below 1; `leastPooled` is how many Solana addresses the pool must have left. Refuses as `makeOnce` and `prepareAccount` do. Throws when D1 cannot be
 * read.
 */
export async function openAccountOnce(
  bindings: LedgerBindings,
  wanted: OpenAccount,
  request: OnceRequest | null,
  actor: Actor,
  random: number,
  leastPooled: number,
): Promise<Outcome<OnceRecord>> {
  const ledger = await findOpeningLedger(bindings, wanted, request, random);
  if (!ledger.ok) return ledger;
  return makeOnce(
    bindings,
    ledger.value,
    request,
    actor,
    (id) => prepareAccount(bindings, id, wanted, actor, leastPooled),
    () => explainExistingAccount(wanted),
  );
}

/**
 * The ledger in which a request opens its account: the drawn one, unless an earlier request claimed another for the
 * same `externalId` or the same Idempotency-Key. So a repetition comes to the ledger of the first, also when the first
 * was cut off. The `externalId` is claimed first: the same request therefore always claims its key for the same ledger.
 */
async function findOpeningLedger(
  bindings: LedgerBindings,
  { externalId }: OpenAccount,
  request: OnceRequest | null,
  random: number,
): Promise<Outcome<number>> {
  if (listLedgers(bindings).length === 1) return accept(FIRST_LEDGER);
  // A key that was used while there was one ledger is recorded in it, without a claim.
  if (await findEarlier(firstLedger(bindings), request)) return accept(FIRST_LEDGER);
  const drawn = String(await chooseLedger(bindings, random));
  const directory = directoryOf(bindings);
  const [ofName = drawn] =
    externalId === undefined
      ? []
      : await claimNames(directory, [{ kind: 'external_id', name: externalId, holder: drawn }]);
  if (!request) return accept(Number(ofName));
  const name = `${request.caller} ${request.idempotencyKey}`;
  const [ofKey = ofName] = await claimNames(directory, [{ kind: 'opening', name, holder: ofName }]);
  if (externalId !== undefined && ofKey !== ofName) return reusedKey;
  return accept(Number(ofKey));
}
