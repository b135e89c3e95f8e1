import { showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { findAccountOf } from '../parts/deeds.ts';
import { type WithAccount, addAccounts } from '../parts/find-accounts.ts';
import { countRows } from '../parts/list.ts';
import { type ReadRecord, createRecordReader, findRecord, tellProposal } from '../parts/named-record.ts';
import { AccountName, State } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { operate } from '../operate.ts';
import { useStaff } from '../staff.ts';
import type { OperatorDeposit, OperatorWithdrawal, Proposal } from '../schema.d.ts';

/** As much is read of what waits, and so many of the oldest are listed. */
export const MOST_READ = 200;
const MOST_LISTED = 6;

/** A withdrawal that the custodian has for longer needs a person. */
export const STUCK_AFTER_MINUTES = 60;

const MINUTE_MS = 60_000;
const LATE_MS = 60 * MINUTE_MS;
const LONG_MS = 4 * LATE_MS;

/** One thing that waits for somebody of the staff. */
export interface WaitingItem {
  readonly path: string;
  readonly what: string;
  readonly detail: string;
  readonly accountId: string | null;
  readonly since: string;
  /** What is to be decided; its detail is read once it is among those that are listed. */
  readonly proposal?: Proposal;
}

const timesOf = (rows: readonly { readonly ts: string }[]) => rows.map(({ ts }) => ts);

/** What waits, by kind. */
async function readKinds() {
  const limit = MOST_READ;
  const [reviews, stuck, quarantined, pending, proposals] = await Promise.all([
    operate('get /withdrawals', { query: { status: 'PENDING', limit } }),
    operate('get /withdrawals', { query: { status: 'PROCESSING', olderThanMinutes: STUCK_AFTER_MINUTES, limit } }),
    operate('get /deposits', { query: { status: 'QUARANTINED', limit } }),
    operate('get /deposits', { query: { status: 'PENDING', limit } }),
    operate('get /proposals', { query: { status: 'OPEN', limit } }),
  ]);
  return { reviews, stuck, quarantined, pending, proposals };
}

/** Records that wait; of a withdrawal the path has the account's id where the dots are. */
const listRecords = (
  what: string,
  path: string,
  rows: readonly (OperatorWithdrawal | OperatorDeposit)[],
): WaitingItem[] =>
  rows.map(({ id, accountId, ts, amount, asset, network }) => ({
    path: `/desk/${path.replace('…', accountId ?? '')}/${id}`,
    what,
    detail: `${showSum(amount, asset)}${network === null ? '' : ` on ${nameAlone(network)}`}`,
    accountId,
    since: ts,
  }));

/** What needs a person, the oldest first. */
function listItems({ reviews, stuck, quarantined, proposals }: Awaited<ReturnType<typeof readKinds>>) {
  const items: WaitingItem[] = [
    ...listRecords('A withdrawal to review', 'withdrawals/…', reviews.withdrawals),
    ...listRecords('A payout that is stuck', 'withdrawals/…', stuck.withdrawals),
    ...listRecords('A deposit in quarantine', 'deposits', quarantined.deposits),
    ...proposals.proposals.map((proposal) => ({
      path: `/desk/proposals/${proposal.id}`,
      what: 'A proposal to decide',
      detail: '',
      accountId: findAccountOf(proposal) ?? null,
      since: proposal.proposedAt,
      proposal,
    })),
  ];
  return items.toSorted((one, other) => (one.since < other.since ? -1 : 1));
}

/** The same with their accounts, and what each proposal is about. */
async function describeItems(items: readonly WaitingItem[]) {
  const named = await addAccounts(items, ({ accountId }) => accountId ?? undefined);
  const read = createRecordReader();
  return Promise.all(named.map((item) => addDetail(item, read)));
}

/** What needs a person for one account, the oldest first. */
export async function readOpenOf(accountId: string): Promise<readonly WaitingItem[]> {
  const items = listItems(await readKinds());
  return describeItems(items.filter((item) => item.accountId === accountId));
}

/** What waits, by kind: how many, of proposals those that `decider` may decide, and the oldest for which a person is needed. */
export async function readWaiting(decider: string | undefined) {
  const kinds = await readKinds();
  const { reviews, stuck, quarantined, pending, proposals } = kinds;
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
    oldest: await describeItems(listItems(kinds).slice(0, MOST_LISTED)),
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
function showAge(since: string, now_ms: number): string {
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

/** What needs a person for one account, in a line with the way to each. */
export function OpenItems({ of }: { readonly of: readonly WaitingItem[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="legend" aria-label="Open for the account">
      {of.map(({ path, what, detail, proposal }) => (
        <li key={path}>
          <a href={path}>
            <State of="OPEN" words={`${proposal ? 'Open proposal' : what}: ${detail}`} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** For how long something waits, as a state that is to be looked at after an hour, and bad after some. */
export function Age({ since, now_ms }: { readonly since: string; readonly now_ms: number }) {
  const waited_ms = now_ms - Date.parse(since);
  const words = showAge(since, now_ms);
  return waited_ms > LATE_MS ? <State of={waited_ms > LONG_MS ? 'FAILED' : 'PENDING'} words={words} /> : <>{words}</>;
}

export const ageColumn: Column<{ readonly ts: string }> = {
  name: 'Waits for',
  show: ({ ts }) => <Age since={ts} now_ms={Date.now()} />,
};
