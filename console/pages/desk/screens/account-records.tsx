import type { ComponentChildren } from 'preact';
import { inWords, nameMovement, shorten, showAmount, showCents, showSum } from '../../format.ts';
import { Choice } from '../../parts/form.tsx';
import { nameAlone } from '../../networks.ts';
import { go } from '../../route.ts';
import { ShortId, State, Time, nameState } from '../parts/names.tsx';
import { type List, listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import type { OperatorDeposit, OperatorWithdrawal, Order, Transaction } from '../schema.d.ts';

const when = {
  name: 'When',
  narrow: 'bare end' as const,
  show: ({ ts }: { readonly ts: string }) => <Time iso={ts} />,
};
const state = {
  name: 'State',
  narrow: 'bare first' as const,
  show: ({ status }: { readonly status: string }) => <State of={status} />,
};
interface Valued {
  readonly usdValue: string;
}

/** A deposit has a value once it is credited. */
export const isValued = ({ usdValue }: Valued) => usdValue !== '0';

export const valueColumn = {
  name: 'Worth, USDT',
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

const showSigned = ({ type }: Transaction, text: string) => `${OUT.test(type) ? '−' : '+'}${text}`;

/** The state of a withdrawal in words. */
export const nameWithdrawalState = (status: string) => (status === 'PENDING' ? 'Waits for review' : nameState(status));

/** The state of a withdrawal. */
export const WithdrawalState = ({ of }: { readonly of: string }) => <State of={of} words={nameWithdrawalState(of)} />;

const transactionColumns = (accountId: string): readonly Column<Transaction>[] => [
  {
    name: 'Kind',
    show: ({ id, type, asset }) => {
      const paths: Readonly<Record<string, string>> = {
        ONCHAIN_DEPOSIT: `/desk/deposits/${id}`,
        ONCHAIN_WITHDRAWAL: `/desk/withdrawals/${accountId}/${id}`,
        // The audit has what no network sent.
        INTERNAL_DEPOSIT: `/desk/audit?target=${accountId}&action=credit_account`,
      };
      const [path, name] = [paths[type], nameMovement(type, asset)];
      return (
        <>
          {path === undefined ? name : <a href={path}>{name}</a>}
          <small class="below">
            <ShortId id={id} />
          </small>
        </>
      );
    },
  },
  {
    name: 'Amount',
    isNumber: true,
    narrow: 'beside',
    show: (row) => (
      <>
        {showSigned(row, nameAmount(row))}
        {isValued(row) && <small class="below narrow">{showSigned(row, showCents(row.usdValue))} USDT</small>}
      </>
    ),
  },
  {
    ...valueColumn,
    narrow: 'nowhere',
    show: (row) => (isValued(row) ? showSigned(row, showCents(row.usdValue)) : <span class="dim">–</span>),
  },
  {
    ...state,
    show: ({ type, status, reason }) => (
      <>
        {type.endsWith('WITHDRAWAL') ? <WithdrawalState of={status} /> : <State of={status} />}
        {reason !== null && <small> · {inWords(reason)}</small>}
      </>
    ),
  },
  when,
];

/** The columns of withdrawals, of one account or of all. */
export const withdrawalColumns: readonly Column<OperatorWithdrawal>[] = [
  {
    name: 'Withdrawal',
    show: (row) => (
      <>
        <a href={`/desk/withdrawals/${row.accountId}/${row.id}`}>{nameAmount(row)}</a>
        <small class="below">
          {nameAlone(row.network)} <ShortId id={row.id} />
        </small>
      </>
    ),
  },
  valueColumn,
  {
    name: 'To',
    narrow: 'bare last',
    show: ({ address }) => <code title={address}>{shorten(address)}</code>,
  },
  { ...state, show: ({ status }) => <WithdrawalState of={status} /> },
  when,
];

/** The page of a deposit; the audit has what no network sent. */
const findPage = ({ id, network, accountId }: OperatorDeposit) =>
  network === null ? `/desk/audit?target=${accountId}&action=credit_account` : `/desk/deposits/${id}`;

/** Where a deposit came from: nobody tells the exchange who sent it. */
function tellSource(deposit: OperatorDeposit): string {
  const { network, confirmations, confirmationsNeeded, withdrawalId, reference } = deposit;
  if (network !== null) return `${nameAlone(network)}, ${confirmations} of ${confirmationsNeeded} confirmations`;
  if (withdrawalId !== null) return 'Another account here';
  return `Credited by hand${reference === null ? '' : `: ${reference}`}`;
}

/** The columns of deposits, of one account or of all. */
export const depositColumns: readonly Column<OperatorDeposit>[] = [
  {
    name: 'Deposit',
    show: (row) => <a href={findPage(row)}>{nameAmount(row)}</a>,
  },
  valueColumn,
  {
    name: 'Source',
    narrow: 'bare last',
    show: tellSource,
  },
  {
    name: 'State',
    narrow: 'bare first',
    show: ({ status, decision, reason }) => (
      <>
        <State of={decision ?? status} /> {reason !== null && <small>· {inWords(reason)}</small>}
      </>
    ),
  },
  when,
];

interface RecordKind {
  readonly title: string;
  /** Which states the list can be narrowed to. */
  readonly states: readonly string[];
  readonly nameState: (status: string) => string;
  readonly list: (id: string, status: string, filter: ComponentChildren) => ComponentChildren;
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
  nameStateOf = nameState,
): RecordKind {
  const list = (id: string, status: string, filter: ComponentChildren) => (
    <Pages list={listRecords(id, { ...(status && { status: status as never }) })}>
      {(rows) => (
        <>
          {(rows.length > 0 || status !== '') && filter}
          <Records
            label={title}
            rows={rows}
            keyOf={(row) => row.id}
            columns={columnsOf(id)}
            empty={status === '' ? empty : 'None is in this state.'}
          />
        </>
      )}
    </Pages>
  );
  return { title, states, nameState: nameStateOf, list };
}

const ended = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'];

/** The kinds of an account's records, by their part of the path. */
export const recordKinds: Readonly<Record<string, RecordKind>> = {
  transactions: describeKind(
    'Transactions',
    ended,
    'Nothing has moved in this account yet.',
    transactionColumns,
    (id, query) => listOf('get /accounts/{id}/transactions', { path: { id }, query }),
  ),
  orders: describeKind(
    'Orders',
    ['COMPLETED', 'FAILED'],
    'This account has placed no orders yet.',
    () => orderColumns,
    (id, query) => listOf('get /accounts/{id}/orders', { path: { id }, query }),
  ),
  withdrawals: describeKind(
    'Withdrawals',
    ended,
    'This account has withdrawn nothing yet.',
    () => withdrawalColumns,
    (id, query) => listOf('get /accounts/{id}/withdrawals', { path: { id }, query }),
    nameWithdrawalState,
  ),
  deposits: describeKind(
    'Deposits',
    ['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED'],
    'This account has had no deposit yet.',
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
    <section class="card titled">
      <h2>{known.title}</h2>
      {known.list(
        id,
        status,
        <div class="filters">
          <Choice
            label="State"
            value={status}
            set={(next) => go(`/desk/accounts/${id}/${kind}${next && `?status=${next}`}`)}
            options={[['', 'All'], ...known.states.map((one) => [one, known.nameState(one)] as const)]}
          />
        </div>,
      )}
    </section>
  );
}
