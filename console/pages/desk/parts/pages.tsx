import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Fault, Waiting } from '../../parts/notice.tsx';
import { useMay } from '../staff.ts';
import type { List, Page } from './list.ts';

/** A list that is read a page at a time; anew when `wanted` or `turn` changes. */
export function Pages<Row>({
  list,
  wanted = '',
  turn = 0,
  children,
}: {
  readonly list: List<Row>;
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
      const page = await list.read(cursor);
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
  const may = useMay();
  const next = known?.nextCursor ?? undefined;
  return (
    <>
      {error !== undefined && <Fault error={error} />}
      {known && children(known.rows)}
      {!known && error === undefined && <Waiting />}
      {known && known.rows.length > 0 && (next !== undefined || may('export_lists')) && (
        <div class="export">
          {next !== undefined && (
            <button type="button" disabled={isBusy} onClick={() => void readMore(known.rows, next, () => true)}>
              {isBusy ? 'Reading …' : 'Show more'}
            </button>
          )}
          {may('export_lists') && <Export list={list} />}
        </div>
      )}
    </>
  );
}

/** Exports all of a list as it is filtered, and not only what is shown of it. */
function Export<Row>({ list }: { readonly list: List<Row> }) {
  const [state, setState] = useState<'ready' | 'busy' | 'done'>('ready');
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setState('busy');
    setError(undefined);
    try {
      await list.exportAll();
      setState('done');
    } catch (fault) {
      setError(fault);
      setState('ready');
    }
  };
  return (
    <>
      <button type="button" class="link" disabled={state === 'busy'} onClick={() => void run()}>
        {state === 'busy' ? 'Exporting …' : 'Export this list as CSV'}
      </button>
      <span role="status" class="quiet">
        {state === 'done' && 'The file is among your downloads, and the export in the audit.'}
      </span>
      {error !== undefined && <Fault error={error} />}
    </>
  );
}
