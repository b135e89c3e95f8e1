import { useEffect, useState } from 'preact/hooks';
import { api } from '../ask.ts';

const EVERY_MS = 15_000;

type Status = Awaited<ReturnType<typeof api.getStatus>>;

/** What of the exchange does not work now, in sentences; nothing while all of it does. */
function listTroubles(status: Status | 'unreachable'): readonly string[] {
  if (status === 'unreachable') return ['The exchange does not answer at the moment. What you see may be old.'];
  const { trading, withdrawals, prices } = status;
  return [
    trading === 'HALTED' && 'Trading is halted by the exchange. Your coins stay where they are.',
    trading === 'DEGRADED' && 'Orders cannot fill at the moment.',
    trading === 'OK' &&
      prices === 'DEGRADED' &&
      'Some coins have no price at the moment, and orders of them are refused.',
    withdrawals === 'HALTED' && 'Withdrawals are halted by the exchange. Your coins stay where they are.',
    withdrawals === 'DEGRADED' && 'Withdrawals take longer than usual.',
  ].filter((text) => text !== false);
}

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
  const troubles = status === undefined ? [] : listTroubles(status);
  return (
    <div role="status" class="banner">
      {troubles.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
