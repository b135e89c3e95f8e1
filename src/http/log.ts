/** Writes one structured line about something that should not have happened. Never pass a key, a body or a secret. */
export function logFault(event: string, facts: Readonly<Record<string, string>>): void {
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
