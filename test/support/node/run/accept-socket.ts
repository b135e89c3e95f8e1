import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** One WebSocket of a server on loopback, with what RFC 6455 asks of a server that sends short texts. */
export interface AcceptedSocket {
  /** Sends a text; nothing once it is closed. */
  send(text: string): void;
  /** Ends it in order, as a venue does. */
  close(code: number): void;
  destroy(): void;
}

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Accepts an upgrade, and calls `read` for each text and `end` when the connection has ended. */
export function acceptSocket(
  request: IncomingMessage,
  connection: Duplex,
  { read, end }: { readonly read: (text: string) => void; readonly end: () => void },
): AcceptedSocket {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  connection.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}\r\n\r\n`,
  );
  const send = (opcode: number, payload: Buffer) => {
    if (connection.writable) connection.write(Buffer.concat([writeHead(opcode, payload.length), payload]));
  };
  let received: Buffer = Buffer.alloc(0);
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let frame = readFrame(received); frame; frame = readFrame(received)) {
      received = frame.rest;
      if (frame.opcode === TEXT) read(frame.payload.toString());
      if (frame.opcode === PING) send(PONG, frame.payload);
      if (frame.opcode === CLOSE) {
        send(CLOSE, frame.payload.subarray(0, 2));
        connection.end();
      }
    }
  });
  connection.once('error', () => connection.destroy());
  connection.once('close', end);
  return {
    send: (text) => send(TEXT, Buffer.from(text)),
    close: (code) => {
      send(CLOSE, Buffer.from([code >> 8, code & 0xff]));
      connection.end();
    },
    destroy: () => connection.destroy(),
  };
}

function writeHead(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return head;
}

/** The first whole frame, which a client masks and no client here splits. */
function readFrame(bytes: Buffer) {
  if (bytes.length < 6) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 6 + sizeBytes) return undefined;
  const length = sizeBytes === 0 ? short : bytes.readUIntBE(2 + (sizeBytes === 8 ? 2 : 0), sizeBytes === 8 ? 6 : 2);
  const begin = 6 + sizeBytes;
  if (bytes.length < begin + length) return undefined;
  const mask = bytes.subarray(begin - 4, begin);
  const payload = Buffer.from(bytes.subarray(begin, begin + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  return { opcode: first & 0x0f, payload, rest: bytes.subarray(begin + length) };
}
