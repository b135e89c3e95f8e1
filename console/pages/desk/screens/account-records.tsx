import type { ComponentChildren } from 'preact';
import { inWords, nameMovement, shorten, showAmount, showCents, showSum } from '../../format.ts';
import { Choice } from '../../parts/form.tsx';
import { go } from '../../route.ts';
import { State, Time } from '../parts/names.tsx';
import { type List, listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import type { OperatorDeposit, OperatorWithdrawal, Order, Transaction } from '../schema.d.ts';

const when = { name: 'When', narrow: 'bare' as const, show: ({ ts }: { readonly ts: string }) => <Time iso={ts} /> };
const state = {
  name: 'State',
  narrow: 'bare' as const,
  show: ({ status }: { readonly status: string }) => <State of={status} />,
};
interface Valued {
  readonly usdValue: string;
}

/** A deposit has a value once it is credited. */
export const isValued = ({ usdValue }: Valued) => usdValue !== '0';

const value = {
  name: 'In USDT',
  isNumber: true,
  narrow: 'beside' as const,
  show: (row: Valued) =>
    isValued(row) ? (
      <>
        {showCents(row.usdValue)}
        <span class="narrow"> USDT</span>
      </>
    ) : (
      <span class="dim">–</span>
    ),
};

/** A record by how much of what it moved. */
const nameAmount = (row: { readonly amount: string; readonly asset: string }) => showSum(row.amount, row.asset);

const orderColumns: readonly Column<Order>[] = [
  { name: 'Order', show: ({ side, coin }) => `${inWords(side)} ${coin}` },
  { name: 'Coins', isNumber: true, show: ({ coinAmount }) => showAmount(coinAmount) },
  { name: 'USDT', isNumber: true, show: ({ usdtAmount }) => showAmount(usdtAmount) },
  { name: 'Price', isNumber: true, show: ({ executedPrice }) => showAmount(executedPrice) },
  state,
  when,
];

/** What takes away from an account. */
const OUT = /SELL$|WITHDRAWAL$/;

const transactionColumns = (accountId: string): readonly Column<Transaction>[] => [
  {
    name: 'What',
    show: ({ id, type, asset }) => {
      const path = { ONCHAIN_DEPOSIT: '/desk/deposits', ONCHAIN_WITHDRAWAL: `/desk/withdrawals/${accountId}` }[
        type as string
      ];
      const name = nameMovement(type, asset);
      return path === undefined ? name : <a href={`${path}/${id}`}>{name}</a>;
    },
  },
  {
    name: 'Amount',
    isNumber: true,
    narrow: 'beside',
    show: (row) => `${OUT.test(row.type) ? '−' : '+'}${nameAmount(row)}`,
  },
  { ...value, narrow: 'bare' },
  state,
  when,
];

/** The columns of withdrawals, of one account or of all. */
export const withdrawalColumns: readonly Column<OperatorWithdrawal>[] = [
  {
    name: 'Withdrawal',
    show: (row) => <a href={`/desk/withdrawals/${row.accountId}/${row.id}`}>{nameAmount(row)}</a>,
  },
  value,
  { name: 'To', narrow: 'bare', show: ({ network, address }) => <Destination network={network} address={address} /> },
  state,
  when,
];

/** The columns of deposits, of one account or of all. */
export const depositColumns: readonly Column<OperatorDeposit>[] = [
  {
    name: 'Deposit',
    show: (row) =>
      row.network === null ? nameAmount(row) : <a href={`/desk/deposits/${row.id}`}>{nameAmount(row)}</a>,
  },
  value,
  {
    name: 'Network',
    narrow: 'bare',
    show: ({ network, confirmations, confirmationsNeeded }) =>
      network === null ? 'credited by hand' : `${network}, ${confirmations} of ${confirmationsNeeded} confirmed`,
  },
  {
    name: 'State',
    narrow: 'bare',
    show: ({ status, decision, reason }) => (
      <>
        <State of={decision ?? status} /> {reason !== null && <small>· {inWords(reason)}</small>}
      </>
    ),
  },
  when,
];

/** A network and the address on it, by its ends: the record's own page has the whole. */
function Destination({ network, address }: { readonly network: string; readonly address: string }) {
  return (
    <>
      {network} <code title={address}>{shorten(address)}</code>
    </>
  );
}

interface RecordKind {
  readonly title: string;
  /** Which states the list can be narrowed to. */
  readonly states: readonly string[];
  readonly empty: string;
  readonly list: (id: string, status: string) => ComponentChildren;
}

interface Listed {
  readonly id: string;
}

/** A kind of record, with a list of its rows. */
function describeKind<Row extends Listed>(
  title: string,
  states: readonly string[],
  empty: string,
  columnsOf: (accountId: string) => readonly Column<Row>[],
  listRecords: (id: string, query: { readonly status?: never }) => List<Row>,
): RecordKind {
  const list = (id: string, status: string) => (
    <Pages list={listRecords(id, { ...(status && { status: status as never }) })}>
      {(rows) => <Records label={title} rows={rows} keyOf={(row) => row.id} columns={columnsOf(id)} empty={empty} />}
    </Pages>
  );
  return { title, states, empty, list };
}

const ended = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'];

/** The kinds of an account's records, by their part of the path. */
export const recordKinds: Readonly<Record<string, RecordKind>> = {
  transactions: describeKind('Transactions', ended, 'Nothing has moved.', transactionColumns, (id, query) =>
    listOf('get /accounts/{id}/transactions', { path: { id }, query }),
  ),
  orders: describeKind(
    'Orders',
    ['COMPLETED', 'FAILED'],
    'No order was placed.',
    () => orderColumns,
    (id, query) => listOf('get /accounts/{id}/orders', { path: { id }, query }),
  ),
  withdrawals: describeKind(
    'Withdrawals',
    ended,
    'Nothing was withdrawn.',
    () => withdrawalColumns,
    (id, query) => listOf('get /accounts/{id}/withdrawals', { path: { id }, query }),
  ),
  deposits: describeKind(
    'Deposits',
    ['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED'],
    'Nothing was deposited.',
    () => depositColumns,
    (id, query) => listOf('get /accounts/{id}/deposits', { path: { id }, query }),
  ),
};

/** The records of an account of one kind, newest first, in any state or in one. */
export function AccountRecords({
  id,
  kind,
  query,
}: {
  readonly id: string;
  readonly kind: string;
  readonly query: URLSearchParams;
}) {
  const known = recordKinds[kind];
  if (!known) return <p>There is no such page of an account.</p>;
  const status = query.get('status') ?? '';
  return (
    <section class="card">
      <div class="top">
        <h2>{known.title}</h2>
        <Choice
          label="State"
          value={status}
          set={(next) => go(`/desk/accounts/${id}/${kind}${next && `?status=${next}`}`)}
          options={[['', 'all'], ...known.states.map((one) => [one, inWords(one)] as const)]}
        />
      </div>
      {known.list(id, status)}
    </section>
  );
}
