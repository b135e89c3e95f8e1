/** A page of a list, by where the next one begins. */
interface Page {
  readonly nextCursor: string | null;
}

/**
 * Walks a list page by page, newest first. Every row that was there when the walk began comes exactly once; a page is
 * asked for when its first row is. Rejects as `readPage` does, and goes on from nowhere: begin anew.
 */
export async function* walkPages<P extends Page, Row>(
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
