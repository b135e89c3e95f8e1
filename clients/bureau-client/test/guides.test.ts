import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { describeGuides } from '../../../test/support/clients/describe-guides.ts';

const CLIENT = resolve('clients/bureau-client/src/index.ts');
const TSC = resolve('node_modules/.bin/tsc');

const options =
  '--noEmit --ignoreConfig --strict --module nodenext --allowImportingTsExtensions --target es2022 --lib es2024,dom';

describeGuides(inject('workerBundle'), {
  name: 'TypeScript',
  blocks: 'ts',
  file: 'mts',
  prepare: (program) => program.replace("'bureau-client'", `'${CLIENT}'`),
  command: [process.execPath],
  async check(files) {
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    await promisify(execFile)(TSC, [...options.split(' '), ...types, ...files]);
  },
});
