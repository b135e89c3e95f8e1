/** A page of the feed of events, with the number to continue from. */
interface Page<Row> {
  readonly events: readonly Row[];
  readonly nextAfter: number;
}

/**
 * Reads the feed of events, oldest first, each event once. At the newest event it ends, or waits with `pause` and goes
 * on. A page is requested when its first event is needed. When `readPage` rejects, so does this; begin again after the
 * `sequence` of the last event that came.
 */
export async function* followEvents<Row>(
  after: number | undefined,
  readPage: (after: number | undefined) => Promise<Page<Row>>,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<Row, void, undefined> {
  let reached = after;
  for (;;) {
    const page = await readPage(reached);
    yield* page.events;
    // Of a feed that is narrowed to some types, a page may be empty before the end.
    const isAtEnd = page.events.length === 0 && page.nextAfter === reached;
    reached = page.nextAfter;
    if (!isAtEnd) continue;
    if (!pause) return;
    await pause();
  }
}
