import { useEffect, useState } from 'preact/hooks';

/** The path and the query of the page that is shown. */
export function useAddress(): string {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const follow = () => setAddress(readAddress());
    const click = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest('a');
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (
        !link ||
        !isPlain ||
        link.origin !== location.origin ||
        link.target !== '' ||
        link.download !== '' ||
        link.hash !== ''
      )
        return;
      event.preventDefault();
      go(link.pathname + link.search);
    };
    addEventListener('popstate', follow);
    addEventListener('click', click);
    return () => {
      removeEventListener('popstate', follow);
      removeEventListener('click', click);
    };
  }, []);
  return address;
}

function readAddress(): string {
  return location.pathname + location.search;
}

/** The path of the page that is shown, and how to go to another one. */
export function useRoute(): string {
  return useAddress().replace(/\?.*/, '');
}

/** What a link to this page names: the asset that it is about, or the approved address that something is to be sent to. */
export function useNamed(what: 'asset' | 'to'): string | undefined {
  return new URLSearchParams(useAddress().replace(/^[^?]*/, '')).get(what) ?? undefined;
}

/** Shows another page. */
export function go(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
  scrollTo(0, 0);
}
