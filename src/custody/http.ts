import { logFault } from '../platform/log.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { Network } from '../money/networks.ts';
import { CUSTODY_DEADLINE_MS, type Custody, type CustodyState, type NeverSeen, type Payout } from './custody.ts';
import { readHoldings } from './read-holdings.ts';
import { signOrder } from './sign-order.ts';
import { MAX_REASON_LENGTH, readLookupAnswer, readSubmitAnswer } from './read-answer.ts';
import { type SignedService, sendSigned } from './send-signed.ts';
import type { CustodyRequest } from './sign-request.ts';
import { isProvenUnpaid } from './verify-refusal.ts';

/** The largest answer that is read: a state and a hash or a reason, or what is held on each network. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** How a refusal that proves nothing begins for the operator. */
const UNPROVEN = 'refused without proof that it is unpaid, settle it by hand';

/** The custodian's address, and Bureau's key there. */
export interface HttpCustodySettings extends SignedService {
  /** The seed of the Ed25519 key that signs payouts, in hex; `undefined` for a custodian that does not ask for it. */
  readonly signingKey?: string | undefined;
  /** The public key of the custodian's signer, in hex, without whose proof no refusal counts; empty for none. */
  readonly signerKey?: string;
}

/** The operator's custodian over signed HTTP, as docs/custody.md describes it. */
export function createHttpCustody(settings: HttpCustodySettings): Custody {
  return {
    name: 'http',
    submit: async (payout) => judge(await askAbout('PUT', payout, settings, readSubmitAnswer), payout, settings),
    lookup: async (payout) => judge(await askAbout('GET', payout, settings, readLookupAnswer), payout, settings),
    holdings: () =>
      ask('GET', '/v1/holdings', '', settings, readHoldings, (status) => logFault('custody_silent', { status })),
  };
}

/** Asks about a payout. Without an answer that can be read it may have happened all the same. */
async function askAbout<S extends CustodyState | NeverSeen>(
  method: CustodyRequest['method'],
  payout: Payout,
  settings: HttpCustodySettings,
  read: (status: number, body: string, network: Network) => S,
): Promise<S | CustodyState> {
  const { withdrawalId, network } = payout;
  const body = method === 'PUT' ? writePayout(payout) : '';
  const readState = (status: number, text: string) => {
    const state = read(status, text, network);
    return state.kind === 'unknown' ? undefined : state;
  };
  // Logged, since a wrong key or address would otherwise look like a slow custodian.
  const log = (status: string) => logFault('custody_unknown', { withdrawalId, method, status });
  const state = await ask(method, `/v1/payouts/${encodeURIComponent(withdrawalId)}`, body, settings, readState, log);
  return state ?? { kind: 'unknown' };
}

/** What `read` makes of the custodian's answer. Where there is none, or none that can be read, it calls `log`. */
async function ask<Read>(
  method: CustodyRequest['method'],
  path: string,
  body: string,
  settings: HttpCustodySettings,
  read: (status: number, body: string) => Read | undefined,
  log: (status: string) => void,
): Promise<Read | undefined> {
  let status = 'none';
  try {
    const answer = await withDeadline(CUSTODY_DEADLINE_MS, (signal) => send(method, path, body, settings, signal));
    status = String(answer.status);
    const known = read(answer.status, answer.body);
    if (known !== undefined) return known;
  } catch {
    // As an answer that cannot be read.
  }
  log(status);
  return undefined;
}

/**
 * A refusal returns the money, so it counts only when the signer itself has signed that nobody is paid, where its key is
 * known. Any other is left to a person, who sees it as held.
 */
async function judge<S extends CustodyState | NeverSeen>(
  state: S,
  { withdrawalId }: Payout,
  { signerKey = '' }: HttpCustodySettings,
): Promise<S | CustodyState> {
  if (state.kind !== 'refused') return state;
  const { reason, proof } = state;
  if (signerKey === '' || (await isProvenUnpaid(withdrawalId, proof, signerKey))) return { kind: 'refused', reason };
  logFault('refusal_unproven', { withdrawalId, signed: String(proof?.signed) });
  return { kind: 'held', reason: `${UNPROVEN}: ${reason}`.slice(0, MAX_REASON_LENGTH) };
}

async function send(
  method: CustodyRequest['method'],
  path: string,
  body: string,
  settings: HttpCustodySettings,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const { signingKey } = settings;
  const isOrder = method === 'PUT' && signingKey !== undefined;
  const headers = isOrder ? { 'X-Bureau-Payout-Signature': `ed25519=${await signOrder(body, signingKey)}` } : {};
  return sendSigned({ method, path, body }, settings, { signal, maxBytes: MAX_ANSWER_BYTES, headers });
}

/** The payout as the custodian reads it, field by field, so that no other field of the caller's object is sent. */
function writePayout({ withdrawalId, asset, network, contractAddress, address, amount }: Payout): string {
  return JSON.stringify({ withdrawalId, asset, network, contractAddress, address, amount });
}
