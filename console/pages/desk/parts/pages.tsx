import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Fault, Waiting } from '../../parts/notice.tsx';

/** A page of a list, and where the next one begins. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** A list that is read a page at a time; anew when `wanted` or `turn` changes. */
export function Pages<Row>({
  read,
  wanted = '',
  turn = 0,
  children,
}: {
  readonly read: (cursor: string | undefined) => Promise<Page<Row>>;
  /** What is read, in words: whoever asks for something else gets another list. */
  readonly wanted?: string;
  readonly turn?: number;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const [known, setKnown] = useState<Page<Row>>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const readMore = async (before: readonly Row[], cursor: string | undefined, isWanted: () => boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await read(cursor);
      if (isWanted()) setKnown({ rows: [...before, ...page.rows], nextCursor: page.nextCursor });
    } catch (fault) {
      if (isWanted()) setError(fault);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    let isWanted = true;
    void readMore([], undefined, () => isWanted);
    return () => {
      isWanted = false;
    };
  }, [wanted, turn]);
  const next = known?.nextCursor ?? undefined;
  return (
    <>
      {error !== undefined && <Fault error={error} />}
      {known && children(known.rows)}
      {!known && error === undefined && <Waiting />}
      {known && next !== undefined && (
        <button type="button" disabled={isBusy} onClick={() => void readMore(known.rows, next, () => true)}>
          {isBusy ? 'Reading …' : 'Show more'}
        </button>
      )}
    </>
  );
}
