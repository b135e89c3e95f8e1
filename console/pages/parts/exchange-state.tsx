import { useEffect, useState } from 'preact/hooks';
import { api } from '../ask.ts';

const EVERY_MS = 15_000;

type Status = Awaited<ReturnType<typeof api.getStatus>>;

/** What of the exchange does not work now, in sentences; nothing while all of it does. */
function listTroubles(status: Status | 'unreachable'): readonly (readonly [what: string, more: string])[] {
  if (status === 'unreachable')
    return [['The exchange does not answer.', 'What you see may be old. It is asked again by itself.']];
  const { trading, withdrawals, prices } = status;
  return [
    trading === 'HALTED' &&
      ([
        'Trading is halted by the exchange.',
        'Orders are refused until it goes on. Your coins stay where they are.',
      ] as const),
    trading === 'DEGRADED' &&
      (['Orders cannot fill at the moment.', 'Nothing is taken for one that is refused.'] as const),
    trading === 'OK' &&
      prices === 'DEGRADED' &&
      (['Some coins have no price at the moment.', 'Orders of them are refused; all others fill.'] as const),
    withdrawals === 'HALTED' &&
      ([
        'Withdrawals are halted by the exchange.',
        'What was asked for already may wait until they go on. Deposits are credited as usual.',
      ] as const),
    withdrawals === 'DEGRADED' &&
      (['Withdrawals take longer than usual.', 'Those you asked for are on their way.'] as const),
  ].filter((trouble) => trouble !== false);
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
      {troubles.map(([what, more]) => (
        <p key={what}>
          <strong>{what}</strong> {more}
        </p>
      ))}
    </div>
  );
}
