import { chmodSync, existsSync, unlinkSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { SignerRequest, type SignerAnswer } from './requests.ts';

/** Large enough for a transaction with many legacy inputs, each of which comes with the transaction that made it. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The answer to a request that the signer could not parse, or whose signature it could not record. */
export interface SignerFault {
  readonly kind: 'fault';
  readonly message: string;
}

/**
 * Serves the signer on a Unix socket that only its own user and group can open: the custodian runs as another user of
 * that group. Each request is a line of JSON and gets a line of
 * JSON, in the order of the requests. The lock of the signature log guarantees that no other signer of this log runs,
 * so an existing socket belongs to a signer that has ended, and is replaced.
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
  chmodSync(path, 0o660);
  return server;
}

function answerLine(line: string, answer: (request: SignerRequest) => SignerAnswer): SignerAnswer | SignerFault {
  try {
    return answer(SignerRequest.parse(JSON.parse(line)));
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message.slice(0, 500) : 'unknown' };
  }
}

/** Calls `take` with each whole line. Closes the connection when a line is too long. */
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
