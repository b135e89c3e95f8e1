import { existsSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_FILE } from './keep-state.ts';
import { findHolder } from './start/claim.ts';
import { DEMO_FILE } from './start/demo-account.ts';
import { LEDGERS_FILE } from './start/local-ledgers.ts';
import { ACCESS_FILES } from './start/play-access.ts';
import { readStorage, subjectOfStorage } from './start/place.ts';

/** `npm run reset` deletes the data of `npm start`, and no other files in its folder. Secrets stay. */

const entries = ['v3', SCHEMA_FILE, DEMO_FILE, LEDGERS_FILE, ...ACCESS_FILES, 'requests.log', 'mail'];

const storage = readStorage(process.env);
const user = await findHolder(subjectOfStorage(storage));
const present = entries.filter((entry) => existsSync(join(storage, entry)));
if (user) {
  console.error(
    `Nothing was deleted: the Bureau on port ${user.port} (process ${user.pid}) uses ${storage}. Stop it first.`,
  );
  process.exitCode = 1;
} else if (present.length === 0) {
  console.log(`There is no data in ${storage}.`);
} else {
  for (const entry of present) rmSync(join(storage, entry), { recursive: true });
  if (readdirSync(storage).length === 0) rmdirSync(storage);
  console.log(`The data in ${storage} is deleted. npm start begins anew.`);
}
