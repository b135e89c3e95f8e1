import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inCommit, newestRelease } from './releases.ts';

/**
 * `npm run test:release` runs the tests of the newest release with this commit's migrations, since a Worker of before
 * runs with the schema of after: during a deployment, and after a rollback. Without a release it says so.
 */

/** What asks the schema nothing but what its Worker does. */
const TESTS = ['test/orders', 'test/lane', 'test/deposits'];

const release = newestRelease();
if (release === undefined) console.log('There is no release yet, so no Worker of before.');
else {
  await inCommit(release, (folder) => {
    for (const migrations of ['migrations', 'console/migrations']) {
      rmSync(join(folder, migrations), { recursive: true });
      cpSync(migrations, join(folder, migrations), { recursive: true });
    }
    console.log(`the tests of ${release} with this schema:`);
    const run = spawnSync('npm', ['test', '--', ...TESTS], { cwd: folder, stdio: 'inherit' });
    process.exitCode = run.status ?? 1;
  });
}
