import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { showCoins } from '../format.ts';
import { isIncoming } from '../value-over-time.ts';

/** What a movement moved, with the sign of its direction. What was paid for coins that came in is not said here. */
export function Moved({
  row: { type, amount, asset },
}: {
  readonly row: Pick<Transaction, 'type' | 'amount' | 'asset'>;
}) {
  const isIn = isIncoming(type);
  return (
    <span class={isIn ? 'up' : undefined}>
      {isIn ? '+' : '−'}
      {showCoins(amount, asset)}
    </span>
  );
}
