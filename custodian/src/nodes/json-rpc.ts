/** A node's answer is awaited so long; a block of a busy chain takes a second or two. */
const DEADLINE_MS = 20_000;

/** What a node refused, in its own words. Any other failure of a call is an ordinary `Error`. */
export class NodeRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls one method of a node. Rejects with `NodeRefusal` for its own error, with `Error` when there is no answer. */
export type CallNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Speaks JSON-RPC with a node. User and password in the URL become HTTP's basic authentication. */
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
 * Parses JSON, but leaves a number with a decimal point as the text that it was: Bitcoin-like nodes write amounts so, and
 * a JavaScript number would round them.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepSource);
}

function keepSource(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source?.includes('.') ? context.source : value;
}
