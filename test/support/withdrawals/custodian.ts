import { CustodianRemote } from '../node/custody/custodian-remote.ts';
import type {
  CustodianAnswer,
  CustodianDecision,
  CustodianPayout,
  CustodianProgramme,
  CustodianRequests,
} from '../node/custody/custodian-state.ts';
import { env } from '../runtime/test-env.ts';

/**
 * Controls the reference custodian, which pays in the runtime `outside`. Its state is shared by all test files there,
 * which therefore run one after the other; begin each test with `resetCustodian()`.
 */
const remote = () => new CustodianRemote(env.CUSTODIAN_SERVER ?? '');

/** Empties the custodian's records and makes it behave correctly again. */
export function resetCustodian(): Promise<void> {
  return remote().reset();
}

/** Sets how the custodian treats the next requests. */
export function programCustodian(programme: CustodianProgramme): Promise<void> {
  return remote().program(programme);
}

/** Sets how the custodian answers what it holds from now on: by default it does not say. */
export function setHoldings(answer: CustodianAnswer): Promise<void> {
  return remote().setHoldings(answer);
}

/** Lets the custodian pay what it accepted, refuse it after all, or replace its transaction. */
export function decidePayout(withdrawalId: string, act: CustodianDecision['act']): Promise<void> {
  return remote().decide(withdrawalId, act);
}

/** The custodian's entries, one per withdrawal id, with how often it was paid. */
export function listPayouts(): Promise<readonly CustodianPayout[]> {
  return remote().listPayouts();
}

/** How often the custodian was asked about a withdrawal, whether it acted or not. */
export function countCustodianRequests(withdrawalId: string): Promise<CustodianRequests> {
  return remote().countRequests(withdrawalId);
}

/** Why the custodian refused requests, one word per request. */
export function listRejections(): Promise<readonly string[]> {
  return remote().listRejections();
}
