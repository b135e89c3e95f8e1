/** Writes one line an event. Names are in lower case with underscores; fields never hold a secret or a raw transaction. */
export type Log = (event: string, fields?: Readonly<Record<string, string | number | boolean | null>>) => void;

/** The log of a service: a line of JSON on standard output. */
export const logLine: Log = (event, fields = {}) => {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
};

/** An error's text for the log: never longer than a line should be. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
