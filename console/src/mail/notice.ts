import { config } from '../env.ts';
import { writeFreezeLink } from '../identity/freeze-link.ts';

/** As many deposits a mail names. */
const MAX_NAMED = 20;

/** A mail's subject and text. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
}

/** A change at the exchange, in words. */
const changes: Readonly<Record<string, string>> = {
  change_account: 'it was frozen or unfrozen, or its limit was changed',
  ask_recovery: 'the exchange was asked to let you in without a passkey or a code; one of its people has proposed it',
  allow_recovery:
    'two people of the exchange agreed that you may recover it by a link, without a code, within 72 hours',
  create_api_key: 'an API key was made',
  revoke_api_key: 'an API key was revoked',
  confirm_totp: 'two-factor authentication was switched on',
  remove_totp: 'two-factor authentication was switched off',
  approve_address: 'an address was approved for withdrawals',
  remove_approval: 'an approved address was removed',
  disable_endpoint: 'a webhook endpoint was switched off, because it is gone, fails, or its API key was revoked',
};

/** A withdrawal or a deposit, as a mail names it. The amount is a decimal. */
export interface Payment {
  readonly time: string;
  readonly asset: string;
  readonly amount: string;
  readonly address?: string;
  readonly network?: string;
  /** What the exchange says about its rejection of a withdrawal. */
  readonly note?: string | null;
}

/** Where a sign-in came from, in words; `null` where it is not known. */
interface SignIn {
  readonly place: string | null;
}

const writePlace = (place: string | null) => (place === null ? '' : `From: ${place}\n`);

/** What a holder is told of by mail, and how each is written. */
const writers = {
  new_browser: ({ browser, place }: SignIn & { readonly browser: string }): Letter => ({
    subject: 'Somebody signed in to your account with a new browser',
    text: `${writePlace(place)}It calls itself: ${browser}`,
  }),
  signed_in_by_link: ({ place }: SignIn): Letter => ({
    subject: 'Somebody signed in to your account by an e-mail link',
    text: `${writePlace(place)}They can look, and change nothing without a passkey.`,
  }),
  recovered: ({ heldUntil }: { readonly heldUntil: string }): Letter => ({
    subject: 'Your account is being recovered',
    text: `Somebody who signed in by a link has shown a code of yours, or two people of the exchange let them in; they may enrol a new passkey. All API keys were revoked. Until ${heldUntil} no withdrawal, new API key or new address is accepted.`,
  }),
  passkey_added: ({ name }: { readonly name: string }): Letter => ({
    subject: 'A passkey was added to your account',
    text: `The passkey "${name}" can sign in from now on.`,
  }),
  passkey_removed: ({ name }: { readonly name: string }): Letter => ({
    subject: 'A passkey was removed from your account',
    text: `The passkey "${name}" can no longer sign in.`,
  }),
  withdrawal: ({ time, asset, amount, address, network }: Payment): Letter => ({
    subject: `A withdrawal of ${amount} ${asset} from your account`,
    text: `At ${time}: ${amount} ${asset} to ${address} over ${network}.`,
  }),
  return: ({ time, asset, amount, address, network, note }: Payment): Letter => ({
    subject: `A withdrawal of ${amount} ${asset} from your account failed`,
    text: `At ${time}: ${amount} ${asset} to ${address} over ${network} were not sent. They are in your account again, and so is the fee.${note == null ? '' : `\n\nThe exchange says: ${note}`}`,
  }),
  deposits: ({ deposits }: { readonly deposits: readonly Payment[] }): Letter => ({
    subject: deposits.length === 1 ? 'A deposit to your account' : `${deposits.length} deposits to your account`,
    text: [
      ...deposits.slice(0, MAX_NAMED).map(({ time, asset, amount }) => `At ${time}: ${amount} ${asset}.`),
      ...(deposits.length > MAX_NAMED ? [`And ${deposits.length - MAX_NAMED} more.`] : []),
    ].join('\n'),
  }),
  changed: ({ action, time }: { readonly action: string; readonly time: string }): Letter => ({
    subject: `Your account: ${changes[action] ?? 'its settings were changed'}`,
    text: `At ${time}: ${changes[action] ?? 'its settings were changed'}.`,
  }),
} as const;

type NoticeKind = keyof typeof writers;

/** What a holder is told of: its kind and its detail, which never holds a secret. */
export type Notice = {
  readonly [Kind in NoticeKind]: { readonly kind: Kind; readonly detail: Parameters<(typeof writers)[Kind]>[0] };
}[NoticeKind];

/** Writes the mail of a notice. */
export function writeNotice({ kind, detail }: Notice): Letter {
  return (writers[kind] as (detail: Notice['detail']) => Letter)(detail);
}

/** Adds the link to a page whose button freezes the account. */
export function addFreezeLink({ subject, text }: Letter, freezeSecret: string): Letter {
  const link = writeFreezeLink(config.CONSOLE_ORIGIN, freezeSecret);
  const stop = `If this was not you, open this page and press its button. It freezes the account, so that nothing leaves it; the exchange alone unfreezes it:\n\n${link}\n\nThen tell the exchange.`;
  return { subject, text: `${text}\n\n${stop}\n` };
}
