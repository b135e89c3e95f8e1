import { runProgram } from '../support/node/run-program.ts';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SCHEMA_FILE, noteSchema } from '../../scripts/keep-state.ts';
import { claim } from '../../scripts/start/claim.ts';
import { LEDGERS_FILE } from '../../scripts/start/local-ledgers.ts';
import { subjectOfPort, subjectOfStorage } from '../../scripts/start/place.ts';
import { openFolder } from '../support/node/open-folder.ts';

/** A copy of the project, which a test may break. */
const folder = openFolder('start');
/** Ports that this process uses: one as any program, one as a Bureau. */
let taken: number;
let claimed: number;
const held = createServer();

beforeAll(async () => {
  for (const entry of ['scripts', 'src', 'migrations', 'console/migrations'])
    cpSync(entry, join(folder, entry), { recursive: true });
  await new Promise<void>((done) => held.listen(0, '127.0.0.1', done));
  taken = (held.address() as AddressInfo).port;
  claimed = taken === 65_535 ? taken - 1 : taken + 1;
  const holder = { pid: 4711, port: claimed, folder: '/somewhere/else' };
  await claim(subjectOfPort(claimed), holder);
  await claim(subjectOfStorage(join(folder, 'used')), holder);
});

afterAll(() => void held.close());

beforeEach(() => {
  for (const entry of ['node_modules', '.dev.vars', 'state']) {
    rmSync(join(folder, entry), { recursive: true, force: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  cpSync('package.json', join(folder, 'package.json'));
});

/** Starts the real program in the copy. */
function start(environment: Readonly<Record<string, string>>) {
  const env = { ...process.env, BUREAU_STORAGE: 'state', PORT: String(taken), ...environment };
  return runProgram(['scripts/start.cjs'], { cwd: folder, env });
}

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

function changePackage(change: (own: { engines: { node: string }; dependencies: Record<string, string> }) => void) {
  const own = JSON.parse(readFileSync('package.json', 'utf8')) as Parameters<typeof change>[0];
  change(own);
  write('package.json', JSON.stringify(own));
}

const refusals: readonly (readonly [string, () => Readonly<Record<string, string>> | void, RegExp])[] = [
  [
    'a Node that is too old',
    () => changePackage((own) => (own.engines.node = '>=99.1.0')),
    /^this is Node [\d.]+, and Bureau needs Node 99\.1\.0 or later\.$/,
  ],
  ['no packages', () => rmSync(join(folder, 'node_modules')), /^its packages are not installed yet\. Run: npm ci$/],
  [
    'packages of another version',
    () => changePackage((own) => (own.dependencies['hono'] = '0.0.1')),
    /^the installed packages are not those of package\.json \(hono is another\)\. Run: npm ci$/,
  ],
  ...['abc', '0', '65536', '1e3', ' 8787', '-1', ''].map(
    (port) =>
      [
        `PORT as "${port}"`,
        () => ({ PORT: port }),
        new RegExp(`^PORT is "${port}", which is no port: it takes a number from 1 to 65535\\.$`),
      ] as const,
  ),
  [
    'a port that another program has',
    () => undefined,
    /^port \d+ is taken by another program: choose another one with PORT\.$/,
  ],
  [
    'a port that another Bureau has',
    () => ({ PORT: String(claimed) }),
    /^port \d+ is taken by the Bureau of \/somewhere\/else \(process 4711\): stop that one, or choose another port/,
  ],
  [
    'the same exchange once more',
    () => ({ PORT: String(claimed), BUREAU_STORAGE: 'used' }),
    /^it is running already, at http:\/\/127\.0\.0\.1:\d+ \(process 4711\)\.$/,
  ],
  [
    'data that another Bureau uses',
    () => ({ BUREAU_STORAGE: join(folder, 'used') }),
    /^the data in \S+ is in use by the Bureau on port \d+ \(process 4711\): stop that one, or name another folder/,
  ],
  ...['0', '65', 'three', '1.5', ''].map(
    (ledgers) =>
      [
        `BUREAU_LEDGERS as "${ledgers}"`,
        () => ({ BUREAU_LEDGERS: ledgers }),
        new RegExp(`^BUREAU_LEDGERS is "${ledgers}": it takes a number from 1 to 64\\.$`),
      ] as const,
  ),
  [
    'data of more ledgers',
    () => {
      mkdirSync(join(folder, 'state'), { recursive: true });
      write(join('state', LEDGERS_FILE), '3\n');
      return { BUREAU_LEDGERS: '2' };
    },
    /^the data in state is of 3 ledgers, and BUREAU_LEDGERS is 2: leave it out, .*npm run reset\.$/,
  ],
  [
    'data of a newer version',
    () => {
      mkdirSync(join(folder, 'state/v3/d1'), { recursive: true });
      noteSchema(join(folder, 'state'), [join(folder, 'migrations'), join(folder, 'console/migrations')]);
      const file = join('state', SCHEMA_FILE);
      const noted = JSON.parse(readFileSync(join(folder, file), 'utf8')) as string[][];
      write(file, JSON.stringify(noted.map((digests) => [...digests, 'of-tomorrow'])));
    },
    /^the data in state was made by a newer version of Bureau: update this one, .*npm run reset\.$/,
  ],
  [
    'a secret that is no JSON',
    () => write('.dev.vars', `API_KEY_SECRETS='{"1":'\n`),
    /^\.dev\.vars is broken: API_KEY_SECRETS is not JSON\. Correct it, or delete it to have new secrets made\.$/,
  ],
  [
    'a secret that is too short',
    () => write('.dev.vars', '# mine\nCURSOR_SECRET=short\n'),
    /^\.dev\.vars is broken: CURSOR_SECRET .*>=32 characters\. Correct it/,
  ],
  [
    'a line that is no assignment',
    () => write('.dev.vars', `TOTP_SECRETS='{\n}'\n\nOPERATOR_TOKEN abc\n`),
    /^line 4 of \.dev\.vars is neither NAME=VALUE nor a comment\. Correct it/,
  ],
  [
    'secrets that are no file',
    () => {
      mkdirSync(join(folder, '.dev.vars'));
    },
    /^\.dev\.vars cannot be read \(EISDIR\)\. Correct it/,
  ],
];

it.each(refusals)('%s is reported in one sentence, before anything is started', async (_, bringAbout, sentence) => {
  const { code, output, errors } = await start(bringAbout() ?? {});
  expect([code, output]).toEqual([1, '']);
  const [line, ...others] = errors.split('\n');
  expect(others).toEqual(['']);
  const [head, told = ''] = line?.split(/(?<=did not start): /) ?? [];
  expect(head).toBe('Bureau did not start');
  expect(told).toMatch(sentence);
});

it('the least version of Node in package.json is the least that every package accepts', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { engines?: { node?: string }; optional?: boolean }>;
  };
  // npm skips an optional package without a message when it does not fit.
  const others = Object.entries(lock.packages).filter(([path, { optional }]) => path !== '' && !optional);
  const ranges = others.flatMap(([, { engines: wanted }]) => wanted?.node ?? []);
  const least = readVersion(engines.node.replace('>=', ''));
  expect(ranges.filter((range) => !allows(range, least))).toEqual([]);
  const [major = 0, minor = 0] = least;
  expect(ranges.every((range) => allows(range, [major, minor - 1, 99]))).toBe(false);
});

const readVersion = (text: string) => text.split('.').map(Number);

function isAtLeast(version: readonly number[], bound: readonly number[]): boolean {
  const place = [0, 1, 2].find((at) => (version[at] ?? 0) !== (bound[at] ?? 0));
  return place === undefined || (version[place] ?? 0) > (bound[place] ?? 0);
}

/** Whether a version range of npm, in the forms that the packages here use, contains a version. */
function allows(range: string, version: readonly number[]): boolean {
  return range.split('||').some((part) =>
    [...part.matchAll(/(>=|\^|<)?\s*(\d[\d.]*)/g)].every(([, sign, text = '']) => {
      const bound = readVersion(text);
      if (sign === '<') return !isAtLeast(version, bound);
      return isAtLeast(version, bound) && (sign === '>=' || version[0] === bound[0]);
    }),
  );
}
