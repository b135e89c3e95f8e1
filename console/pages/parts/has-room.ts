import { useEffect, useState } from 'preact/hooks';

/** Whether the page is at least so many pixels wide, now and when it is made wider or narrower. */
export function useHasRoom(width: number): boolean {
  const [room] = useState(() => matchMedia(`(width >= ${width}px)`));
  const [hasRoom, setHasRoom] = useState(room.matches);
  useEffect(() => {
    const tell = () => setHasRoom(room.matches);
    // It may have changed before anybody listened.
    tell();
    room.addEventListener('change', tell);
    return () => room.removeEventListener('change', tell);
  }, [room]);
  return hasRoom;
}
