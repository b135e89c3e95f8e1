import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PlayedServer } from '../run/serve-on-loopback.ts';

/**
 * Plays the venues in a process of their own. Where this process sends many requests as well, they would answer too late
 * in it.
 */
export async function forkVenues(): Promise<PlayedServer & AsyncDisposable> {
  const venues = fork(fileURLToPath(new URL('serve-venues.ts', import.meta.url)));
  const [url] = (await once(venues, 'message')) as [string];
  const stop = async () => {
    const ended = once(venues, 'exit');
    venues.disconnect();
    await ended;
  };
  return { url, stop, [Symbol.asyncDispose]: stop };
}
