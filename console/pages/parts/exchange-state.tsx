import { useEffect, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { type Status, tellTroubles } from '../troubles.ts';

const EVERY_MS = 15_000;

/** A banner above every page while something of the exchange is halted, late or out of reach. */
export function ExchangeState() {
  const [status, setStatus] = useState<Status | 'unreachable'>();
  useEffect(() => {
    let isOpen = true;
    const read = () =>
      api.getStatus().then(
        (known) => isOpen && setStatus(known),
        () => isOpen && setStatus('unreachable'),
      );
    void read();
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, []);
  const trouble = status && tellTroubles(status);
  return (
    <div role="status" class="banner">
      {trouble && (
        <p class="notice warn">
          <strong>{trouble.what}</strong> {trouble.more}
        </p>
      )}
    </div>
  );
}
