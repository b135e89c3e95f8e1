import { laneUnreachable } from '../access/admit.ts';
import { tokenSettings } from '../access/authenticate.ts';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import {
  type ApiKey,
  type CreateApiKey,
  type KeyPage,
  type UsedApiKey,
  listApiKeys,
  prepareApiKey,
  readApiKey,
  refusePastExpiry,
  revokeApiKey,
  tooManyKeys,
} from '../keys/api-key.ts';
import { addLastUses, revokeInLane } from '../lane/tell-lanes.ts';
import { newRecordId } from '../db/record-id.ts';
import { type GuardRefusals, commitOrRefuse, holdRefusals } from '../db/explain.ts';
import type { Bindings } from '../platform/bindings.ts';
import { type Session, refuseFrozen } from './session.ts';

/** A page of a holder's keys. */
export interface OwnKeyPage extends KeyPage {
  readonly apiKeys: readonly UsedApiKey[];
}

/** A page of the holder's keys, as `listApiKeys` has them, each with its last use. Throws when D1 fails. */
export async function listOwnKeys(
  bindings: Bindings,
  { accountId, database }: Session,
  before: string | null,
): Promise<OwnKeyPage> {
  const { apiKeys, next } = await listApiKeys(database, accountId, before);
  return { apiKeys: await addLastUses(bindings, apiKeys), next };
}

const keyRefusals: GuardRefusals = {
  ...holdRefusals,
  ...tooManyKeys,
  second_factor_needed: refuse(
    'invalid_state',
    'Switch two-factor authentication on first: a key that sends coins out needs it.',
  ),
};

const unconfirmed = refuseUnconfirmed(
  'It is not known whether the key was made. Look at the list, revoke it if it is there, and make another.',
);

/**
 * Makes a key of the holder's account; its token is shown once. Refuses with `account_frozen`, `account_recovered`,
 * `invalid_state` when there are too many keys or for one that withdraws while the second factor is off,
 * `invalid_request` for an expiry in the past, and `service_unavailable` when the outcome is unknown. Throws when D1
 * cannot be read.
 */
export async function makeOwnKey(
  session: Session,
  wanted: CreateApiKey,
): Promise<Outcome<{ readonly apiKey: ApiKey; readonly token: string }>> {
  const { accountId, ledger, database, actor } = session;
  const refused = refuseFrozen(session) ?? refusePastExpiry(wanted, actor.now_ms);
  if (refused) return refused;
  const id = newRecordId(actor.now_ms, ledger);
  const { token, statements } = await prepareApiKey(database, id, accountId, wanted, tokenSettings, actor);
  const uncommitted = await commitOrRefuse(database, statements, keyRefusals, unconfirmed);
  if (uncommitted) return uncommitted;
  const apiKey = await readApiKey(database, id);
  return apiKey ? accept({ apiKey, token }) : unconfirmed;
}

/**
 * Revokes a key of the holder's account for good; repeating it is no error. Refuses with `not_found`, and with
 * `service_unavailable` when its lane was not told: the key may still work, so send it again. Throws when D1 fails.
 */
export async function revokeOwnKey(
  bindings: Bindings,
  { accountId, database, actor }: Session,
  keyId: string,
): Promise<Outcome<ApiKey>> {
  const revocation = await revokeApiKey(database, accountId, keyId, actor);
  if (revocation.kind !== 'revoked') return refuse('not_found', 'The account has no API key of that id.');
  const told = await revokeInLane(bindings, accountId, keyId, actor.now_ms);
  return told ? accept(revocation.apiKey) : laneUnreachable;
}
