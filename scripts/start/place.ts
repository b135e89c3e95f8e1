import { resolve } from 'node:path';

/** Where an exchange of this machine runs, and where it keeps its data. */
export interface Place {
  readonly port: number;
  readonly origin: string;
  /** The folder of its data, as it was named. */
  readonly storage: string;
  /** What the exchange logs: each request, and what wrangler says. Written anew at each start. */
  readonly logFile: string;
}

const DEFAULT_PORT = '8787';
const DEFAULT_STORAGE = '.wrangler/state';

/** Reads the place from PORT and BUREAU_STORAGE, or says what is wrong with it. */
export function readPlace(environment: NodeJS.ProcessEnv): Place | { readonly refusal: string } {
  const told = environment['PORT'] ?? DEFAULT_PORT;
  const port = Number(told);
  if (!/^\d{1,5}$/.test(told) || port < 1 || port > 65_535) {
    return { refusal: `PORT is "${told}", which is no port: it takes a number from 1 to 65535.` };
  }
  const storage = readStorage(environment);
  return { port, origin: `http://127.0.0.1:${port}`, storage, logFile: `${storage}/requests.log` };
}

export function readStorage(environment: NodeJS.ProcessEnv): string {
  return (environment['BUREAU_STORAGE'] ?? DEFAULT_STORAGE).replace(/(?<=.)\/+$/, '');
}

/** The name under which a folder of data is claimed. */
export function subjectOfStorage(storage: string): string {
  return `data ${resolve(storage)}`;
}

/** The name under which a port of this machine is claimed. */
export function subjectOfPort(port: number): string {
  return `port ${port}`;
}
