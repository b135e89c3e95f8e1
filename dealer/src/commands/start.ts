import { logLine } from '../../../custodian/src/log.ts';
import { readConfig } from '../config.ts';
import { startService } from '../service.ts';

/** Starts the dealer, whose configuration and secrets are in its environment. */
process.umask(0o077);
const service = await startService(readConfig(process.env), logLine, Date.now);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void service.stop().then(() => process.exit(0));
  });
}
