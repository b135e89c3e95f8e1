import { buffer } from 'node:stream/consumers';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { afterEach, describe, expect, it } from 'vitest';
import { CustodianClient } from '../../lab/conformance/custodian-client.ts';
import { NotAsked, type Trial, clauses } from '../../lab/conformance/custodian-clauses.ts';
import { findRequestFault } from '../../custodian/src/contract/verify-request.ts';
import { type PlayedServer, say, serveOnLoopback } from '../support/node/run/serve-on-loopback.ts';

/** The suite that any custodian is held to, against a small custodian that keeps the contract, or breaks one promise. */
const SECRET = 'a-secret-that-only-this-test-and-its-custodian-know';
const SEED = new Uint8Array(32).fill(6);
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const ORDER = { asset: 'ETH', network: 'ETH', contractAddress: null, address: ADDRESS, amount: '0.1' } as const;

/** Each mistake, and the promise that a custodian breaks by it. */
const mistakes = {
  'takes requests that nobody signed': 'Signature',
  'takes old requests': 'Signature',
  'answers 404 without its body': 'Never seen',
  'forgets a payout': 'Once for ever',
  'takes the body of another id': 'Submit',
  'takes another amount for an id': 'Once for ever',
  'changes the hash of what it sent': 'Once for ever',
  'pays each submission': 'Lost answers',
  'refuses what it cannot pay now': 'Held',
  'refuses without proof': 'Refused',
  'pays what it refused': 'Refused',
  'writes holdings in a form of its own': 'Holdings',
} as const;

type Mistake = keyof typeof mistakes;

interface Entry {
  readonly body: string;
  state: Record<string, unknown>;
}

let server: PlayedServer | undefined;

afterEach(() => server?.stop());

/** Starts a custodian in memory that pays at once. Returns its port, and how much its address has received. */
async function startCustodian(mistake?: Mistake) {
  const entries = new Map<string, Entry>();
  let tenths = 0;
  let hashes = 0;
  const hash = () => `0x${(hashes += 1).toString(16).padStart(64, '0')}`;
  const decide = (id: string, body: string): Record<string, unknown> => {
    const { address, amount } = JSON.parse(body) as { address: string; amount: string };
    if (address !== ADDRESS) {
      const signature = hex.encode(ed25519.sign(new TextEncoder().encode(`bureau-burnt-v1.${id}.false`), SEED));
      const proof = mistake === 'refuses without proof' ? {} : { proof: { signed: false, signature } };
      return { status: 'refused', reason: 'the address is not valid', ...proof };
    }
    if (Number(amount) > 1) {
      const status = mistake === 'refuses what it cannot pay now' ? 'refused' : 'held';
      return { status, reason: 'hot_wallet_low' };
    }
    tenths += 1;
    return { status: 'sent', txHash: hash() };
  };
  const put = (id: string, body: string): [number, unknown] => {
    const named = body.startsWith('{') ? (JSON.parse(body) as { withdrawalId?: string }).withdrawalId : undefined;
    if (named === undefined) return [400, { error: 'no payout' }];
    if (named !== id && mistake !== 'takes the body of another id') return [400, { error: 'another id' }];
    const known = entries.get(id);
    if (known && known.body !== body && mistake !== 'takes another amount for an id')
      return [400, { error: 'other fields' }];
    if (!known) entries.set(id, { body, state: decide(id, body) });
    else if (mistake === 'pays each submission') tenths += 1;
    else if (mistake === 'changes the hash of what it sent' && known.state['status'] === 'sent') {
      known.state = { ...known.state, txHash: hash() };
    } else if (mistake === 'pays what it refused' && known.state['status'] === 'refused') {
      known.state = { status: 'sent', txHash: hash() };
    }
    return [200, entries.get(id)?.state];
  };
  const get = (id: string): [number, unknown] => {
    const found = mistake === 'forgets a payout' ? undefined : entries.get(id);
    if (found) return [200, found.state];
    return [404, mistake === 'answers 404 without its body' ? {} : { status: 'never_seen' }];
  };
  server = await serveOnLoopback(async (request, response) => {
    const body = await buffer(request);
    const { method = '', url: path = '', headers } = request;
    const sent = { method, path, headers, body };
    const forgiven =
      mistake &&
      {
        'takes requests that nobody signed': ['unknown key', 'wrong signature'],
        'takes old requests': ['outside the window'],
      }[mistake as string];
    const fault = findRequestFault(sent, new Map([['bureau', SECRET]]), Date.now() / 1_000);
    const id = path.split('/').at(-1) ?? '';
    const says = (): [number, unknown] => {
      if (fault !== undefined && !forgiven?.includes(fault)) return [401, { error: fault }];
      if (id !== 'holdings') return method === 'PUT' ? put(id, body.toString()) : get(id);
      return [200, mistake === 'writes holdings in a form of its own' ? { ETH: 1 } : { networks: [] }];
    };
    const [status, answer] = says();
    say(response, { status, body: answer });
  });
  return { url: server.url, received: () => Promise.resolve((tenths / 10).toFixed(1)) };
}

/** The names of the promises that a custodian breaks, up to their colon. */
async function findBroken(mistake?: Mistake): Promise<string[]> {
  const { url, received } = await startCustodian(mistake);
  const client = new CustodianClient({ url, keyId: 'bureau', secret: SECRET });
  const signerKey = hex.encode(ed25519.getPublicKey(SEED));
  const trial: Trial = { client, order: ORDER, tooMuch: '2', signerKey, received, patience_ms: 100, pause_ms: 10 };
  const broken: string[] = [];
  for (const { name, check } of clauses) {
    try {
      await check(trial);
    } catch (error) {
      if (!(error instanceof NotAsked)) broken.push(name.split(':')[0] ?? '');
    }
  }
  return broken;
}

describe('the suite for custodians', () => {
  it('finds nothing wrong with one that keeps the contract', async () => {
    expect(await findBroken()).toEqual([]);
  });

  it.each(Object.entries(mistakes) as [Mistake, string][])('finds one that %s', async (mistake, clause) => {
    expect(await findBroken(mistake)).toContain(clause);
  });
});
