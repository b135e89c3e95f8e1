import { asOperator, json } from '../exchange.ts';

export { codeOf } from '../exchange.ts';
import type { Proposal } from '../../../src/operator/proposals.ts';
import { changeSettings } from '../withdrawals/withdrawals.ts';
import { type AccessKey, asPerson, employ, makeAccessKey, showCertificates, signIn } from './access.ts';

export const ADA = 'ada@bureau.test';
export const BOB = 'bob@bureau.test';
export const TREASURER = 'treasurer@bureau.test';
export const LEAVER = 'leaver@bureau.test';
export const REVIEWER = 'reviewer@bureau.test';

/** What one person may credit by hand in a day. The tests' traders get their funds so, in USDT and ETH. */
export const handLimits = { LTC: '2', USDT: '1000000000', ETH: '1000000' } as const;

export type { Proposal };

let key: AccessKey;

/**
 * Signs these people in: two admins, and one of each of three other roles. They are employed in an order in which none of
 * it needs two people yet; so are the amounts above which credits need two.
 */
export async function employTwoAdmins(): Promise<void> {
  key = await makeAccessKey('one');
  await showCertificates(key);
  const staff = { [ADA]: 'admin', [TREASURER]: 'treasury', [REVIEWER]: 'compliance', [LEAVER]: 'auditor' };
  for (const [email, role] of Object.entries(staff)) await employ(email, role);
  await changeSettings({ approvalAbove: handLimits });
  await employ(BOB, 'admin');
}

/** Sends a request as one of them, from the console. */
export async function by(email: string, method: string, path: string, body?: unknown): Promise<Response> {
  return asPerson(await signIn(key, email), method, path, body);
}

/** The proposal in an answer of this status. */
export async function readProposal(response: Response, status = 202): Promise<Proposal> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
  return (await json<{ proposal: Proposal }>(response)).proposal;
}

/** One proposal as it stands now. */
export async function look(id: string): Promise<Proposal> {
  return readProposal(await asOperator('GET', `/proposals/${id}`), 200);
}

/** Approves a proposal, naming its digest. */
export function approve(email: string, { id, digest }: Proposal): Promise<Response> {
  return by(email, 'POST', `/proposals/${id}/approve`, { digest });
}
