import { useEffect, useState } from 'preact/hooks';
import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../api.ts';
import { nameMovement, showCents, showRecent } from '../format.ts';
import { Choice, TextField } from '../parts/form.tsx';
import { assetSymbols } from '../assets.ts';
import { Badge } from '../parts/coin.tsx';
import { Moved } from '../parts/moved.tsx';
import { None } from '../parts/none.tsx';
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
  ['INTERNAL_DEPOSIT', 'credits'],
  ['INTERNAL_WITHDRAWAL', 'sent within the exchange'],
] as const;

const states = [
  ['', 'any state'],
  ['PENDING', 'waiting'],
  ['PROCESSING', 'under way'],
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
] as const;

const times = [
  ['', 'any time'],
  ['7', 'last 7 days'],
  ['30', 'last 30 days'],
  ['days', 'other days'],
] as const;

const assetOptions = [['', 'all assets'], ...assetSymbols.map((asset) => [asset, asset] as const)] as const;

type Query = NonNullable<Parameters<typeof api.listTransactions>[0]>;

/** What is shown alone, where something is chosen; the days are those of the place where somebody reads them. */
interface Filters {
  readonly type: (typeof kinds)[number][0];
  readonly asset: NonNullable<Query['asset']> | '';
  readonly status: (typeof states)[number][0];
  readonly when: (typeof times)[number][0];
  readonly from: string;
  readonly until: string;
}

const NO_FILTERS: Filters = { type: '', asset: '', status: '', when: '', from: '', until: '' };

/** The beginning of a day, so many days from it. */
function beginOf(day: Date, after = 0): string {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + after).toISOString();
}

function readDays({ when, from, until }: Filters): Pick<Query, 'from' | 'to'> {
  if (when === '7' || when === '30') return { from: beginOf(new Date(), 1 - Number(when)) };
  if (when === '') return {};
  return {
    ...(from && { from: beginOf(new Date(`${from}T00:00`)) }),
    ...(until && { to: beginOf(new Date(`${until}T00:00`), 1) }),
  };
}

/** Filters as the API takes them. The last day is included. */
function readFilters(filters: Filters): Query {
  const { type, asset, status } = filters;
  return {
    ...(type && { type }),
    ...(asset && { asset }),
    ...(status && { status }),
    ...readDays(filters),
  };
}

/** Everything that happened in the account, and the statement of a time. */
export function Activity() {
  const [filters, setFilters] = useState(NO_FILTERS);
  const choose =
    <Name extends keyof Filters>(name: Name) =>
    (value: Filters[Name]) =>
      setFilters({ ...filters, [name]: value });
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <>
      <section class="card">
        <div class="filters">
          <Choice label="Show" value={filters.type} set={choose('type')} options={kinds} />
          <Choice label="Asset" value={filters.asset} set={choose('asset')} options={assetOptions} />
          <Choice label="State" value={filters.status} set={choose('status')} options={states} />
          <Choice label="When" value={filters.when} set={choose('when')} options={times} />
          {filters.when === 'days' && (
            <>
              <TextField label="From" type="date" value={filters.from} set={choose('from')} />
              <TextField label="Until" type="date" value={filters.until} set={choose('until')} />
            </>
          )}
        </div>
        {isFiltered && (
          <button type="button" class="link" onClick={() => setFilters(NO_FILTERS)}>
            Show everything again
          </button>
        )}
        <Found key={JSON.stringify(filters)} wanted={readFilters(filters)} isFiltered={isFiltered} />
      </section>
      <StatementForm />
    </>
  );
}

/** What a filter finds, newest first, a page at a time. */
function Found({ wanted, isFiltered }: { readonly wanted: Query; readonly isFiltered: boolean }) {
  const [rows, setRows] = useState<readonly Transaction[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(true);
  const [error, setError] = useState<unknown>();
  const [shown, setShown] = useState<Transaction>();
  const read = async (known: readonly Transaction[], cursor: string | null) => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await api.listTransactions({ ...wanted, ...(cursor !== null && { cursor }) });
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
  }, []);
  return (
    <>
      {error !== undefined && <Fault error={error} />}
      {rows.length === 0 && isBusy && <Waiting />}
      {rows.length === 0 && !isBusy && error === undefined && (
        <div role="status">
          {isFiltered ? (
            'Nothing of that kind happened then.'
          ) : (
            <None title="No activity yet" path="/deposit" act="Make a deposit">
              Deposits, orders and withdrawals appear here.
            </None>
          )}
        </div>
      )}
      {rows.length > 0 && <Rows rows={rows} show={setShown} />}
      {next !== null && (
        <button type="button" disabled={isBusy} onClick={() => void read(rows, next)}>
          {isBusy ? 'Reading …' : 'Show more'}
        </button>
      )}
      {shown && <Movement row={shown} close={() => setShown(undefined)} />}
    </>
  );
}

function Rows({ rows, show }: { readonly rows: readonly Transaction[]; readonly show: (row: Transaction) => void }) {
  return (
    <table class="stacked activity opens" aria-label="Activity">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="number">
            Amount
          </th>
          <th scope="col" class="state">
            State
          </th>
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
                  {nameMovement(row.type, row.asset)}
                </button>
              </span>
            </th>
            <td class="number">
              <Moved row={row} />
            </td>
            <td class="state">
              <Pill status={row.status} />
            </td>
            <td class="number worth">{showCents(row.usdValue)}</td>
            <td class="number when">
              <time dateTime={row.ts}>{showRecent(row.ts)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
