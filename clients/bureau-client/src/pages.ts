/** A page of a list, with the cursor of the next page. */
interface Page {
  readonly nextCursor: string | null;
}

/**
 * Reads all rows of a list, newest first. Each row that existed when the first page was read comes exactly once. A page
 * is requested when its first row is needed. When `readPage` rejects, so does this; the reading cannot be resumed.
 */
export async function* readAllPages<P extends Page, Row>(
  readPage: (cursor: string | undefined) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
): AsyncGenerator<Row, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield* rowsOf(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
