import { afterAll, beforeAll } from 'vitest';
import { beginConsole, served } from '../support/node/console/shared-console.ts';
import { describeDesk } from '../support/node/console/describe-desk.ts';
import { describeNotices } from '../support/node/console/describe-notices.ts';
import { describeRefusals } from '../support/node/console/describe-refusals.ts';
import { describeSignIn } from '../support/node/console/describe-sign-in.ts';

/** All tests of the console share one, because starting one takes longer than most of them do. */

beforeAll(beginConsole, 240_000);
afterAll(() => served.stop());

describeSignIn();
describeRefusals();
describeNotices();
describeDesk();
