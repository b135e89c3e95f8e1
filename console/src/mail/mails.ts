import { describeError, logFault } from '../../../src/platform/log.ts';
import { withDeadline } from '../../../src/platform/deadline.ts';
import { type ConsoleBindings, config } from '../env.ts';
import type { Letter } from './notice.ts';

/** How long the platform may take to take a mail. */
const SEND_DEADLINE_MS = 10_000;

/** The subject of the mail with the link of a sign-in. */
export const SIGN_IN_SUBJECT = 'Your sign-in link';

/** The mails with a link that somebody waits for. They are sent at once or not at all, since the link is a secret. */
export const letters = {
  invitation: (link: string): Letter => ({
    subject: 'Your account at Bureau',
    text: `You are invited to open your account. This link works once, for 72 hours:\n\n${link}\n`,
  }),
  opening: (link: string): Letter => ({
    subject: 'Open your account at Bureau',
    text: `Open this link in the browser in which you asked for it. It works once, for 10 minutes:\n\n${link}\n\nIf you did not ask for it, do nothing: no account is opened without it.\n`,
  }),
  signIn: (link: string, freezeLink: string): Letter => ({
    subject: SIGN_IN_SUBJECT,
    text: `Open this link in the browser in which you asked for it. It works once, for 10 minutes:\n\n${link}\n\nIf you did not ask for it, do nothing: nobody can sign in without it. To stop your account at once, from any browser, open this page and press its button:\n\n${freezeLink}\n`,
  }),
} as const;

/** Sends a mail. Returns whether the platform took it; a fault is logged, and what it tells of has happened anyway. */
export async function sendMail({ EMAIL }: ConsoleBindings, to: string, { subject, text }: Letter): Promise<boolean> {
  try {
    await withDeadline(SEND_DEADLINE_MS, () => EMAIL.send({ from: config.MAIL_FROM, to, subject, text }));
    return true;
  } catch (error) {
    logFault('mail_not_sent', { subject, error: describeError(error) });
    return false;
  }
}
