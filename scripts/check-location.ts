import { readFileSync } from 'node:fs';
import { compareLocation, readConfiguredLocation } from './ledger-location.ts';

/**
 * Fails where the gate that all orders pass would not be made near the database. It reads what D1 answered:
 *
 *     npx wrangler d1 execute DB --remote --env production --json --command 'SELECT 1' | npm run -s check:location
 */

const { isRight, detail } = compareLocation(
  readConfiguredLocation(readFileSync('wrangler.toml', 'utf8')),
  readFileSync(0, 'utf8'),
);
console.log(detail);
if (!isRight) process.exitCode = 1;
