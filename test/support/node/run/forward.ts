import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Headers of one connection only (RFC 9110, 7.6.1), and headers that are written anew for a complete body. */
const ownHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding', 'host'];

/** Sends a request on to another server, perhaps with more headers, and returns the whole answer. */
export async function forward(target: string, request: IncomingMessage, more: Record<string, string> = {}) {
  const { method = 'GET', url = '/' } = request;
  const sent = await buffer(request);
  const received = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    ownHeaders.includes(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const response = await fetch(`${target}${url}`, {
    method,
    headers: [...received, ...Object.entries(more)],
    redirect: 'manual',
    ...(sent.byteLength > 0 && { body: sent }),
  });
  const headers = [...response.headers].filter(([name]) => !ownHeaders.includes(name));
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}
