import { inWords, showAmount } from '../../format.ts';
import { nameDeed } from './deeds.ts';

type Detail = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?\d+(\.\d+)?$/;

function write(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(write).join(', ');
  if (typeof value === 'object') return writeAll(value as Detail);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return DECIMAL.test(text) ? showAmount(text) : text;
}

const writeAll = (values: Detail) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${write(value)}`)
    .join(', ');

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** A change of settings that has a verb of its own. */
const switches: Readonly<Record<string, readonly [on: string, off: string]>> = {
  tradingHalted: ['halted trading', 'let trading go on'],
  withdrawalsHalted: ['halted withdrawals', 'let withdrawals go on'],
  hedgingHalted: ['halted hedging', 'let hedging go on'],
};

function tellSettings(change: Detail): string {
  const parts = Object.entries(change).map(([name, value]) => {
    if (name === 'notice')
      return value === null ? 'took the notice away' : `told all holders: ${write((value as Detail)['text'])}`;
    const named = switches[name];
    if (named) return value === true ? named[0] : named[1];
    if (name === 'pausedDeposits') {
      const { networks, assets } = value as Detail;
      return `set paused deposits to ${write([networks, assets].flat())}`;
    }
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `set ${words} to ${write(value)}`;
  });
  return parts.join(', and ');
}

function tellAccount({ status, dailyWithdrawalLimit }: Detail): string {
  const parts = [
    status === 'frozen' && 'froze the account',
    status === 'active' && 'let the account go on',
    dailyWithdrawalLimit !== undefined && `set the daily limit of withdrawals to ${write(dailyWithdrawalLimit)} USDT`,
  ];
  return parts.filter((part) => part !== false).join(', and ');
}

/** What each action did, after the name of whoever did it. `because` of the detail is added to each. */
const sentences: Readonly<Record<string, string | ((detail: Detail) => string)>> = {
  accept_history: 'accepted the history as it is',
  add_passkey: 'added a passkey',
  allow_recovery: 'allowed the recovery of the account',
  approve_address: ({ network, address }) => `approved the address ${write(address)} on ${write(network)}`,
  approve_withdrawal: 'approved the withdrawal',
  ask_recovery: 'asked for the recovery of the account',
  become_holder: 'became the holder of the account',
  change_account: tellAccount,
  change_settings: tellSettings,
  change_shares: ({ ledger, ...shares }) => `gave ledger ${write(ledger)} other shares: ${writeAll(shares)}`,
  change_webhook_endpoint: 'changed a webhook endpoint',
  claim_payout: 'promised to pay the withdrawal by hand',
  clear_violation: ({ invariant }) => `cleared the violation of ${write(invariant)}`,
  confirm_totp: 'switched two-factor authentication on',
  copy_settings: 'copied the settings from ledger 0',
  create_api_key: ({ label, scopes }) => `made the API key “${write(label)}” for ${write(scopes)}`,
  create_webhook_endpoint: 'made a webhook endpoint',
  credit_account: ({ amount, asset }) => `credited ${write(amount)} ${write(asset)} by hand`,
  credit_deposit: 'credited the quarantined deposit to an account',
  decline_proposal: 'declined the proposal',
  delete_webhook_endpoint: 'deleted a webhook endpoint',
  draw_recovery_codes: 'drew new recovery codes',
  draw_totp: 'began to set up two-factor authentication',
  end_hedge: ({ outcome, venueReference }) =>
    outcome === 'dealt'
      ? `ended the hedge by hand as dealt, ${write(venueReference)}`
      : 'ended the hedge by hand as never dealt',
  end_sessions: 'ended sessions',
  export_list: (query) =>
    Object.keys(query).length === 0 ? 'exported the whole list' : `exported the list, where ${writeAll(query)}`,
  fill_solana_pool: 'uploaded Solana addresses',
  give_up_mails: 'gave up mails that could not be sent for a day',
  fund: ({ amount, asset, from, to }) =>
    `recorded that ${write(amount)} ${write(asset)} of the house went from ${write(from)} to ${write(to)}`,
  halt: ({ invariant, shortfall, ...cause }) => {
    if (invariant !== undefined) return `halted: ${write(invariant)} is broken`;
    return shortfall === undefined
      ? `halted, since ${writeAll(cause)}`
      : `halted withdrawals: custody is short of ${write(shortfall)}`;
  },
  invite_holder: ({ email }) => `invited ${write(email)} to hold the account`,
  keep_deposit: 'kept the quarantined deposit uncredited',
  move_market: 'moved the market of the sandbox',
  note_account: ({ text }) => `wrote a note: ${write(text)}`,
  number_ledger: ({ ledger }) => `gave the database the number ${write(ledger)}`,
  open_account: ({ label }) => `opened the account “${write(label)}”`,
  open_session: 'signed in',
  propose: ({ method, path }) => `proposed to ${lowerFirst(nameDeed({ method: write(method), path: write(path) }))}`,
  raise_shares: 'raised the shares of a ledger',
  recover_account: ({ proof }) => `recovered the account by ${write(proof).replaceAll('_', ' ')}`,
  release_payout: ({ claimedBy }) => `gave back the promise of ${write(claimedBy)} to pay the withdrawal`,
  remove_approval: 'removed an approved address',
  remove_passkey: 'removed a passkey',
  remove_totp: 'switched two-factor authentication off',
  rename_passkey: 'renamed a passkey',
  replay_events: 'had events sent again',
  report_deposit: 'reported the deposit',
  revoke_api_key: 'revoked an API key',
  rotate_webhook_secret: 'made a new secret for a webhook endpoint',
  set_roles: ({ roles }) => `gave the person these roles: ${write(roles)}`,
  settle_trade: ({ coinAmount, coin, usdtAmount }) =>
    `settled a trade of ${write(coinAmount)} ${write(coin)} for ${write(usdtAmount)} USDT`,
  settle_withdrawal: ({ outcome }) =>
    `ended the withdrawal by hand${outcome === undefined ? '' : ` as ${write(outcome)}`}`,
  share_limits: ({ ledgers }) => `divided the limits among ${write(ledgers)} ledgers`,
  share_nearly_used: 'found a share nearly used',
  use_recovery_code: 'used a recovery code',
};

/** The actions that have a sentence. */
export const toldActions = Object.keys(sentences);

/**
 * A row of the audit as a sentence, of two parts: who did what, and why if the reason was given. An action that has no sentence is named
 * with its details.
 */
export function tellEntry({
  actor,
  role,
  action,
  detail,
}: {
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly detail: Detail;
}): readonly [who: string, did: string] {
  const { because, ...rest } = detail;
  const who = actor === role ? inWords(actor) : actor;
  const told = sentences[action];
  const did = typeof told === 'function' ? told(rest) : told;
  const unknown = [inWords(action).toLowerCase(), writeAll(rest)].filter((part) => part !== '').join(': ');
  const reason = typeof because === 'string' ? `, because: ${because}` : '';
  return [who, `${did === undefined || did === '' ? unknown : did}${reason}`];
}
