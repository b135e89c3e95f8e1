import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux, macOS and Windows give out themselves, and above those of well-known services. */
const [FIRST, END] = [20_000, 32_000];

const ATTEMPTS = 20;

/**
 * A port of loopback that nobody uses. It is none that the system gives to a program that asks for any port, so that no
 * such program has it by the time it is used. Throws when twenty of `draw` are all taken.
 */
export async function findFreePort(draw: () => number = () => randomInt(FIRST, END)): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = draw();
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${FIRST} to ${END}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
