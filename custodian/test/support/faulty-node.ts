import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * How the node fails: not at all, no connection, no answer, a web page instead of an answer, no block above a height, lies
 * in the answers to one method, or invents answers.
 */
export type NodeFault = 'none' | 'down' | 'silent' | 'nonsense' | { readonly knowsUpTo: number } | Lie | Invention;

/** Invents the answer to a call; `undefined` forwards the call to the node. */
export interface Invention {
  readonly invent: (call: Call) => unknown;
}

/** The method whose answers are changed, and how. */
export interface Lie {
  readonly method: string;
  readonly change: (answer: string) => string;
}

/** A call of JSON-RPC. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown[];
}

/** A real node behind a proxy that fails on demand. */
export interface FaultyNode extends AsyncDisposable {
  readonly url: string;
  fault: NodeFault;
  stop(): Promise<void>;
}

/** Starts a proxy in front of the node at a URL. */
export async function startFaultyNode(nodeUrl: string): Promise<FaultyNode> {
  let node: FaultyNode | undefined;
  const { username, password, origin } = new URL(nodeUrl);
  const headers = {
    'Content-Type': 'application/json',
    ...(username && { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }),
  };
  const forward = async (body: string) => (await fetch(origin, { method: 'POST', headers, body })).text();
  const server = createServer((request, response) => {
    const fault = node?.fault ?? 'none';
    if (fault === 'down') return void request.socket.destroy();
    if (fault === 'silent') return;
    if (fault === 'nonsense') return void response.end('<!DOCTYPE html><title>Just a moment...</title>');
    void text(request).then(async (body) => response.end(await answer(body, fault, forward)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: 'none',
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
    [Symbol.asyncDispose]() {
      return this.stop();
    },
  };
  return node;
}

async function answer(
  body: string,
  fault: Exclude<NodeFault, 'down' | 'silent' | 'nonsense'>,
  forward: (body: string) => Promise<string>,
): Promise<string> {
  if (fault === 'none') return forward(body);
  if ('knowsUpTo' in fault) return answerLate(body, fault.knowsUpTo, forward);
  if ('invent' in fault) {
    const call = JSON.parse(body) as Call;
    const result = fault.invent(call);
    return result === undefined ? forward(body) : JSON.stringify({ jsonrpc: '2.0', id: call.id, result });
  }
  const isLie = (JSON.parse(body) as Call).method === fault.method;
  return isLie ? fault.change(await forward(body)) : forward(body);
}

/** Answers as a node whose newest block is at this height. */
async function answerLate(body: string, height: number, forward: (body: string) => Promise<string>): Promise<string> {
  const call = JSON.parse(body) as Call;
  if (call.method !== 'eth_getBlockByNumber') return forward(body);
  const [at, ...rest] = call.params;
  const number = at === 'latest' ? height : Number(at);
  if (number > height) return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: null });
  const params = [at === 'latest' ? `0x${height.toString(16)}` : at, ...rest];
  return forward(JSON.stringify({ ...call, params }));
}
