/** Logs an event. Its name is in lower case with underscores; fields never contain a secret or a raw transaction. */
export type Log = (event: string, fields?: Readonly<Record<string, string | number | boolean | null>>) => void;

/** The log of a service: a line of JSON on standard output. */
export const logLine: Log = (event, fields = {}) => {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
};

/** An error's text for the log, at most 300 characters. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
