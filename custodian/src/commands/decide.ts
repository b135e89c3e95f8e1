import { parseArgs } from 'node:util';
import { Config, readJsonFile } from '../config.ts';
import type { ServedNetwork } from '../networks.ts';
import { resumeChain } from '../store/chain-state.ts';
import { Database } from '../store/database.ts';
import { allowByHand, cancelByHand, payByHand, refuseByHand } from '../store/spends.ts';

/**
 * Decisions that only a person may take. It may run while the custodian runs:
 *
 *     node src/commands/decide.ts --config FILE refuse ID REASON   refuses a payout: nothing was signed, or a final transaction paid nothing
 *     node src/commands/decide.ts --config FILE cancel ID REASON   uses up the nonce of a payout by a payment of nothing, so that it is never paid
 *     node src/commands/decide.ts --config FILE allow ID           pays a payout that is held for a person
 *     node src/commands/decide.ts --config FILE paid ID            a final transaction without the ordered transfer did pay the recipient
 *     node src/commands/decide.ts --config FILE resume NETWORK HEIGHT   follows a halted chain again; blocks up to HEIGHT are final
 */
const USAGE =
  'usage: decide.ts --config FILE refuse ID REASON | cancel ID REASON | allow ID | paid ID | resume NETWORK HEIGHT';

const { values, positionals } = parseArgs({ options: { config: { type: 'string' } }, allowPositionals: true });
const [verb = '', subject, argument = ''] = positionals;
if (values.config === undefined || subject === undefined) throw new Error(USAGE);

/** Takes a decision. Returns whether there was anything to decide, and what that means. */
function decide(database: Database, id: string): readonly [boolean, string] {
  switch (verb) {
    case 'refuse':
      if (argument === '') throw new Error(USAGE);
      if (!refuseByHand(database, id, argument)) return [false, 'too late: it is signed, or unknown'];
      return [true, 'it is refused when the signer has burnt the id'];
    case 'cancel':
      if (argument === '') throw new Error(USAGE);
      if (!cancelByHand(database, id, argument)) return [false, 'it has no nonce, or a block has it, or it is unknown'];
      return [true, 'its nonce is used up when the signer has burnt the id; it is refused when that is final'];
    case 'allow':
      return allowByHand(database, id) ? [true, 'it is paid when it can be'] : [false, 'it is not held'];
    case 'paid':
      return payByHand(database, id) ? [true, 'it is answered as sent'] : [false, 'there is nothing to decide'];
    case 'resume': {
      if (!/^\d{1,10}$/.test(argument)) throw new Error(USAGE);
      const isResumed = resumeChain(database, id as ServedNetwork, Number(argument));
      if (!isResumed) return [false, `${id} is not halted, or was never final up to ${argument}`];
      return [true, `${id} is followed again, and final up to ${argument}`];
    }
    default:
      throw new Error(USAGE);
  }
}

// The database and its journals are for this user alone.
process.umask(0o077);
const database = new Database(readJsonFile(values.config, Config).database);
try {
  const [isDecided, meaning] = decide(database, subject);
  console.log(meaning);
  if (!isDecided) process.exitCode = 1;
} finally {
  database.close();
}
