import { parseArgs } from 'node:util';
import { Config, Secrets, readJsonFile } from '../config.ts';
import { logLine } from '../log.ts';
import { startService } from '../service.ts';
import { connectSigner } from '../signer/connect.ts';

/**
 * Starts the custodian, which has no keys: `node src/commands/start.ts --config FILE`, with its secrets in the
 * environment.
 */
const { values } = parseArgs({ options: { config: { type: 'string' } } });
if (values.config === undefined) throw new Error('--config is missing');
const config = readJsonFile(values.config, Config);
const { CUSTODY_SECRETS, BUREAU_DEPOSIT_TOKEN } = Secrets.parse(process.env);
const service = await startService({
  config,
  secrets: new Map(Object.entries(CUSTODY_SECRETS)),
  depositToken: BUREAU_DEPOSIT_TOKEN,
  askSigner: connectSigner(config.signerSocket),
  log: logLine,
  now: Date.now,
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void service.stop().then(() => process.exit(0));
  });
}
