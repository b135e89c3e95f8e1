import { useEffect, useState } from 'preact/hooks';
import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { nameMovement, showAmount, showCents, showTime } from '../format.ts';
import { Choice } from '../parts/form.tsx';
import { Badge } from '../parts/coin.tsx';
import { Fault, Waiting } from '../parts/notice.tsx';
import { Pill } from '../parts/pill.tsx';
import { Movement } from './activity/movement.tsx';
import { StatementForm } from './activity/statement.tsx';

const kinds = [
  ['', 'everything'],
  ['SPOT_BUY', 'purchases'],
  ['SPOT_SELL', 'sales'],
  ['ONCHAIN_DEPOSIT', 'deposits'],
  ['ONCHAIN_WITHDRAWAL', 'withdrawals'],
] as const;

/** Whether the asset that is named came in; what was paid for it did not. */
const isIncoming = (type: string) => /BUY$|DEPOSIT$/.test(type);

type Kind = (typeof kinds)[number][0];

/** Everything that happened in the account, newest first, a page at a time, and the statement of a time. */
export function Activity() {
  const [kind, setKind] = useState<Kind>('');
  const [rows, setRows] = useState<readonly Transaction[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [shown, setShown] = useState<Transaction>();
  const read = async (known: readonly Transaction[], cursor: string | null) => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await api.listTransactions({ ...(kind && { type: kind }), ...(cursor !== null && { cursor }) });
      setRows([...known, ...page.transactions]);
      setNext(page.nextCursor);
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    void read([], null);
  }, [kind]);
  return (
    <>
      <section class="card" aria-busy={isBusy}>
        <Choice label="Show" value={kind} set={setKind} options={kinds} />
        {error !== undefined && <Fault error={error} />}
        {rows.length === 0 && isBusy && <Waiting />}
        {rows.length === 0 && !isBusy && error === undefined && (
          <p>
            There is nothing to show. <a href="/deposit">A deposit</a> or <a href="/trade">an order</a> appears here.
          </p>
        )}
        {rows.length > 0 && <Rows rows={rows} show={setShown} />}
        {next !== null && (
          <button type="button" disabled={isBusy} onClick={() => void read(rows, next)}>
            {isBusy ? 'Reading …' : 'Show more'}
          </button>
        )}
      </section>
      <StatementForm />
      {shown && <Movement row={shown} close={() => setShown(undefined)} />}
    </>
  );
}

function Rows({ rows, show }: { readonly rows: readonly Transaction[]; readonly show: (row: Transaction) => void }) {
  return (
    <table class="stacked activity" aria-label="Activity">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="number">
            Amount
          </th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            In USDT
          </th>
          <th scope="col" class="number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <span class="coin">
                <Badge asset={row.asset} />
                <button type="button" class="link" onClick={() => show(row)}>
                  {nameMovement(row.type)}
                </button>
              </span>
            </th>
            <td class={`number ${isIncoming(row.type) ? 'up' : ''}`}>
              {isIncoming(row.type) ? '+' : '−'}
              {showAmount(row.amount)} {row.asset}
            </td>
            <td>
              <Pill status={row.status} />
            </td>
            <td class="number">{showCents(row.usdValue)}</td>
            <td class="number">
              <time dateTime={row.ts}>{showTime(row.ts)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
