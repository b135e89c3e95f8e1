import { showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { findAccountOf } from '../parts/deeds.ts';
import { type WithAccount, addAccounts } from '../parts/find-accounts.ts';
import { type ReadRecord, createRecordReader, findRecord, tellProposal } from '../parts/named-record.ts';
import { AccountName, State } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { operate } from '../operate.ts';
import { useStaff } from '../staff.ts';
import type { Proposal } from '../schema.d.ts';

/** As much is read of what waits, and so many of the oldest are listed. */
export const MOST_READ = 200;
const MOST_LISTED = 6;

/** A withdrawal that the custodian has for longer needs a person. */
export const STUCK_AFTER_MINUTES = 60;

const MINUTE_MS = 60_000;
const LATE_MS = 60 * MINUTE_MS;
const LONG_MS = 4 * LATE_MS;

/** One thing that waits for somebody of the staff. */
interface WaitingItem {
  readonly path: string;
  readonly what: string;
  readonly detail: string;
  readonly accountId: string | null;
  readonly since: string;
  /** What is to be decided; its detail is read once it is among those that are listed. */
  readonly proposal?: Proposal;
}

/** How many rows a list has, as far as it was read. */
export const countRows = (rows: readonly unknown[], nextCursor: string | null) =>
  `${rows.length}${nextCursor === null ? '' : ' or more'}`;

const timesOf = (rows: readonly { readonly ts: string }[]) => rows.map(({ ts }) => ts);

/** What waits, by kind: how many, of proposals those that `decider` may decide, and the oldest for which a person is needed. */
export async function readWaiting(decider: string | undefined) {
  const limit = MOST_READ;
  const [reviews, stuck, quarantined, pending, proposals] = await Promise.all([
    operate('get /withdrawals', { query: { status: 'PENDING', limit } }),
    operate('get /withdrawals', { query: { status: 'PROCESSING', olderThanMinutes: STUCK_AFTER_MINUTES, limit } }),
    operate('get /deposits', { query: { status: 'QUARANTINED', limit } }),
    operate('get /deposits', { query: { status: 'PENDING', limit } }),
    operate('get /proposals', { query: { status: 'OPEN', limit } }),
  ]);
  const withdrawals = (what: string, rows: typeof reviews.withdrawals): WaitingItem[] =>
    rows.map(({ id, accountId, ts, amount, asset, network }) => ({
      path: `/desk/withdrawals/${accountId}/${id}`,
      what,
      detail: `${showSum(amount, asset)} on ${nameAlone(network)}`,
      accountId,
      since: ts,
    }));
  const items = [
    ...withdrawals('A withdrawal to review', reviews.withdrawals),
    ...withdrawals('A payout that is stuck', stuck.withdrawals),
    ...quarantined.deposits.map(({ id, accountId, ts, amount, asset, network }) => ({
      path: `/desk/deposits/${id}`,
      what: 'A deposit in quarantine',
      detail: `${showSum(amount, asset)}${network === null ? '' : ` on ${nameAlone(network)}`}`,
      accountId,
      since: ts,
    })),
    ...proposals.proposals.map((proposal) => ({
      path: `/desk/proposals/${proposal.id}`,
      what: 'A proposal to decide',
      detail: '',
      accountId: findAccountOf(proposal) ?? null,
      since: proposal.proposedAt,
      proposal,
    })),
  ];
  const oldest = items.toSorted((one, other) => (one.since < other.since ? -1 : 1)).slice(0, MOST_LISTED);
  const named = await addAccounts(oldest, ({ accountId }) => accountId ?? undefined);
  const read = createRecordReader();
  const toDecide = proposals.proposals.filter(({ proposedBy }) => decider !== undefined && proposedBy !== decider);
  const now_ms = Date.now();
  const tile = (path: string, what: string, state: string, since: readonly string[], nextCursor: string | null) => ({
    path,
    what,
    state,
    number: countRows(since, nextCursor),
    isLate: since.some((one) => now_ms - Date.parse(one) > LATE_MS),
  });
  return {
    tiles: [
      tile('/desk/reviews', 'withdrawal', 'to review', timesOf(reviews.withdrawals), reviews.nextCursor),
      tile('/desk/payouts?show=hour', 'payout', 'stuck for an hour', timesOf(stuck.withdrawals), stuck.nextCursor),
      tile('/desk/deposits', 'deposit', 'in quarantine', timesOf(quarantined.deposits), quarantined.nextCursor),
      tile('/desk/deposits?show=pending', 'deposit', 'under way', timesOf(pending.deposits), pending.nextCursor),
      tile(
        '/desk/proposals',
        'proposal',
        'for you to decide',
        toDecide.map(({ proposedAt }) => proposedAt),
        decider === undefined ? null : proposals.nextCursor,
      ),
    ],
    oldest: await Promise.all(named.map((item) => addDetail(item, read))),
  };
}

/** Says what a proposal is about; the others say it already. */
async function addDetail(item: WithAccount<WaitingItem>, read: ReadRecord): Promise<WithAccount<WaitingItem>> {
  const { proposal, account } = item;
  if (!proposal) return item;
  const record = await findRecord(proposal.path, read);
  return { ...item, detail: tellProposal({ ...proposal, account, record }) };
}

/** For how long something waits, in its largest whole unit but one. */
export function showAge(since: string, now_ms: number): string {
  const minutes = Math.max(0, Math.floor((now_ms - Date.parse(since)) / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How much waits, and the oldest of it. */
export function WaitingCard({ tiles, oldest }: Awaited<ReturnType<typeof readWaiting>>) {
  const now_ms = Date.now();
  const { actor } = useStaff();
  const isCalm = tiles.every(({ number }) => number === '0');
  return (
    <>
      {isCalm && oldest.length === 0 && <p class="empty">Nothing waits for anybody.</p>}
      {!isCalm && (
        <ul class="tiles" aria-label="What waits">
          {tiles.map(({ path, what, state, number, isLate }) => (
            <li key={path}>
              <a href={path} class={`tile ${number === '0' ? 'calm' : isLate ? 'late' : ''}`.trim()}>
                <strong>{number}</strong> <span>{`${what}${number === '1' ? '' : 's'} ${state}`}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {oldest.length > 0 && (
        <section class="card">
          <h2>Waiting, oldest first</h2>
          <Records
            label="Waits for somebody"
            rows={oldest}
            keyOf={({ path }) => path}
            columns={[
              {
                name: 'What',
                show: ({ path, what, detail, proposal }) => {
                  const isOwn = proposal?.proposedBy === actor;
                  return (
                    <>
                      <a href={path}>{isOwn ? 'Your proposal' : what}</a>
                      <small class="below">{detail}</small>
                      {proposal && !isOwn && <small class="below">Proposed by {proposal.proposedBy}</small>}
                    </>
                  );
                },
              },
              {
                name: 'Account',
                narrow: 'bare',
                show: ({ accountId, account }) =>
                  accountId === null ? <span class="dim">–</span> : <AccountName id={accountId} account={account} />,
              },
              {
                name: 'For',
                isNumber: true,
                narrow: 'beside',
                show: ({ since }) => <Age since={since} now_ms={now_ms} />,
              },
            ]}
            empty=""
          />
        </section>
      )}
    </>
  );
}

/** For how long something waits, as a state that is to be looked at after an hour, and bad after some. */
export function Age({ since, now_ms }: { readonly since: string; readonly now_ms: number }) {
  const waited_ms = now_ms - Date.parse(since);
  const words = showAge(since, now_ms);
  return waited_ms > LATE_MS ? <State of={waited_ms > LONG_MS ? 'FAILED' : 'PENDING'} words={words} /> : <>{words}</>;
}

export const ageColumn: Column<{ readonly ts: string }> = {
  name: 'Waiting',
  show: ({ ts }) => <Age since={ts} now_ms={Date.now()} />,
};
