import { join } from 'node:path';
import type * as ConfigModule from '../../src/config.ts';
import type * as ServiceModule from '../../src/service.ts';
import type * as SignerModule from '../../src/signer/connect.ts';

/**
 * A custodian in a process of its own that kills itself with SIGKILL right after the event that STOP_AT names, or its
 * second one with `event:2`.
 * Arguments: the folder of the source, and the configuration file.
 */
const [source = '', configFile = ''] = process.argv.slice(2);
const [stopAt, time = '1'] = (process.env['STOP_AT'] ?? '').split(':');
let times = 0;

const { Config, readJsonFile } = (await import(join(source, 'config.ts'))) as typeof ConfigModule;
const { startService } = (await import(join(source, 'service.ts'))) as typeof ServiceModule;
const { connectSigner } = (await import(join(source, 'signer', 'connect.ts'))) as typeof SignerModule;

const config = readJsonFile(configFile, Config);
await startService({
  config,
  secrets: new Map(Object.entries(JSON.parse(process.env['CUSTODY_SECRETS'] ?? '{}') as Record<string, string>)),
  bureauTokens: { depositToken: process.env['BUREAU_DEPOSIT_TOKEN'] ?? '' },
  askSigner: connectSigner(config.signerSocket),
  log: (event, fields) => {
    process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
    if (event === stopAt) times += 1;
    if (times === Number(time)) process.kill(process.pid, 'SIGKILL');
  },
  now: Date.now,
});
