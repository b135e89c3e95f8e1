import { resolve } from 'node:path';

export interface Place {
  readonly port: number;
  readonly origin: string;
  /** Where the console is. By its name, because browsers refuse passkeys on an IP address. */
  readonly consolePort: number;
  readonly consoleOrigin: string;
  readonly storage: string;
  /** What the exchange logs: each request, and what wrangler says. Written anew at each start. */
  readonly logFile: string;
  readonly mailFolder: string;
}

const DEFAULT_PORT = '8787';
const MAX_PORT = 65_535;
/** Where the data is unless BUREAU_STORAGE says another folder. */
export const DEFAULT_STORAGE = '.wrangler/state';

/** Reads the place from PORT, CONSOLE_PORT and BUREAU_STORAGE, or says what is wrong with it. */
export function readPlace(environment: NodeJS.ProcessEnv): Place | { readonly refusal: string } {
  const told = environment['PORT'] ?? DEFAULT_PORT;
  const port = readPort(told);
  if (port === undefined) return refusePort('PORT', told);
  const beside = environment['CONSOLE_PORT'] ?? String(port === MAX_PORT ? port - 1 : port + 1);
  const consolePort = readPort(beside);
  if (consolePort === undefined) return refusePort('CONSOLE_PORT', beside);
  if (consolePort === port) return { refusal: `PORT and CONSOLE_PORT are both ${port}: choose two.` };
  const storage = readStorage(environment);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    consolePort,
    consoleOrigin: `http://localhost:${consolePort}`,
    storage,
    logFile: `${storage}/requests.log`,
    mailFolder: `${storage}/mail`,
  };
}

function readPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= MAX_PORT ? port : undefined;
}

function refusePort(variable: string, told: string) {
  return { refusal: `${variable} is "${told}", which is no port: it takes a number from 1 to 65535.` };
}

export function readStorage(environment: NodeJS.ProcessEnv): string {
  return (environment['BUREAU_STORAGE'] ?? DEFAULT_STORAGE).replace(/(?<=.)\/+$/, '');
}

export function subjectOfStorage(storage: string): string {
  return `data ${resolve(storage)}`;
}

export function subjectOfPort(port: number): string {
  return `port ${port}`;
}
