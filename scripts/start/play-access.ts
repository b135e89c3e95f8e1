import { type JsonWebKey, createHmac, createPrivateKey, generateKeyPairSync, sign, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { Place } from './place.ts';

export const ACCESS_COOKIE = 'CF_Authorization';

/** Where Access answers by itself, on each host that it protects. */
export const ACCESS_PATH = '/cdn-cgi/access';

/** The application that people sign in to, as the Worker of this machine is configured. */
const AUDIENCE = 'bureau-on-this-machine';

const KEY_ID = 'local';

const ACCESS_KEY_FILE = 'access-key.json';

/** Where it is kept at which address the team of a folder of data is, as long as it is there. */
const ISSUER_FILE = 'access-issuer';

/** What the team keeps in a folder of data. */
export const ACCESS_FILES = [ACCESS_KEY_FILE, ISSUER_FILE] as const;

const LIFETIME_S = 86_400;

interface AccessAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

export interface LocalAccess {
  /** The variables that name it to the exchange. */
  readonly variables: Readonly<Record<string, string>>;
  /** A token for a person, as Access sends it with each of their requests. */
  signIn(email: string): string;
  /** What it answers by itself on the console's host: signing in by a link, and out. */
  readonly answer: (url: URL) => AccessAnswer;
}

/**
 * Plays Cloudflare Access for `npm start`: shows the certificate of a key pair of this machine, which is kept with the
 * data, and signs people in under it. It is there as long as this process is.
 */
export async function playAccess({ storage, consoleOrigin }: Place): Promise<LocalAccess> {
  const privateKey = createPrivateKey({ key: readKey(`${storage}/${ACCESS_KEY_FILE}`), format: 'jwk' });
  const { n, e } = privateKey.export({ format: 'jwk' });
  const certificates = JSON.stringify({ keys: [{ kid: KEY_ID, kty: 'RSA', alg: 'RS256', use: 'sig', n, e }] });
  const server = createServer((request, response) => {
    const isPage = request.url === '/cdn-cgi/access/certs';
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'application/json' }).end(isPage ? certificates : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(`${storage}/${ISSUER_FILE}`, issuer);
  return {
    variables: { ACCESS_ISSUER: issuer, ACCESS_AUDIENCE: AUDIENCE, CONSOLE_ORIGIN: consoleOrigin },
    signIn: (email) => signInLocally(storage, email),
    answer: (url) => answerBrowser(storage, url),
  };
}

/** The link that signs a person in to the desk of a console on this machine, in any browser and as often as it is opened. */
export function writeSignInLink(storage: string, consoleOrigin: string, email: string): string {
  const query = new URLSearchParams({ email, code: drawCode(storage, email) });
  return `${consoleOrigin}${ACCESS_PATH}/authorized?${query.toString()}`;
}

/** What only somebody who reads the folder of data knows of an e-mail. */
function drawCode(storage: string, email: string): string {
  const key = readFileSync(`${storage}/${ACCESS_KEY_FILE}`, 'utf8');
  return createHmac('sha256', key).update(`sign in ${email}`).digest('base64url');
}

/** The headers that keep a sign-in in the browser for so many seconds, and show the desk. */
function setCookie(value: string, seconds: number): Record<string, string> {
  return {
    Location: '/desk',
    'Set-Cookie': `${ACCESS_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`,
  };
}

function answerBrowser(storage: string, { pathname, searchParams }: URL): AccessAnswer {
  if (pathname === `${ACCESS_PATH}/logout`) return { status: 302, headers: setCookie('', 0), body: null };
  const email = searchParams.get('email') ?? '';
  const [told, known] = [searchParams.get('code') ?? '', drawCode(storage, email)].map((code) => Buffer.from(code));
  const isRight = told?.length === known?.length && told && known && timingSafeEqual(told, known);
  if (pathname === `${ACCESS_PATH}/authorized` && isRight) {
    return { status: 302, headers: setCookie(signInLocally(storage, email), LIFETIME_S), body: null };
  }
  const body = 'Open the link that npm start printed, or that npm run sign-in -- E-MAIL --link prints.\n';
  return { status: 401, headers: { 'Content-Type': 'text/plain' }, body };
}

/** Signs a person in to the team that was played last for a folder of data. Throws when there was none. */
export function signInLocally(storage: string, email: string): string {
  const key = readFileSync(`${storage}/${ACCESS_KEY_FILE}`, 'utf8');
  const privateKey = createPrivateKey({ key: JSON.parse(key) as JsonWebKey, format: 'jwk' });
  const issuer = readFileSync(`${storage}/${ISSUER_FILE}`, 'utf8');
  const now_s = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: issuer,
    aud: [AUDIENCE],
    email,
    type: 'app',
    iat: now_s,
    nbf: now_s,
    exp: now_s + LIFETIME_S,
  };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function readKey(file: string): JsonWebKey {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as JsonWebKey;
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(key), { mode: 0o600 });
  return key;
}
