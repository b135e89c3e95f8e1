import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { v7 } from 'uuid';
import type { Payout } from '../../src/custody/custody.ts';

/** The longest that an answer may take, and the largest that it may be: docs/custody.md. */
const DEADLINE_MS = 6_000;
const MAX_BYTES = 16 * 1024;

export interface CustodianAccess {
  readonly url: string;
  readonly keyId: string;
  readonly secret: string;
  /** The seed with which payouts are signed; absent for a custodian that does not ask for it. */
  readonly signingKey?: string | undefined;
}

export interface Said {
  readonly status: number;
  /** What it says about the payout; absent when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** What makes a request wrong, so that the custodian must refuse it. */
export interface Wrong {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timestamp_s?: number;
  readonly body?: string;
  readonly signingKey?: string;
}

/** Sends requests to a custodian as Bureau does, or wrong on purpose. */
export class CustodianClient {
  readonly #access: CustodianAccess;

  constructor(access: CustodianAccess) {
    this.#access = access;
  }

  static newId(): string {
    return v7();
  }

  submit(payout: Payout, wrong: Wrong = {}): Promise<Said> {
    return this.#send('PUT', `/v1/payouts/${payout.withdrawalId}`, JSON.stringify(payout), wrong);
  }

  lookUp(withdrawalId: string, wrong: Wrong = {}): Promise<Said> {
    return this.#send('GET', `/v1/payouts/${withdrawalId}`, '', wrong);
  }

  holdings(): Promise<Said & { readonly text: string }> {
    return this.#send('GET', '/v1/holdings', '', {});
  }

  /** Submits a payout and breaks the connection as soon as the request is sent, without waiting for the answer. */
  async submitAndVanish(payout: Payout): Promise<void> {
    const body = JSON.stringify(payout);
    const { origin, path, headers } = this.#prepare('PUT', `/v1/payouts/${payout.withdrawalId}`, body, {});
    const send = origin.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(`${origin}${path}`, { method: 'PUT', headers });
    request.on('error', () => undefined);
    request.end(body);
    await once(request, 'finish');
    request.destroy();
  }

  #prepare(method: 'GET' | 'PUT', route: string, body: string, wrong: Wrong) {
    const { url, keyId, secret, signingKey } = this.#access;
    const { origin, pathname } = new URL(url);
    const path = `${pathname.replace(/\/+$/, '')}${route}`;
    const timestamp_s = wrong.timestamp_s ?? Math.floor(Date.now() / 1000);
    const key = wrong.signingKey ?? signingKey;
    const headers = {
      'X-Bureau-Key-Id': keyId,
      'X-Bureau-Timestamp': String(timestamp_s),
      'X-Bureau-Signature': `v1=${createHmac('sha256', secret)
        .update(`${timestamp_s}.${method}.${path}.${digest(body)}`)
        .digest('hex')}`,
      ...(method === 'PUT' && { 'Content-Type': 'application/json' }),
      ...(method === 'PUT' && key !== undefined && { 'X-Bureau-Payout-Signature': `ed25519=${signOrder(body, key)}` }),
      ...wrong.headers,
    };
    return { origin, path, headers };
  }

  async #send(method: 'GET' | 'PUT', route: string, text: string, wrong: Wrong): Promise<Said & { text: string }> {
    const body = wrong.body ?? text;
    const { origin, path, headers } = this.#prepare(method, route, body, wrong);
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      ...(method === 'PUT' && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const answered = await response.text();
    if (answered.length > MAX_BYTES) throw new Error(`an answer of ${answered.length} characters`);
    return { status: response.status, body: readObject(answered), text: answered };
  }
}

function digest(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

/** docs/custody.md, "The payout's own signature". */
function signOrder(body: string, seed: string): string {
  const text = new TextEncoder().encode(`bureau-payout-v1.${digest(body)}`);
  return hex.encode(ed25519.sign(text, hex.decode(seed)));
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
