import { describeDesk } from '../support/node/console/describe-desk.ts';
import { describeRefusals } from '../support/node/console/describe-refusals.ts';
import { describeSignIn } from '../support/node/console/describe-sign-in.ts';
import { openConsole } from '../support/node/console/start-console.ts';

/** All tests of the console share one, because starting one takes longer than most of them do. */
const served = await openConsole();

describeSignIn(served);
describeRefusals(served);
describeDesk(served);
