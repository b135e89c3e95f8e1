/** The fields of a log line besides its event. Never a key, a token, a code or a body. */
type Facts = Readonly<Record<string, string | number | undefined>>;

/** Writes one structured line about something that is expected. */
export function logEvent(event: string, facts: Facts): void {
  console.log(JSON.stringify({ event, ...facts }));
}

/** Writes one structured line about a fault. */
export function logFault(event: string, facts: Facts): void {
  console.error(JSON.stringify({ event, ...facts }));
}

/**
 * What a log may say about an error: its message and where it was thrown. Drizzle wraps a database error in one that
 * repeats the statement's parameters; those are left out.
 */
export function describeError(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return root instanceof Error ? (root.stack ?? root.message) : 'not an error';
}
