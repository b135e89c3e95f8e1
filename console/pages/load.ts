import { useCallback, useEffect, useState } from 'preact/hooks';

/** What a page reads: on its way, here, or refused. */
export type LoadState<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'here'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** Reads something when the page is opened, again when `reload` is called, and every `every_ms` if that is given. */
export function useLoaded<T>(
  read: () => Promise<T>,
  every_ms?: number,
): { readonly loaded: LoadState<T>; readonly reload: () => void } {
  const [loaded, setLoaded] = useState<LoadState<T>>({ state: 'waiting' });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((known) => known + 1), []);
  useEffect(() => {
    let isOpen = true;
    read().then(
      (value) => isOpen && setLoaded({ state: 'here', value }),
      // A read that fails later leaves what is shown.
      (error: unknown) => isOpen && setLoaded((known) => (known.state === 'here' ? known : { state: 'failed', error })),
    );
    return () => {
      isOpen = false;
    };
    // `read` is a new function at each turn of the page; what it reads changes only with `turn`.
  }, [turn]);
  useEffect(() => {
    if (every_ms === undefined) return undefined;
    const timer = setInterval(reload, every_ms);
    return () => clearInterval(timer);
  }, [every_ms, reload]);
  return { loaded, reload };
}
