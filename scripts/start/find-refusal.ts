import { createServer } from 'node:net';
import { isOfNewerVersion } from '../keep-state.ts';
import { findSecretsFault } from '../local-secrets.ts';
import { type Holder, claim } from './claim.ts';
import { type Place, subjectOfPort, subjectOfStorage } from './place.ts';

/**
 * Returns the first reason why an exchange cannot start at a place, as one sentence for the person who started it, or
 * undefined. What it finds free it claims, so that of two starts at once one is refused.
 */
export async function findRefusal(place: Place, migrations: readonly string[]): Promise<string | undefined> {
  const { port, consolePort, storage } = place;
  const self: Holder = { pid: process.pid, port, folder: process.cwd() };
  const secretsFault = await findSecretsFault();
  if (secretsFault !== undefined) return secretsFault;
  if (isOfNewerVersion(storage, migrations)) {
    return `the data in ${storage} was made by a newer version of Bureau: update this one, name another folder with BUREAU_STORAGE, or delete the data with npm run reset.`;
  }
  const user = await claim(subjectOfStorage(storage), self);
  if (user?.port === port) return `it is running already, at ${place.origin} (process ${user.pid}).`;
  if (user) {
    return `the data in ${storage} is in use by the Bureau on port ${user.port} (process ${user.pid}): stop that one, or name another folder with BUREAU_STORAGE.`;
  }
  return (await findPortRefusal(port, 'PORT', self)) ?? findPortRefusal(consolePort, 'CONSOLE_PORT', self);
}

async function findPortRefusal(port: number, variable: string, self: Holder): Promise<string | undefined> {
  const neighbour = await claim(subjectOfPort(port), self);
  if (neighbour) {
    return `port ${port} is taken by the Bureau of ${neighbour.folder} (process ${neighbour.pid}): stop that one, or choose another port with ${variable}.`;
  }
  return findPortFault(port, variable);
}

/** What the system says when the port is opened. */
function findPortFault(port: number, variable: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be opened (${code ?? message})`;
      resolve(`port ${port} ${reason}: choose another one with ${variable}.`);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
