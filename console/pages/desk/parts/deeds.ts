/** What the requests are that need two people. */
const deeds: readonly (readonly [path: RegExp, words: string])[] = [
  [/^\/settings$/, 'Change the settings'],
  [/^\/staff\/(.+)$/, 'Give roles to'],
  [/^\/accounts\/([^/]+)$/, 'Change the account'],
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

/** A proposal in words; one of a kind that is not known here, by its request. */
export function nameDeed({ method, path }: { readonly method: string; readonly path: string }): string {
  const own = path.replace('/operator/v1', '');
  for (const [pattern, words] of deeds) {
    const [whole, subject] = pattern.exec(own) ?? [];
    if (whole !== undefined)
      return subject === undefined ? words : `${words} ${shortenId(decodeURIComponent(subject))}`;
  }
  return `${method} ${path}`;
}
