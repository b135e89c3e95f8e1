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
 * The error of the database in one of Drizzle's, which repeats the statement's parameters; those must not be logged. Any
 * other error is its own root: D1 names what went wrong in its error's own message, and less of it in the cause.
 */
export function rootOf(error: unknown): unknown {
  const isOfDrizzle = error instanceof Error && error.message.startsWith('Failed query');
  return isOfDrizzle && error.cause instanceof Error ? error.cause : error;
}

/** What a log may say about an error: its message and where it was thrown. */
export function describeError(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error ? (root.stack ?? root.message) : 'not an error';
}

/** What `act` gives; when it fails, that is logged as this fault, and `instead` is given. Never rejects. */
export async function tryOrLog<Given, const Instead>(
  fault: string,
  facts: Facts,
  instead: Instead,
  act: () => Given | Promise<Given>,
): Promise<Given | Instead> {
  try {
    return await act();
  } catch (error) {
    logFault(fault, { ...facts, error: describeError(error) });
    return instead;
  }
}
