import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type Server, connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Holder {
  readonly pid: number;
  readonly port: number;
  readonly folder: string;
}

/** How long a holder may take to say who it is. */
const PATIENCE_MS = 2_000;

/**
 * Claims a subject, such as a port or a folder of data, for as long as this process lives. Returns who holds it already.
 * A claim is a socket that answers with its holder, so one that a killed process left behind is known by its silence.
 */
export async function claim(subject: string, self: Holder): Promise<Holder | undefined> {
  const path = pathOf(subject);
  if (await listen(path, self)) return undefined;
  const holder = await ask(path);
  if (holder) return holder;
  rmSync(path, { force: true });
  if (await listen(path, self)) return undefined;
  return ask(path);
}

export function findHolder(subject: string): Promise<Holder | undefined> {
  return ask(pathOf(subject));
}

function pathOf(subject: string): string {
  const digest = createHash('sha256').update(`${userInfo().username} ${subject}`).digest('hex').slice(0, 16);
  return process.platform === 'win32' ? `\\\\.\\pipe\\bureau-${digest}` : join(tmpdir(), `bureau-${digest}.sock`);
}

function listen(path: string, self: Holder): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(JSON.stringify(self));
    });
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(path, () => resolve(true)).unref();
  });
}

function ask(path: string): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('data', (part) => (text += String(part)));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text === '' ? undefined : (JSON.parse(text) as Holder)));
  });
}
