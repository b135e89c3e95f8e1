import { CustodianRemote } from '../node/custody/custodian-remote.ts';
import { env } from '../runtime/test-env.ts';

/**
 * Controls the reference custodian, which pays in the runtime `outside`. Its state is shared by all test files there,
 * which therefore run one after the other; begin each test with `custodian.reset()`.
 */
export const custodian = new CustodianRemote(env.CUSTODIAN_SERVER ?? '');
