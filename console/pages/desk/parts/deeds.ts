const CHANGE_ACCOUNT = 'Change the account';

/** What the requests are that need two people. */
const deeds: readonly (readonly [path: RegExp, words: string])[] = [
  [/^\/settings$/, 'Change the settings'],
  [/^\/staff\/(.+)$/, 'Give roles to'],
  [/^\/accounts\/([^/]+)$/, CHANGE_ACCOUNT],
  [/^\/accounts\/([^/]+)\/credits$/, 'Credit the account'],
  [/^\/accounts\/([^/]+)\/api-keys$/, 'Make a key for the account'],
  [/^\/accounts\/([^/]+)\/allowlist$/, 'Approve an address of the account'],
  [/^\/accounts\/([^/]+)\/totp$/, 'Switch two-factor authentication off for the account'],
  [/^\/accounts\/([^/]+)\/invitation$/, 'Invite a holder of the account'],
  [/^\/accounts\/([^/]+)\/recovery$/, 'Let the holder recover the account'],
  [/^\/accounts\/[^/]+\/withdrawals\/([^/]+)\/settle$/, 'Settle the withdrawal'],
  [/^\/deposits$/, 'Report a deposit'],
  [/^\/deposits\/([^/]+)\/credit$/, 'Credit the deposit'],
  [/^\/settlements$/, 'Settle a trade'],
  [/^\/fundings$/, 'Record money of the house that was moved'],
  [/^\/hedges\/([^/]+)\/settle$/, 'End the hedge'],
  [/^\/reconciliation\/violations\/([^/]+)\/clear$/, 'Clear the violation'],
];

/** The end of an id, which tells most; another text as it is. */
function shortenId(text: string): string {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) ? `…${text.slice(-8)}` : text;
}

interface Deed {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The id of the account that a request names in its path or as `accountId`; `undefined` when it names none. */
export function findAccountOf({ path, body }: Deed): string | undefined {
  const named = body?.['accountId'];
  return /^\/operator\/v1\/accounts\/([^/]+)/.exec(path)?.[1] ?? (typeof named === 'string' ? named : undefined);
}

/** A proposal in words, with the label of its account if it is known; one of a kind that is not known here, by its request. */
export function nameDeed(deed: Deed, label?: string): string {
  const { method, path, body } = deed;
  const own = path.replace('/operator/v1', '');
  for (const [pattern, known] of deeds) {
    const [whole, subject] = pattern.exec(own) ?? [];
    if (whole === undefined) continue;
    if (subject === undefined) return known;
    const isLimit = known === CHANGE_ACCOUNT && body?.['dailyWithdrawalLimit'] !== undefined;
    const words = isLimit ? 'Raise the daily limit of the account' : known;
    const name = subject === findAccountOf(deed) ? label : undefined;
    return `${words} ${name ?? shortenId(decodeURIComponent(subject))}`;
  }
  return `${method} ${path}`;
}
