/** What a line of the log tells beside its event. Never a key, a token, a code or a body. */
type Facts = Readonly<Record<string, string | number | undefined>>;

/** Writes one structured line about something that is meant to happen. */
export function logEvent(event: string, facts: Facts): void {
  console.log(JSON.stringify({ event, ...facts }));
}

/** Writes one structured line about something that should not have happened. */
export function logFault(event: string, facts: Facts): void {
  console.error(JSON.stringify({ event, ...facts }));
}

/**
 * What a log may say of an error: its message and where it was thrown. A database error wraps its cause in one that
 * repeats the statement's parameters; those stay out.
 */
export function describeError(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return root instanceof Error ? (root.stack ?? root.message) : 'not an error';
}
