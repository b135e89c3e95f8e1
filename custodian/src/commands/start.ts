import { parseArgs } from 'node:util';
import { Secrets, readConfig } from '../config.ts';
import { logLine } from '../log.ts';
import { startService } from '../service.ts';
import { connectSigner } from '../signer/connect.ts';

/**
 * Starts the custodian, which has no keys: `node src/commands/start.ts --config FILE`, with its secrets in the
 * environment. `--restored-at TIME` (ISO 8601) is for the first start after both databases came from a backup.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { config: text, 'restored-at': text } });
// The database and its journals are for this user alone.
process.umask(0o077);
const restoredAt = values['restored-at'];
const restoredAt_ms = restoredAt === undefined ? undefined : Date.parse(restoredAt);
if (Number.isNaN(restoredAt_ms)) throw new Error('--restored-at is no time, such as 2026-11-24T12:00:00Z');
if (values.config === undefined) throw new Error('--config is missing');
const config = readConfig(values.config, process.env);
const { CUSTODY_SECRETS, BUREAU_DEPOSIT_TOKEN, serviceToken } = Secrets.parse(process.env);
const service = await startService({
  config,
  secrets: new Map(Object.entries(CUSTODY_SECRETS)),
  bureauTokens: { depositToken: BUREAU_DEPOSIT_TOKEN, serviceToken },
  askSigner: connectSigner(config.signerSocket),
  log: logLine,
  now: Date.now,
  restoredAt_ms,
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void service.stop().then(() => process.exit(0));
  });
}
