import type {
  CustodianDecision,
  CustodianPayout,
  CustodianProgramme,
  CustodianReport,
  CustodianRequests,
} from '../node/custody/custodian-state.ts';
import { env } from '../runtime/test-env.ts';

/**
 * Controls the reference custodian, which pays in the `custody` project. Its state is shared by all test files of that
 * project, which therefore run one after the other; begin each test with `resetCustodian()`.
 */

async function callControl(method: string, body?: unknown): Promise<CustodianReport> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${env.CUSTODIAN_SERVER}/control`, init);
  return response.json();
}

/** Empties the custodian's records and makes it behave correctly again. */
export async function resetCustodian(): Promise<void> {
  await callControl('DELETE');
}

/**
 * Sets how the custodian treats the next requests: `{ method: 'PUT', act: 'pay', answer: 'error' }` is a 500 after
 * acting, `{ method: 'GET', times: null, answer: 'never_seen' }` a custodian that forgets.
 */
export async function programCustodian(programme: CustodianProgramme): Promise<void> {
  await callControl('POST', programme);
}

/** Lets the custodian pay what it accepted, refuse it after all, or replace its transaction. */
export async function decidePayout(withdrawalId: string, act: CustodianDecision['act']): Promise<void> {
  await callControl('PATCH', { withdrawalId, act } satisfies CustodianDecision);
}

/** The custodian's entries, one per withdrawal id, with how often it was paid. */
export async function listPayouts(): Promise<readonly CustodianPayout[]> {
  return (await callControl('GET')).payouts;
}

/** How often the custodian was asked about a withdrawal, whether it acted or not. */
export async function countCustodianRequests(withdrawalId: string): Promise<CustodianRequests> {
  return (await callControl('GET')).requests[withdrawalId] ?? { submissions: 0, lookups: 0 };
}

/** Why the custodian refused requests, one word per request. */
export async function listRejections(): Promise<readonly string[]> {
  return (await callControl('GET')).rejections;
}
