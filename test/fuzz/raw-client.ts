import { connect } from 'node:net';

export interface RawAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Header names in lower case. A header that came twice has both values. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** The result of a request: an answer, a connection that ended without a whole one, or a timeout. */
export type RawOutcome = RawAnswer | { readonly kind: 'closed'; readonly received: string } | { readonly kind: 'hang' };

export interface RawRequest {
  readonly parts: readonly Buffer[];
  /** Whether the client closes its side after it has written everything. */
  readonly halfCloses: boolean;
  readonly isHead: boolean;
}

/** Writes the bytes of a request on a new connection, and reads the first answer. */
export function sendRaw(origin: string, request: RawRequest, deadline_ms: number): Promise<RawOutcome> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    const end = (outcome: RawOutcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => end({ kind: 'hang' }), deadline_ms);
    const finish = () => {
      const answer = readAnswer(received, request.isHead, true);
      end(answer ?? { kind: 'closed', received: received.toString('latin1') });
    };
    socket.on('connect', () => {
      // All at once: an exchange that answers before it has read everything closes the connection for what is written
      // later.
      socket.write(Buffer.concat(request.parts));
      if (request.halfCloses) socket.end();
    });
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part]);
      const answer = readAnswer(received, request.isHead, false);
      if (answer) end(answer);
    });
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

const HEAD_END = '\r\n\r\n';

/** Reads an answer (RFC 9112). Returns `undefined` while it is incomplete. */
function readAnswer(received: Buffer, isHead: boolean, isOver: boolean): RawAnswer | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  const rest = received.subarray(headEnd + HEAD_END.length);
  if (status >= 100 && status < 200) return readAnswer(rest, isHead, isOver);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const body = readBody(headers, rest, isHead || status === 204 || status === 304, isOver);
  return body && { kind: 'answer', status, headers, body };
}

function readBody(headers: RawAnswer['headers'], rest: Buffer, hasNone: boolean, isOver: boolean): Buffer | undefined {
  if (hasNone) return Buffer.alloc(0);
  const of = (name: string) => headers.find(([one]) => one === name)?.[1];
  if (of('transfer-encoding') === 'chunked') return readChunks(rest);
  const length = of('content-length');
  if (length === undefined) return isOver ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function readChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', position);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.subarray(position, lineEnd).toString('latin1'), 16);
    const start = lineEnd + 2;
    if (size === 0) return Buffer.concat(chunks);
    if (!(start + size + 2 <= rest.length)) return undefined;
    chunks.push(rest.subarray(start, start + size));
    position = start + size + 2;
  }
}
