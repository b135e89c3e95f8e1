import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * The secrets of this machine's exchange, in the file where wrangler looks for them. src/public-secrets.ts explains
 * most of them.
 */
const SECRETS_FILE = '.dev.vars';

function draw(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the secrets of this machine at the first start. In an existing file it adds only missing ones. */
export function writeSecrets(): void {
  const lines = [
    `API_KEY_SECRETS='{"1":"${draw()}"}'`,
    `CURSOR_SECRET=${draw()}`,
    `TOTP_SECRETS='{"1":"${draw()}"}'`,
    `OPERATOR_TOKEN=${draw()}`,
    `DEPOSIT_TOKEN=${draw()}`,
    `AUDITOR_TOKEN=${draw()}`,
    `CUSTODY_SECRET=${draw()}`,
    `CUSTODY_SIGNING_KEY=${randomBytes(32).toString('hex')}`,
  ];
  if (!existsSync(SECRETS_FILE)) {
    const head = '# Made by `npm start`. What each secret is for: see src/public-secrets.ts.';
    writeFileSync(SECRETS_FILE, `${[head, ...lines].join('\n')}\n`, { mode: 0o600 });
    return;
  }
  const text = readFileSync(SECRETS_FILE, 'utf8');
  const known = parseEnv(text);
  const missing = lines.filter((line) => known[line.split('=')[0] ?? ''] === undefined);
  if (missing.length > 0) appendFileSync(SECRETS_FILE, `${text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}

/**
 * Returns what is wrong with the secrets of this machine, as one sentence, or undefined. A missing file or a missing
 * secret is not wrong: `writeSecrets` makes what is missing.
 */
export async function findSecretsFault(): Promise<string | undefined> {
  if (!existsSync(SECRETS_FILE)) return undefined;
  const mend = `Correct it, or delete it to have new secrets made.`;
  let text: string;
  try {
    text = readFileSync(SECRETS_FILE, 'utf8');
  } catch (error) {
    return `${SECRETS_FILE} cannot be read (${(error as NodeJS.ErrnoException).code}). ${mend}`;
  }
  const line = findForeignLine(text);
  if (line !== undefined) return `line ${line} of ${SECRETS_FILE} is neither NAME=VALUE nor a comment. ${mend}`;
  const variables = Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']);
  // Loaded where there are secrets to check: a start that is refused for another reason needs none of it.
  const { findConfigFaults } = await import('./start/find-config-faults.ts');
  const [fault] = findConfigFaults(Object.fromEntries(variables) as Record<string, string>);
  return fault === undefined ? undefined : `${SECRETS_FILE} is broken: ${fault}. ${mend}`;
}

/** The number of the first line that is neither an assignment nor a comment; a quoted value may have several lines. */
function findForeignLine(text: string): number | undefined {
  const unquoted = text.replaceAll(/=\s*(['"`])[^]*?\1/g, (value) => `=${'\n'.repeat(value.split('\n').length - 1)}`);
  const place = unquoted.split('\n').findIndex((line) => !/^\s*(#.*|(export\s+)?\w+\s*=.*)?$/.test(line));
  return place < 0 ? undefined : place + 1;
}

export function readSecrets(): Record<string, string> {
  return parseEnv(readFileSync(SECRETS_FILE, 'utf8')) as Record<string, string>;
}

/** A secret of this machine's exchange. Throws when there is none of this name. */
export function readSecret(name: string): string {
  const { [name]: value } = readSecrets();
  if (!value) throw new Error(`there is no ${name} in ${SECRETS_FILE}`);
  return value;
}
