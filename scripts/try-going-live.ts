import { spawn } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { playPlatform } from '../test/support/node/cloudflare/play-platform.ts';
import { git } from './releases.ts';
import { quietly } from './start/wrangler.ts';

/**
 * `npm run test:going-live` walks through docs/guides/going-live.md as an operator would, in a fresh clone of the last
 * commit, before a played Cloudflare. It runs each command of the guide's `console` blocks, in their order, and compares
 * what is printed with the lines `# →` below it; `…` stands for anything. What a `toml` block says is put into the table
 * of the file that its first line names. Fails at the first command that fails or answers otherwise, and prints the
 * commands that it leaves out.
 */

const GUIDE = 'docs/guides/going-live.md';
/** What the guide says that an example is. */
const DOMAIN = 'exchange.example';
const OWN_DOMAIN = 'bureau-walk.com';

/** What is run in place of a command: of the tests, those that read what the operator has filled in. */
const SHORTER: Readonly<Record<string, string>> = {
  'npm run check && npm run check:deploy && npm test':
    'npm test -- test/scripts/doctor.node.test.ts test/attacks/production.node.test.ts',
};
/** They need a browser, and the registry. */
const LEFT_OUT = ['npm ci', 'npx wrangler login'];

const access = { id: 'walker.access', secret: 'a-secret-that-access-made-for-the-walk' };
const makeSecret = (name: string) => `the-secret-of-the-walk-for-${name}-0123456789`;

/** What the operator has instead of `…`. Answers add the ids that they print. */
const values: Record<string, string> = {
  CLOUDFLARE_ACCOUNT_ID: 'played-account',
  account_id: 'played-account',
  CLOUDFLARE_API_TOKEN: 'played-token-of-d1',
  CF_ACCESS_CLIENT_ID: access.id,
  CF_ACCESS_CLIENT_SECRET: access.secret,
  ACCESS_AUDIENCE: '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2',
  CUSTODY_SIGNING_KEY: '7'.repeat(64),
  MNEMONIC: `${'legal winner thank year wave sausage worth useful '.repeat(2)}legal winner thank year wave sausage worth title`,
  API_KEY_SECRETS: JSON.stringify({ 1: makeSecret('keys') }),
  TOTP_SECRETS: JSON.stringify({ 1: makeSecret('totp') }),
  CURSOR_SECRET: makeSecret('cursor'),
  OPERATOR_TOKEN: makeSecret('operator'),
  DEPOSIT_TOKEN: makeSecret('deposits'),
  AUDITOR_TOKEN: makeSecret('auditor'),
  CUSTODY_SECRET: makeSecret('custody'),
};

/** A command of the guide, with the answer that the guide promises. */
interface Command {
  readonly line: string;
  readonly promised: string[];
}

function readBlocks(markdown: string): { readonly language: string; readonly lines: string[] }[] {
  return [...markdown.matchAll(/^```(console|toml)\n(.*?)^```/gms)].map(([, language = '', body = '']) => ({
    language,
    lines: body.replaceAll('\\\n', ' ').trimEnd().split('\n'),
  }));
}

/** The commands of a block. Those above one answer all have it. */
function readCommands(lines: readonly string[]): Command[] {
  const commands: Command[] = [];
  let isAnswered = true;
  let promised: string[] = [];
  for (const line of lines) {
    const [, answer] = /^# → (.*)$/.exec(line) ?? [];
    if (answer === undefined && isAnswered) promised = [];
    if (answer === undefined) commands.push({ line, promised });
    else promised.push(answer);
    isAnswered = answer !== undefined;
  }
  return commands;
}

const escape = (literal: string) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A line with the operator's values in place of `NAME=…`. */
function fillIn(line: string): string {
  return line.replaceAll(/\b(\w+)( ?= ?["']?)…/g, (_, name: string, between: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the walk has no ${name}: ${line}`);
    return `${name}${between}${value}`;
  });
}

/** Puts lines into a table of a file, in place of those with the same names. */
function edit(folder: string, [place = '', ...lines]: readonly string[]): void {
  const [, file = '', header = ''] = /^# (\S+), in (\[.*\])$/.exec(place) ?? [];
  const path = join(folder, file);
  const [before = '', ...tables] = readFileSync(path, 'utf8').split(/^(?=\[)/m);
  const at = tables.findIndex((table) => table.startsWith(`${header}\n`));
  if (at < 0) throw new Error(`${file} has no ${header}`);
  const added = lines.map((line) => fillIn(line).replaceAll(DOMAIN, OWN_DOMAIN));
  const names = added.map((line) => line.split(' = ')[0]);
  const [, ...kept] = (tables[at] ?? '').split('\n');
  tables[at] = [header, ...added, ...kept.filter((line) => !names.includes(line.split(' = ')[0]))].join('\n');
  writeFileSync(path, [before, ...tables].join(''));
}

using temporary = mkdtempDisposableSync(join(tmpdir(), 'bureau-going-live-'));
const folder = join(temporary.path, 'bureau');
git('clone', '--quiet', '.', folder);
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
const platform = await playPlatform(access);
// The guide says when the account is named.
const { CLOUDFLARE_ACCOUNT_ID: _, ...login } = platform.environment;
/** Assignments and functions of the operator's shell. */
const shell: string[] = [];

async function run({ line, promised }: Command): Promise<void> {
  let command = fillIn(SHORTER[line] ?? line);
  for (const [url, host = ''] of command.matchAll(/https:\/\/([a-z.]+)/g)) {
    command = command.replace(url, (await platform.serve(host.replace(DOMAIN, OWN_DOMAIN))) ?? 'http://127.0.0.1:1');
  }
  if (/^(export |\w+\(\))/.test(command)) return void shell.push(command);
  const [, secret = line.includes('make:addresses') ? 'MNEMONIC' : ''] = /secret put (\w+)/.exec(line) ?? [];
  const child = spawn('bash', ['-euo', 'pipefail', '-c', [...shell, command].join('\n')], {
    cwd: folder,
    env: { ...process.env, ...quietly, ...login },
  });
  child.stdin.end(values[secret] ?? '');
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.once('close', done)),
  ]);
  const pattern = new RegExp(
    promised.map((one) => one.replaceAll(DOMAIN, OWN_DOMAIN).split('…').map(escape).join('.*')).join('[^]*'),
  );
  if (code !== 0 || promised.length === 0 || !pattern.test(output)) {
    throw new Error(`${line}\nended with ${String(code)}, and should say ${String(pattern)}:\n${output}\n${errors}`);
  }
  const [, id] = /database_id = "(.+)"/.exec(output) ?? [];
  if (id !== undefined) values['database_id'] = id;
  const [, signerKey] = /CUSTODY_SIGNER_KEY = "(.+)"/.exec(errors) ?? [];
  if (signerKey !== undefined) values['CUSTODY_SIGNER_KEY'] = signerKey;
  if (output.startsWith('{"BTC":"xpub')) values['DEPOSIT_KEYS'] = output.trim();
  console.log(`ok: ${line}`);
}

try {
  for (const { language, lines } of readBlocks(readFileSync(GUIDE, 'utf8'))) {
    if (language === 'toml') edit(folder, lines);
    else {
      for (const command of readCommands(lines)) {
        if (LEFT_OUT.includes(command.line)) console.log(`left out: ${command.line}`);
        else await run(command);
      }
    }
  }
} finally {
  await platform.stop();
}
