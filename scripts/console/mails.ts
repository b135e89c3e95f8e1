import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalExchange } from '../local-exchange.ts';
import { readMails } from '../start/mailbox.ts';

const MAIL_DEADLINE_MS = 10_000;
const NOTICE_DEADLINE_MS = 90_000;

export function listMails({ storage }: LocalExchange, email: string) {
  return readMails(join(storage, 'mail')).filter(({ to }) => to === email);
}

/** The mail to an address with a subject, once it is sent: within a minute of what it tells. */
export async function awaitMail(exchange: LocalExchange, email: string, subject: string) {
  for (let waited_ms = 0; waited_ms < NOTICE_DEADLINE_MS; waited_ms += 500) {
    const mail = listMails(exchange, email).find((known) => known.subject === subject);
    if (mail) return mail;
    await sleep(500);
  }
  throw new Error(`no mail “${subject}” was sent to ${email}`);
}

/** The newest link that was mailed to an address, once there are so many. Throws when none comes. */
export async function awaitLink(exchange: LocalExchange, email: string, count: number): Promise<string> {
  for (let waited_ms = 0; waited_ms < MAIL_DEADLINE_MS; waited_ms += 50) {
    const links = listMails(exchange, email).flatMap(({ text }) => /http:\/\/localhost:\d+\/link#\S+/.exec(text) ?? []);
    const newest = links.at(-1);
    if (newest !== undefined && links.length >= count) return newest;
    await sleep(50);
  }
  throw new Error(`no link was mailed to ${email}`);
}
