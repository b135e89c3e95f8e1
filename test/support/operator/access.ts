import { sign } from 'hono/jwt';
import { config } from '../../../src/env.ts';
import { asOperator, send } from '../exchange.ts';
import type { AccessProgramme } from '../node/access/access-programme.ts';

/** A key pair under which a team of Access signs, and the certificate that it shows. */
export interface AccessKey {
  readonly privateKey: JsonWebKey;
  readonly certificate: Record<string, unknown>;
}

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};

export async function makeAccessKey(kid: string): Promise<AccessKey> {
  const pair = (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair;
  const [privateKey, { n, e }] = (await Promise.all([
    crypto.subtle.exportKey('jwk', pair.privateKey),
    crypto.subtle.exportKey('jwk', pair.publicKey),
  ])) as [JsonWebKey, JsonWebKey];
  return {
    privateKey: { ...privateKey, kid } as JsonWebKey,
    certificate: { kid, kty: 'RSA', alg: 'RS256', use: 'sig', n, e },
  };
}

async function control(init: RequestInit = {}): Promise<{ fetches: number }> {
  const response = await fetch(`${config.ACCESS_ISSUER}/control`, init);
  return (await response.json()) as { fetches: number };
}

export async function programAccess(programme: AccessProgramme): Promise<void> {
  await control({ method: 'PUT', body: JSON.stringify(programme) });
}

export function showCertificates(...keys: AccessKey[]): Promise<void> {
  return programAccess({ status: 200, body: JSON.stringify({ keys: keys.map(({ certificate }) => certificate) }) });
}

export async function countFetches(): Promise<number> {
  return (await control()).fetches;
}

/** A token of Access for a person, with what is changed of it. */
export function signIn(key: AccessKey, email: string, change: Record<string, unknown> = {}): Promise<string> {
  const now_s = Math.floor(Date.now() / 1_000);
  const claims = {
    aud: [config.ACCESS_AUDIENCE],
    email,
    exp: now_s + 3_600,
    iat: now_s,
    nbf: now_s,
    iss: config.ACCESS_ISSUER,
    type: 'app',
    sub: 'a1b2',
    ...change,
  };
  return sign(claims, key.privateKey, 'RS256');
}

/** Gives a person roles, as the operator's token. */
export async function employ(email: string, ...roles: string[]): Promise<void> {
  const response = await asOperator('PUT', `/staff/${encodeURIComponent(email)}`, { roles });
  if (!response.ok) throw new Error(await response.text());
}

/** Sends a request as a person who signed in, from the console. */
export function asPerson(
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { Origin: config.CONSOLE_ORIGIN },
): Promise<Response> {
  return send(`/operator/v1${path}`, {
    method,
    headers: { 'Cf-Access-Jwt-Assertion': token, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
