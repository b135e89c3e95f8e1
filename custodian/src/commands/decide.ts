import { parseArgs } from 'node:util';
import { Config, readJsonFile } from '../config.ts';
import type { ServedNetwork } from '../networks.ts';
import { resumeChain } from '../store/chain-state.ts';
import { Database } from '../store/database.ts';
import { refuseByHand } from '../store/spends.ts';

/**
 * Decisions that only a person may take. It may run while the custodian runs:
 *
 *     node src/commands/decide.ts --config FILE refuse ID REASON     refuses a payout for which nothing was signed
 *     node src/commands/decide.ts --config FILE resume NETWORK HEIGHT     follows a halted chain again; blocks up to HEIGHT are final
 */
const USAGE = 'usage: decide.ts --config FILE refuse ID REASON | resume NETWORK HEIGHT';

const { values, positionals } = parseArgs({ options: { config: { type: 'string' } }, allowPositionals: true });
const [verb, subject, argument] = positionals;
if (values.config === undefined || subject === undefined || argument === undefined) throw new Error(USAGE);
const database = new Database(readJsonFile(values.config, Config).database);
try {
  if (verb === 'refuse') {
    const isRefused = refuseByHand(database, subject, argument);
    console.log(isRefused ? 'it is refused when the signer has burnt the id' : 'too late: it is signed, or unknown');
    if (!isRefused) process.exitCode = 1;
  } else if (verb === 'resume' && /^\d{1,10}$/.test(argument)) {
    const isResumed = resumeChain(database, subject as ServedNetwork, Number(argument));
    console.log(
      isResumed
        ? `${subject} is followed again, and final up to ${argument}`
        : `${subject} is not halted, or was never final up to ${argument}`,
    );
    if (!isResumed) process.exitCode = 1;
  } else {
    throw new Error(USAGE);
  }
} finally {
  database.close();
}
