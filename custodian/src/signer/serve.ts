import { chmodSync, existsSync, unlinkSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { SignerRequest, type SignerAnswer } from './requests.ts';

/** A transaction of many legacy inputs carries those that made them. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** What the signer says of a request that it could not read, or whose signature it could not write down. */
export interface SignerFault {
  readonly kind: 'fault';
  readonly message: string;
}

/**
 * Serves the signer on a Unix socket that only its own user can open: a line of JSON in, a line of JSON out, in the
 * order of the requests. The signature log's lock has made sure that no other signer of this log runs, so a socket that
 * stands there already is a dead one's.
 */
export async function serveSigner(path: string, answer: (request: SignerRequest) => SignerAnswer): Promise<Server> {
  if (existsSync(path)) unlinkSync(path);
  const server = createServer((socket) => {
    readLines(socket, (line) => socket.write(`${JSON.stringify(answerLine(line, answer))}\n`));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}

function answerLine(line: string, answer: (request: SignerRequest) => SignerAnswer): SignerAnswer | SignerFault {
  try {
    return answer(SignerRequest.parse(JSON.parse(line)));
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message.slice(0, 500) : 'unknown' };
  }
}

/** Calls `take` with each whole line. A line that never ends closes the connection. */
export function readLines(socket: Socket, take: (line: string) => void): void {
  let pending = '';
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    if (pending.length > MAX_LINE_BYTES) socket.destroy();
    for (const line of lines) take(line);
  });
}
