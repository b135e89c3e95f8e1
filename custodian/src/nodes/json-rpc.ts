/** The deadline for an answer. A block of a busy chain takes a second or two. */
const DEADLINE_MS = 20_000;

/** An error that a node answered with, in its own words. Any other failure of a call is an ordinary `Error`. */
export class NodeRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Calls a method of a node. Rejects with `NodeRefusal` for an error of the node, with `Error` when it does not answer.
 */
export type CallNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Calls a node by JSON-RPC. User and password in the URL are sent as HTTP basic authentication. */
export function connectNode(url: string, deadline_ms = DEADLINE_MS): CallNode {
  const { username, password, origin, pathname, search } = new URL(url);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = {
    'Content-Type': 'application/json',
    ...(username && { Authorization: `Basic ${credentials.toString('base64')}` }),
  };
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(`${origin}${pathname}${search}`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(deadline_ms),
      redirect: 'error',
    });
    const answer = parseExactly(await response.text());
    if (typeof answer !== 'object' || answer === null) throw new Error(`${method}: the node's answer is no JSON-RPC`);
    const { result, error } = answer as { result?: unknown; error?: { code?: unknown; message?: unknown } | null };
    if (error) throw new NodeRefusal(Number(error.code), String(error.message).slice(0, 500));
    if (result === undefined) throw new Error(`${method}: the node's answer has no result`);
    return result;
  };
}

/**
 * Parses JSON, but returns a number with a decimal point as text. Bitcoin-like nodes write amounts as such numbers, and
 * a JavaScript number would round them.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepSource);
}

function keepSource(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source?.includes('.') ? context.source : value;
}
