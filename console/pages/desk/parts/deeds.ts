import { showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { proposeSettings } from './settings-sentence.ts';

type Body = Readonly<Record<string, unknown>>;

interface Deed {
  readonly method: string;
  readonly path: string;
  readonly body?: Body;
}

const OPERATOR = '/operator/v1';

/** A word of a request, after a text that is left away where the request has none. */
const after = (text: string, value: unknown) => (typeof value === 'string' && value !== '' ? `${text}${value}` : '');

const afterNetwork = (text: string, network: unknown) => after(text, typeof network === 'string' && nameAlone(network));

const writeAmount = (amount: unknown, asset: unknown) =>
  typeof amount === 'string' && typeof asset === 'string' ? showSum(amount, asset) : undefined;

function tellChange(account: string, { status, dailyWithdrawalLimit }: Body): string {
  if (typeof dailyWithdrawalLimit === 'string') {
    return `Raise the daily limit of the account ${account} to ${showSum(dailyWithdrawalLimit, 'USDT')}`;
  }
  return status === 'active' ? `Unfreeze the account ${account}` : `Change the account ${account}`;
}

function tellRoles(email: string, { roles }: Body): string {
  if (!Array.isArray(roles)) return `Give roles to ${email}`;
  return roles.length === 0 ? `Take all roles from ${email}` : `Give to ${email}: ${roles.join(', ')}`;
}

function tellCredit(account: string, { amount, asset, reference }: Body): string {
  return `Credit ${after('', writeAmount(amount, asset))}${amount === undefined ? '' : ' to '}the account ${account}${after(', ', reference)}`;
}

const CREDIT = 'The amount is added to the balance of the account.';

export const FOR_GOOD = 'This cannot be undone.';

function tellEnd({ outcome }: Body): string {
  return outcome === 'paid'
    ? `The withdrawal ends as paid. ${FOR_GOOD}`
    : `The withdrawal ends unpaid, and its money is back in the account. ${FOR_GOOD}`;
}

/**
 * What the requests are that need two people, by what their path names, and what happens when one is approved. A record
 * says itself what it is. Of what is said already nothing more happens.
 */
const deeds: readonly (readonly [
  path: RegExp,
  tell: (subject: string, body: Body, record: string) => string,
  tellEffect?: string | ((body: Body) => string),
])[] = [
  [
    /^\/settings$/,
    (_, { reason: _reason, ...change }) =>
      Object.keys(change).length === 0 ? 'Change the settings' : upperFirst(proposeSettings(change)),
    ({ tradingHalted, withdrawalsHalted }) =>
      tradingHalted === false
        ? 'Orders are taken again.'
        : withdrawalsHalted === false
          ? 'Withdrawals are paid again.'
          : '',
  ],
  [/^\/staff\/(.+)$/, tellRoles],
  [/^\/accounts\/([^/]+)$/, tellChange],
  [/^\/accounts\/([^/]+)\/credits$/, tellCredit, CREDIT],
  [/^\/accounts\/([^/]+)\/api-keys$/, (account) => `Make a key for the account ${account}`],
  [
    /^\/accounts\/([^/]+)\/allowlist$/,
    (account, { network, address }) =>
      `Approve an address of the account ${account}${after(': ', address)}${afterNetwork(' on ', network)}`,
    'The account may withdraw to the address once the wait for new addresses is over.',
  ],
  [
    /^\/accounts\/([^/]+)\/totp$/,
    (account) => `Switch two-factor authentication off for the account ${account}`,
    'Withdrawals of the account need no code any more.',
  ],
  [
    /^\/accounts\/([^/]+)\/invitation$/,
    (account) => `Invite a holder of the account ${account}`,
    'A link is mailed. Who signs in by it within 72 hours holds the account, for good.',
  ],
  [
    /^\/accounts\/([^/]+)\/recovery$/,
    (account) => `Let the holder recover the account ${account}`,
    'The holder may sign in by a link within 72 hours. After that nothing leaves the account for 24 hours.',
  ],
  [
    /^\/accounts\/[^/]+\/withdrawals\/([^/]+)\/settle$/,
    (_, { outcome }, record) => `End the withdrawal ${record}${after(' as ', outcome)}`,
    tellEnd,
  ],
  [
    /^\/deposits$/,
    (_, { amount, asset, network }) =>
      `Report a deposit${after(' of ', writeAmount(amount, asset))}${afterNetwork(' over ', network)}`,
    'It is credited once it has its confirmations.',
  ],
  [/^\/deposits\/([^/]+)\/credit$/, (_, _body, record) => `Credit the deposit ${record}`, `${CREDIT} ${FOR_GOOD}`],
  [
    /^\/settlements$/,
    (_, { coinAmount, coin, usdtAmount }) =>
      `Settle a trade${after(' of ', writeAmount(coinAmount, coin))}${after(' for ', writeAmount(usdtAmount, 'USDT'))}`,
  ],
  [
    /^\/fundings$/,
    (_, { amount, asset, from, to }) =>
      `Record ${writeAmount(amount, asset) ?? 'money'} of the house that was moved${after(' from ', from)}${after(' to ', to)}`,
    'The ledger shows the money where it is. Nothing is sent.',
  ],
  [
    /^\/hedges\/([^/]+)\/settle$/,
    (_, { outcome }, record) => `End the hedge ${record}${after(' as ', outcome)}`,
    'The hedge ends, and what of its money was not used is free again.',
  ],
  [
    /^\/reconciliation\/violations\/([^/]+)\/clear$/,
    (violation) => `Clear the violation ${violation}`,
    'The halts can be lifted. The next check halts again what is still broken.',
  ],
];

export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The end of an id, which tells most; another text as it is. */
function shortenId(text: string): string {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) ? `…${text.slice(-8)}` : text;
}

/** The id of the account that a request names in its path or as `accountId`; `undefined` when it names none. */
export function findAccountOf({ path, body }: Deed): string | undefined {
  const named = body?.['accountId'];
  return /^\/operator\/v1\/accounts\/([^/]+)/.exec(path)?.[1] ?? (typeof named === 'string' ? named : undefined);
}

/**
 * A proposal in a sentence, with the label of its account and the words of its record if they are known; one of a kind that
 * is not known here, by its request.
 */
export function nameDeed(deed: Deed, label?: string, record?: string): string {
  const { method, path, body = {} } = deed;
  const own = path.replace(OPERATOR, '');
  for (const [pattern, tell] of deeds) {
    const [whole, subject = ''] = pattern.exec(own) ?? [];
    if (whole === undefined) continue;
    const id = shortenId(decodeURIComponent(subject));
    return tell(label !== undefined && subject === findAccountOf(deed) ? label : id, body, record ?? id);
  }
  return `${method} ${path}`;
}

/** What happens when a proposal is approved, beside what it says itself. */
export function tellEffect({ path, body = {} }: Deed): string {
  const own = path.replace(OPERATOR, '');
  const effect = deeds.find(([pattern]) => pattern.test(own))?.[2] ?? '';
  return typeof effect === 'string' ? effect : effect(body);
}
