import { inWords } from '../../format.ts';
import { operate } from '../operate.ts';
import type { AuditEntry, Proposal } from '../schema.d.ts';
import { type EntryNames, tellEntry } from './audit-sentence.ts';
import { findAccountOf, nameDeed } from './deeds.ts';
import { type AccountOfHolder, addAccounts } from './find-accounts.ts';
import { type NamedRecord, type ReadRecord, createRecordReader, findRecord } from './named-record.ts';
import { placeSettings } from './setting-names.ts';

/** What a row is about, with the way to it. */
export type Subject =
  | { readonly account: AccountOfHolder }
  | { readonly name: string; readonly path: string | undefined; readonly below?: string | undefined };

/** A row of the audit with the names of what it is about. */
export interface NamedEntry {
  readonly entry: AuditEntry;
  readonly who: string;
  readonly did: string;
  readonly subject: Subject;
}

type Kind = 'deposit' | 'withdrawal' | 'hedge' | 'proposal' | 'endpoint';

/** Of what kind the target of an action is, where it is neither an account nor a word. */
const kinds: Readonly<Record<string, Kind>> = {
  report_deposit: 'deposit',
  credit_deposit: 'deposit',
  keep_deposit: 'deposit',
  approve_withdrawal: 'withdrawal',
  settle_withdrawal: 'withdrawal',
  claim_payout: 'withdrawal',
  release_payout: 'withdrawal',
  end_hedge: 'hedge',
  propose: 'proposal',
  decline_proposal: 'proposal',
  create_webhook_endpoint: 'endpoint',
  change_webhook_endpoint: 'endpoint',
  delete_webhook_endpoint: 'endpoint',
  rotate_webhook_secret: 'endpoint',
  replay_events: 'endpoint',
};

/** Targets that are words, and those that have an id but no page of their own. */
const places: Readonly<Record<string, readonly [name: string, path: string | undefined]>> = {
  custody: ['Custody', '/desk/house'],
  trading: ['Trading', '/desk/switches'],
  hedging: ['Hedging', '/desk/liquidity'],
  history: ['History', '/desk'],
  sandbox: ['Sandbox', undefined],
  solana_pool: ['Solana addresses', undefined],
};

const pagesOf: Readonly<Record<string, readonly [name: string, path: string | undefined]>> = {
  fund: ['Money of the house', '/desk/liquidity'],
  set_roles: ['Staff', '/desk/staff'],
  halt: ['Reconciliation', '/desk'],
  clear_violation: ['Reconciliation', '/desk'],
  export_list: ['Export', undefined],
};

const isId = (target: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(target);

interface Found {
  readonly record?: NamedRecord | undefined;
  readonly proposal?: Proposal;
  /** The address of an endpoint. */
  readonly url?: string | undefined;
  readonly accountId?: string | undefined;
}

/** Reads what a row is about; nothing where it cannot be read, such as an endpoint that was deleted. */
async function find(
  { action, target, detail }: AuditEntry,
  readRecord: ReadRecord,
  readUrls: () => Promise<ReadonlyMap<string, string>>,
): Promise<Found> {
  const kind = kinds[action];
  try {
    if (kind === 'endpoint') return { url: (await readUrls()).get(target) };
    if (kind === 'proposal') {
      const { proposal } = await operate('get /proposals/{id}', { path: { id: target } });
      return { proposal, record: await findRecord(proposal.path, readRecord), accountId: findAccountOf(proposal) };
    }
    if (kind !== undefined) {
      const record = await readRecord(kind, target);
      return { record, accountId: record?.accountId };
    }
  } catch {
    // The row is shown all the same, with less of a name.
    return {};
  }
  if (action === 'export_list') return { accountId: findAccountOf({ method: 'GET', path: target }) };
  const party = action === 'settle_trade' ? (detail['accountId'] ?? detail['buyerAccountId']) : target;
  return { accountId: typeof party === 'string' && isId(party) && !(action in pagesOf) ? party : undefined };
}

async function listUrls(): Promise<ReadonlyMap<string, string>> {
  const { webhookEndpoints } = await operate('get /webhook-endpoints');
  return new Map(webhookEndpoints.map(({ id, url }) => [id, url]));
}

/** Names what rows of the audit are about. Each target is read once, however many rows are about it, and all accounts together. */
export async function nameEntries(entries: readonly AuditEntry[]): Promise<readonly NamedEntry[]> {
  let urls: Promise<ReadonlyMap<string, string>> | undefined;
  const readUrlsOnce = () => (urls ??= listUrls());
  const readRecord = createRecordReader();
  const targets = [...new Map(entries.map((entry) => [entry.target, entry])).values()];
  const found = new Map(
    await Promise.all(
      targets.map(async (entry) => [entry.target, await find(entry, readRecord, readUrlsOnce)] as const),
    ),
  );
  const rows = entries.map((entry) => ({ entry, ...found.get(entry.target) }));
  return (await addAccounts(rows, ({ accountId }) => accountId)).map(describe);
}

function describe(
  row: Found & { readonly entry: AuditEntry; readonly account: AccountOfHolder | undefined },
): NamedEntry {
  const { entry, account, proposal, record } = row;
  const names: EntryNames = {
    account: account?.label,
    deed: proposal && nameDeed(proposal, account?.label, record?.words),
  };
  const [who, did] = tellEntry(entry, names);
  return { entry, who, did, subject: findSubject(row) };
}

/** What a proposal is about that names no record. */
function nameSubject({ path, body }: Proposal): string | undefined {
  if (path.endsWith('/settings')) return placeSettings(Object.keys(body))[0];
  return pagesOf[path.endsWith('/fundings') ? 'fund' : path.includes('/staff/') ? 'set_roles' : '']?.[0];
}

function findSubject({ entry, account, proposal, record, url }: Parameters<typeof describe>[0]): Subject {
  const { action, target, detail } = entry;
  const below = account?.label;
  if (proposal) {
    const of = record?.name ?? nameSubject(proposal) ?? below;
    return {
      name: `Proposal${of === undefined ? '' : `: ${of}`}`,
      path: `/desk/proposals/${target}`,
      below: of === below ? undefined : below,
    };
  }
  if (action === 'change_settings') {
    const [name, path] = placeSettings(Object.keys(detail));
    return { name, path };
  }
  if (record) return { name: record.name, path: record.path, below };
  if (kinds[action] === 'endpoint') return { name: 'Endpoint', path: '/desk/events?show=endpoints', below: url };
  const [name, path] = places[target] ?? pagesOf[action] ?? [];
  if (name !== undefined) return { name, path, below: undefined };
  if (account) return { account };
  return {
    name: kinds[action] ? inWords(kinds[action]) : target,
    path: isId(target) ? `/desk/search?q=${target}` : undefined,
  };
}
