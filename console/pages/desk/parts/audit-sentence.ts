import { inWords, shorten, showAmount, showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { lowerFirst, nameDeed } from './deeds.ts';
import { tellSettings } from './settings-sentence.ts';

type Detail = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?\d+(\.\d+)?$/;

function write(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(write).join(', ');
  if (typeof value === 'object') return writeAll(value as Detail);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return DECIMAL.test(text) ? showAmount(text) : text;
}

/** A name of the interface in words; a coin's and a network's stay as they are. */
const writeName = (name: string) => (/^[a-z]/.test(name) ? inWords(name).toLowerCase() : name);

const writeSum = (amount: unknown, asset: unknown) => showSum(String(amount), String(asset));

const writeWords = (value: unknown) => write(value).replaceAll('_', ' ');

/** What a report of a deposit led to. */
const statuses: Readonly<Record<string, string>> = {
  PENDING: ', which waits for confirmations',
  COMPLETED: ', which is credited',
  QUARANTINED: ', and it went into quarantine',
  FAILED: ', which failed',
};

const tellStatus = (status: unknown) => statuses[String(status)] ?? '';

const writeAll = (values: Detail) =>
  Object.entries(values)
    .map(([name, value]) => `${writeName(name)} ${write(value)}`)
    .join(', ');

function tellAccount({ status, dailyWithdrawalLimit }: Detail): string {
  const parts = [
    status === 'frozen' && 'froze the account',
    status === 'active' && 'unfroze the account',
    dailyWithdrawalLimit !== undefined &&
      `set the daily limit of withdrawals to ${writeSum(dailyWithdrawalLimit, 'USDT')}`,
  ];
  return parts.filter((part) => part !== false).join(', and ');
}

/** What is known of a row beside it, by the names that people use. */
export interface EntryNames {
  /** The account that it is about. */
  readonly account?: string | undefined;
  /** The proposal that it is about, in a sentence. */
  readonly deed?: string | undefined;
}

interface Told extends EntryNames {
  readonly target: string;
}

function tellExport(query: Detail, { target, account = 'an account' }: Told): string {
  const [, path = target] = /^\/operator\/v1\/(.+)$/.exec(target) ?? [];
  const own = /^accounts\/[^/]+\/(.+)$/.exec(path)?.[1];
  const words = (own ?? path).replaceAll('-', ' ');
  const list = words === 'audit' ? words : `list of ${words}${own === undefined ? '' : ` of ${account}`}`;
  return Object.keys(query).length === 0
    ? `exported the whole ${list}`
    : `exported the ${list}, where ${writeAll(query)}`;
}

function tellRoles({ roles }: Detail, { target }: Told): string {
  const given = Array.isArray(roles) ? roles.map((role) => inWords(String(role))) : [];
  return given.length === 0
    ? `took all roles from ${target}`
    : `gave ${target} the ${given.length === 1 ? 'role' : 'roles'} ${given.join(', ')}`;
}

function tellHalt({ invariant, shortfall, reason, ...cause }: Detail, { target }: Told): string {
  if (invariant !== undefined) return `halted the exchange: ${writeWords(invariant)} is broken`;
  if (shortfall !== undefined) return `halted withdrawals: custody is short of ${write(shortfall)}`;
  const why = reason === undefined ? writeAll(cause) : write(reason);
  return `halted ${target}${why === '' ? '' : `: ${why}`}`;
}

function tellEndedWithdrawal({ kind, reason }: Detail): string {
  if (reason === 'rejected') return 'rejected the withdrawal';
  return `ended the withdrawal by hand${kind === undefined ? '' : ` as ${write(kind)}`}`;
}

/** What each action did, after the name of whoever did it. `because` of the detail is added to each. */
const sentences: Readonly<Record<string, string | ((detail: Detail, told: Told) => string)>> = {
  accept_history: 'accepted the history as it is',
  add_passkey: 'added a passkey',
  allow_recovery: 'allowed the recovery of the account',
  approve_address: ({ network, address, label }) =>
    `approved the address ${label === undefined ? '' : `“${write(label)}”, `}${shorten(write(address))} on ${nameAlone(write(network))}`,
  approve_withdrawal: 'approved the withdrawal',
  ask_recovery: 'asked for the recovery of the account',
  become_holder: 'became the holder of the account',
  change_account: tellAccount,
  change_settings: tellSettings,
  change_shares: ({ ledger, ...shares }) => `gave ledger ${write(ledger)} other shares: ${writeAll(shares)}`,
  change_webhook_endpoint: 'changed the webhook endpoint',
  claim_payout: 'promised to pay the withdrawal by hand',
  clear_violation: ({ invariant }) => `cleared the violation of “${writeWords(invariant)}”`,
  confirm_totp: 'switched two-factor authentication on',
  copy_settings: 'copied the settings from ledger 0',
  create_api_key: ({ label, scopes }) => `made the API key “${write(label)}”, which may ${write(scopes)}`,
  create_webhook_endpoint: 'added a webhook endpoint',
  credit_account: ({ amount, asset }) => `credited ${writeSum(amount, asset)} by hand`,
  credit_deposit: (_, { account }) =>
    `credited the deposit from the quarantine${account === undefined ? '' : ` to ${account}`}`,
  decline_proposal: (_, { deed }) => `declined the proposal${deed === undefined ? '' : ` to ${lowerFirst(deed)}`}`,
  delete_webhook_endpoint: 'deleted a webhook endpoint',
  draw_recovery_codes: 'made new recovery codes',
  draw_totp: 'began to set up two-factor authentication',
  end_hedge: ({ outcome, venueReference }) =>
    outcome === 'dealt'
      ? `closed the hedge by hand as dealt (venue’s id ${write(venueReference)})`
      : 'closed the hedge by hand as never dealt',
  end_sessions: 'ended sessions',
  export_list: tellExport,
  fill_solana_pool: 'uploaded Solana addresses',
  give_up_mails: ({ mails }) =>
    `could not send the holder ${mails === undefined ? 'mails' : mails === 1 ? 'a mail' : `${write(mails)} mails`} for a day`,
  fund: ({ amount, asset, from, to }) =>
    `recorded that ${writeSum(amount, asset)} of the house went from ${write(from)} to ${write(to)}`,
  halt: tellHalt,
  invite_holder: ({ email }) => `invited ${write(email)} to hold the account`,
  keep_deposit: 'kept the deposit in quarantine',
  move_market: 'moved the market of the sandbox',
  note_account: ({ text }) => `wrote a note: ${write(text)}`,
  number_ledger: ({ ledger }) => `gave the database the number ${write(ledger)}`,
  open_account: ({ label }) => `opened the account “${write(label)}”`,
  open_session: ({ browser }) => (browser === undefined ? 'signed in' : 'signed in with a new browser'),
  propose: ({ method, path }, { deed }) =>
    `proposed to ${lowerFirst(deed ?? nameDeed({ method: write(method), path: write(path) }))}`,
  raise_shares: 'raised the shares of a ledger',
  recover_account: ({ proof }) => `recovered the account by ${writeWords(proof)}`,
  release_payout: ({ claimedBy }) => `gave back the promise of ${write(claimedBy)} to pay the withdrawal`,
  remove_approval: 'removed an approved address',
  remove_passkey: 'removed a passkey',
  remove_totp: 'switched two-factor authentication off',
  rename_passkey: 'renamed a passkey',
  replay_events: 'had events sent again',
  report_deposit: ({ status, network }) =>
    `reported the deposit${network === undefined ? '' : ` over ${nameAlone(write(network))}`}${tellStatus(status)}`,
  revoke_api_key: 'revoked an API key',
  rotate_webhook_secret: 'made a new secret for a webhook endpoint',
  set_roles: tellRoles,
  settle_trade: ({ coinAmount, coin, usdtAmount }) =>
    `settled a trade of ${writeSum(coinAmount, coin)} for ${writeSum(usdtAmount, 'USDT')}`,
  settle_withdrawal: tellEndedWithdrawal,
  share_limits: ({ ledgers }) => `divided the limits among ${write(ledgers)} ledgers`,
  share_nearly_used: ({ ledger, used, share, asset }) =>
    ledger === undefined
      ? 'found a share nearly used'
      : `found that ledger ${write(ledger)} has used ${write(used)} of its ${writeSum(share, asset)}`,
  use_recovery_code: 'used a recovery code',
};

/** Who acts without an e-mail: a token, the holder of the account, or the exchange by itself. */
const parties: Readonly<Record<string, string>> = {
  operator: 'The operator’s token',
  holder: 'The holder',
  exchange: 'The exchange',
  reconciliation: 'The reconciliation',
};

/** The actions that have a sentence. */
export const toldActions = Object.keys(sentences);

/**
 * A row of the audit as a sentence, of two parts: who did what, and why if the reason was given. An action that has no sentence is named
 * with its details.
 */
export function tellEntry(
  {
    actor,
    role,
    action,
    target,
    detail,
  }: {
    readonly actor: string;
    readonly role: string;
    readonly action: string;
    readonly target: string;
    readonly detail: Detail;
  },
  names: EntryNames = {},
): readonly [who: string, did: string] {
  const { because, ...rest } = detail;
  const who = actor === role ? (parties[actor] ?? inWords(actor)) : actor;
  const told = sentences[action];
  const did = typeof told === 'function' ? told(rest, { ...names, target }) : told;
  const unknown = [inWords(action).toLowerCase(), writeAll(rest)].filter((part) => part !== '').join(': ');
  const reason = typeof because === 'string' ? `, because: ${because}` : '';
  return [who, `${did === undefined || did === '' ? unknown : did}${reason}`];
}
