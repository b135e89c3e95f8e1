import { showCents, showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { operate } from '../operate.ts';
import type { Hedge, Proposal } from '../schema.d.ts';
import { findAccountOf, nameDeed } from './deeds.ts';
import { type WithAccount, addAccounts } from './find-accounts.ts';

/** The withdrawal, the deposit or the hedge that something is about. */
export interface NamedRecord {
  readonly path: string;
  /** Whose it is; `undefined` for nobody's. */
  readonly accountId: string | undefined;
  readonly name: string;
  /** How it stands now. */
  readonly status: string;
  /** What follows its kind in a sentence. */
  readonly words: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The address that its coins come to. */
  readonly address: string | null;
}

type RecordKind = 'withdrawal' | 'deposit' | 'hedge';

/** Reads a record by its id; of a withdrawal the account is looked for where it is not known. `undefined` when it cannot be read. */
export type ReadRecord = (kind: RecordKind, id: string, accountId?: string) => Promise<NamedRecord | undefined>;

/** Reads records, each once however often it is asked for, and all hedges together. */
export function createRecordReader(): ReadRecord {
  const known = new Map<string, Promise<NamedRecord | undefined>>();
  let hedges: Promise<readonly Hedge[]> | undefined;
  const read: ReadRecord = async (kind, id, accountId) => {
    try {
      if (kind === 'deposit') return await nameDeposit(id);
      if (kind === 'hedge') return nameHedge((await (hedges ??= readHedges())).find((hedge) => hedge.id === id));
      const owner = accountId ?? (await findOwner(id));
      return owner === undefined ? undefined : await nameWithdrawal(owner, id);
    } catch {
      // What it is about is shown all the same, with the end of the id.
      return undefined;
    }
  };
  return (kind, id, accountId) => {
    const found = known.get(id) ?? read(kind, id, accountId);
    known.set(id, found);
    return found;
  };
}

/** Reads the record that the path of a request names. `undefined` when it names none, or the record cannot be read. */
export async function findRecord(path: string, read: ReadRecord): Promise<NamedRecord | undefined> {
  const [, id, withdrawalId] = /\/accounts\/([^/]+)\/withdrawals\/([^/]+)\/settle$/.exec(path) ?? [];
  if (withdrawalId !== undefined) return read('withdrawal', withdrawalId, id);
  const [, kind, recordId] = /\/(deposit|hedge)s\/([^/]+)\/(?:credit|settle)$/.exec(path) ?? [];
  return recordId === undefined ? undefined : read(kind as RecordKind, recordId);
}

async function findOwner(withdrawalId: string): Promise<string | undefined> {
  const { results } = await operate('get /search', { query: { q: withdrawalId } });
  return results.find(({ kind }) => kind === 'withdrawal')?.accountId ?? undefined;
}

async function nameWithdrawal(id: string, withdrawalId: string): Promise<NamedRecord> {
  const { withdrawal } = await operate('get /accounts/{id}/withdrawals/{withdrawalId}', { path: { id, withdrawalId } });
  const { amount, asset, network, address, usdValue, status } = withdrawal;
  const sum = showSum(amount, asset);
  return {
    path: `/desk/withdrawals/${id}/${withdrawalId}`,
    accountId: id,
    name: `Withdrawal of ${sum}`,
    status,
    words: `of ${sum}`,
    facts: [
      ['Worth', `${showCents(usdValue)} USDT`],
      ['Network', nameAlone(network)],
    ],
    address,
  };
}

async function nameDeposit(id: string): Promise<NamedRecord> {
  const { deposit } = await operate('get /deposits/{id}', { path: { id } });
  const { exactAmount, amount, asset, network, address, accountId, creditAccountId, status } = deposit;
  const sum = showSum(exactAmount ?? amount, asset);
  return {
    path: `/desk/deposits/${id}`,
    accountId: creditAccountId ?? accountId ?? undefined,
    name: `Deposit of ${sum}`,
    status,
    words: `of ${sum}`,
    facts: network === null ? [] : [['Network', nameAlone(network)]],
    address,
  };
}

/** So many of the newest hedges are looked at: none can be read by its id. */
const MOST_HEDGES = 200;

async function readHedges(): Promise<readonly Hedge[]> {
  return (await operate('get /hedges', { query: { limit: MOST_HEDGES } })).hedges;
}

function nameHedge(hedge: Hedge | undefined): NamedRecord | undefined {
  if (!hedge) return undefined;
  const words = `to ${hedge.side === 'BUY' ? 'buy' : 'sell'} ${showSum(hedge.amount, hedge.coin)} at ${hedge.venue}`;
  const { status } = hedge;
  return {
    path: '/desk/liquidity',
    accountId: undefined,
    name: `Hedge ${words}`,
    status,
    words,
    facts: [],
    address: null,
  };
}

/** A proposal with its account and its record, as far as there are any. */
export type NamedProposal = WithAccount<Proposal> & { readonly record: NamedRecord | undefined };

/** A proposal in a sentence. */
export const tellProposal = (proposal: NamedProposal) =>
  nameDeed(proposal, proposal.account?.label, proposal.record?.words);

/** Reads what proposals are about: all their accounts at once, and each record. */
export async function nameProposals(proposals: readonly Proposal[]): Promise<readonly NamedProposal[]> {
  const read = createRecordReader();
  const [rows, records] = await Promise.all([
    addAccounts(proposals, findAccountOf),
    Promise.all(proposals.map(({ path }) => findRecord(path, read))),
  ]);
  return rows.map((row, at) => ({ ...row, record: records[at] }));
}
