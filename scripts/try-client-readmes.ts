import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LocalExchange } from './local-exchange.ts';
import { enableTotp, openExampleAccount } from './open-example-account.ts';
import { type Expectation, expectOutput, runShell, runExamples } from './run-examples.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const TSC = resolve('clients/bureau-client/node_modules/.bin/tsc');

interface ClientReadme {
  /** Packages that the reader's project already has. */
  readonly installed: readonly string[];
  readonly expected: readonly Expectation[];
}

/** Both languages show the same trades. */
const theSameDay: readonly Expectation[] = [
  ['a price', /^\d+\.?\d* \d+\.?\d*$/m],
  ['an order', /^bought 0\.00\d+ at \d+/m],
  ['one intent', /^the same order [tT]rue$/m],
  ['a refusal by its code', /^too small: \w/m],
  ['the orders', /^\S+Z SELL 0\.0005 BTC\n\S+Z BUY 0\.00\d+ BTC$/m],
  ['the feed', /^SPOT_SELL 0\.0005 BTC$/m],
];

const readmes: Readonly<Record<string, ClientReadme>> = {
  'bureau-client': {
    installed: [],
    expected: theSameDay,
  },
  'bureau-python': {
    installed: [],
    expected: theSameDay,
  },
  'ccxt-bureau': {
    installed: ['ccxt'],
    expected: [
      ['a price and candles', /^\d+\.?\d* 24 candles$/m],
      ['orders by amount and by cost', /^buy 0\.002 for \d.*\nbuy 0\.00\d+ for 100\nsell 0\.001 for \d/m],
      ['what came of them', /^3 orders, 1\.00\d+ BTC$/m],
      ['a withdrawal', /^withdrawal ok 0x[0-9a-f]{64}$/m],
      ['one intent', /^the same order true$/m],
      ['a refusal by its class', /^refused: bureau .*"code":"amount_below_minimum"/m],
    ],
  },
};

/**
 * Follows the README of each client in an empty project: writes the programs that it shows, runs its lines, and checks
 * the types of the programs against the installed packages. Nothing is fetched from a registry.
 */
export async function tryClientReadmes(exchange: LocalExchange): Promise<void> {
  for (const [name, readme] of Object.entries(readmes)) await tryClientReadme(exchange, name, readme);
}

async function tryClientReadme(
  exchange: LocalExchange,
  name: string,
  { installed, expected }: ClientReadme,
): Promise<void> {
  const readme = readFileSync(`clients/${name}/README.md`, 'utf8');
  using temporary = makeTemporaryFolder('client');
  const place = temporary.path;
  const project = makeProject(place, installed);
  const programs = readPrograms(readme);
  for (const [file, program] of programs) writeFileSync(join(project, file), program);
  const values = { BUREAU: resolve('.'), BUREAU_URL: exchange.origin };
  const { KEY } = await openExampleAccount(exchange);
  expectOutput(name, await runExamples(readme, { ...values, BUREAU_API_KEY: KEY }, project), expected);
  if (readme.includes('BUREAU_TOTP_SECRET')) {
    const account = await openExampleAccount(exchange);
    const secured = { BUREAU_API_KEY: account.KEY, BUREAU_TOTP_SECRET: await enableTotp(account) };
    const output = await runExamples(readme, { ...values, ...secured }, project);
    expectOutput(`${name} on an account with a second factor`, output, expected);
  }
  const typed = [...programs.keys()].filter((file) => file.endsWith('.mjs'));
  if (typed.length > 0) await checkTypes(project, typed, installed.length > 0);
}

/** Makes an empty project. Installed packages are in the folder above it, so npm need not resolve them. */
function makeProject(place: string, installed: readonly string[]): string {
  const project = join(place, 'project');
  mkdirSync(project);
  mkdirSync(join(place, 'node_modules'));
  for (const name of installed) symlinkSync(resolve('node_modules', name), join(place, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{}');
  writeFileSync(
    join(project, '.npmrc'),
    ['offline', 'legacy-peer-deps'].map((name) => `${name}=true\n`).join('') +
      ['audit', 'fund', 'update-notifier'].map((name) => `${name}=false\n`).join(''),
  );
  return project;
}

/** Returns the programs of a document by file: its blocks that name the same file, put together. */
function readPrograms(markdown: string): Map<string, string> {
  const programs = new Map<string, string>();
  for (const [, file = '', block = ''] of markdown.matchAll(/^```(?:js|python) (\S+)\n(.*?)^```/gms)) {
    programs.set(file, (programs.get(file) ?? '') + block);
  }
  return programs;
}

/** Checks the types of programs as an editor does. Declarations of other packages are not checked. */
async function checkTypes(project: string, files: readonly string[], hasOthers: boolean): Promise<void> {
  const options = '--noEmit --allowJs --checkJs --strict --module nodenext --target es2022 --lib es2022,dom';
  const types = `--types node --typeRoots ${resolve('node_modules/@types')}${hasOthers ? ' --skipLibCheck' : ''}`;
  await runShell(`${TSC} ${options} ${types} ${files.join(' ')}`, project);
}
