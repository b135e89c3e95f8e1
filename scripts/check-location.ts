import { readFileSync } from 'node:fs';
import { compareLocation, readConfiguredLocation } from './ledger-location.ts';

/**
 * Fails when the gate, through which all orders go, would not run near the database. It reads D1's answer:
 *
 *     npx wrangler d1 execute DB --remote --env production --json --command 'SELECT 1' | npm run -s check:location
 */

const { isRight, detail } = compareLocation(
  readConfiguredLocation(readFileSync('wrangler.toml', 'utf8')),
  readFileSync(0, 'utf8'),
);
console.log(detail);
if (!isRight) process.exitCode = 1;
