import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { VenueSettings } from '../../src/config.ts';
import { DEALING_KEY } from './sign.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');

/** The variables of a dealer at these venues. */
export function writeEnvironment(database: string, venues: readonly VenueSettings[]): Record<string, string> {
  const named = (read: (venue: VenueSettings) => unknown) =>
    JSON.stringify(Object.fromEntries(venues.map((venue) => [venue.name, read(venue)])));
  return {
    DEALER_PORT: '0',
    DEALER_DATABASE: database,
    DEALER_SECRETS: JSON.stringify({ [DEALING_KEY.keyId]: DEALING_KEY.secret }),
    DEALER_VENUES: named(({ name: _name, key: _key, secret: _secret, ...venue }) => venue),
    DEALER_VENUE_KEYS: named(({ key, secret }) => ({ key, secret })),
  };
}

/** A dealer that is a process of its own. */
export interface DealerProcess {
  readonly url: string;
  /** Ends it as a power cut would. */
  kill(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts the dealer, on any free port unless told, from other sources than its own perhaps, and resolves when it serves.
 * Rejects when it ends before that.
 */
export async function startDealer(
  database: string,
  venues: readonly VenueSettings[],
  { port: wanted = 0, source = SOURCE } = {},
): Promise<DealerProcess> {
  const child: ChildProcess = spawn(process.execPath, [join(source, 'commands', 'start.ts')], {
    env: { ...process.env, ...writeEnvironment(database, venues), DEALER_PORT: String(wanted) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    ended.then(() => reject(new Error('the dealer has ended')), reject);
    if (!child.stdout) throw new Error('no output');
    createInterface(child.stdout).on('line', (line) => {
      const said = JSON.parse(line) as { event: string; port?: number };
      if (said.event === 'dealer_started') resolve(said.port ?? 0);
    });
  });
  return { url: `http://127.0.0.1:${port}`, kill: () => void child.kill('SIGKILL'), ended };
}
