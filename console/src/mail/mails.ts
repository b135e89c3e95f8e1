import { describeError, logFault } from '../../../src/platform/log.ts';
import { type ConsoleBindings, config } from '../env.ts';

/** A mail's subject and text. */
interface Letter {
  readonly subject: string;
  readonly text: string;
}

const STOP = `If this was not you, open ${config.CONSOLE_ORIGIN} and freeze the account, and tell the exchange at once.`;

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
  disable_endpoint: 'a webhook endpoint was switched off, because it is gone or fails',
};

/** The mails that the console writes. Only links are secret; no mail names an amount. */
export const letters = {
  invitation: (link: string): Letter => ({
    subject: 'Your account at Bureau',
    text: `You are invited to open your account. This link works once, for 72 hours:\n\n${link}\n`,
  }),
  opening: (link: string): Letter => ({
    subject: 'Open your account at Bureau',
    text: `Open this link in the browser in which you asked for it. It works once, for 10 minutes:\n\n${link}\n\nIf you did not ask for it, do nothing: no account is opened without it.\n`,
  }),
  signIn: (link: string): Letter => ({
    subject: 'Your sign-in link',
    text: `Open this link in the browser in which you asked for it. It works once, for 10 minutes:\n\n${link}\n\nIf you did not ask for it, do nothing: nobody can sign in without it.\n`,
  }),
  newBrowser: (browser: string): Letter => ({
    subject: 'Somebody signed in to your account with a new browser',
    text: `It calls itself: ${browser}\n\n${STOP}\n`,
  }),
  signedInByLink: (): Letter => ({
    subject: 'Somebody signed in to your account by an e-mail link',
    text: `They can look, and change nothing without a passkey.\n\n${STOP}\n`,
  }),
  recovered: (heldUntil: string): Letter => ({
    subject: 'Your account is being recovered',
    text: `Somebody who signed in by a link has shown a code of yours, or two people of the exchange let them in; they may enrol a new passkey. Until ${heldUntil} no withdrawal, new API key or new address is accepted.\n\n${STOP}\n`,
  }),
  passkeyAdded: (name: string): Letter => ({
    subject: 'A passkey was added to your account',
    text: `The passkey "${name}" can sign in from now on.\n\n${STOP}\n`,
  }),
  passkeyRemoved: (name: string): Letter => ({
    subject: 'A passkey was removed from your account',
    text: `The passkey "${name}" can no longer sign in.\n\n${STOP}\n`,
  }),
  changed: (action: string, time: string): Letter => ({
    subject: `Your account: ${changes[action] ?? 'its settings were changed'}`,
    text: `At ${time}: ${changes[action] ?? 'its settings were changed'}.\n\n${STOP}\n`,
  }),
} as const;

/** Sends a mail. Returns whether the platform took it; a fault is logged, and what it tells of has happened anyway. */
export async function sendMail({ EMAIL }: ConsoleBindings, to: string, { subject, text }: Letter): Promise<boolean> {
  try {
    await EMAIL.send({ from: config.MAIL_FROM, to, subject, text });
    return true;
  } catch (error) {
    logFault('mail_not_sent', { subject, error: describeError(error) });
    return false;
  }
}
