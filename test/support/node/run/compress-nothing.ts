import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/**
 * Keeps the WebSockets that this process opens from offering compression. Vitest speaks to its runtimes over one each, on
 * this machine, where compressing and reading what was compressed costs both sides more than sending it.
 */
export function compressNothing(): void {
  subscribe('http.client.request.created', (message) => {
    (message as { request: ClientRequest }).request.removeHeader('Sec-WebSocket-Extensions');
  });
}
