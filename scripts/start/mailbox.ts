import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Request, Response } from 'miniflare';

/** The name of the Worker that plays the platform's mail. */
export const MAILBOX = 'mailbox';

/** What a Worker with a `send_email` binding calls: `env.EMAIL.send(mail)`. */
const SCRIPT = `import { WorkerEntrypoint } from 'cloudflare:workers';
export default class extends WorkerEntrypoint {
  fetch() {
    return new Response(null, { status: 404 });
  }
  async send(mail) {
    const written = await this.env.FOLDER.fetch('http://folder', { method: 'POST', body: JSON.stringify(mail) });
    if (!written.ok) throw new Error('the mail was not written');
    return { messageId: await written.text() };
  }
}`;

export interface WrittenMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Beside the folder of mails: the addresses that take none, for who tries what happens then. */
export const refusedFile = (folder: string) => `${folder}.refused`;

/** The Worker that writes each mail to a file of its own, `0001.txt` and so on, in place of sending it. */
export function describeMailbox(folder: string, compatibilityDate: string) {
  mkdirSync(folder, { recursive: true });
  return {
    name: MAILBOX,
    modules: [{ type: 'ESModule' as const, path: 'mailbox.js', contents: SCRIPT }],
    compatibilityDate,
    serviceBindings: {
      FOLDER: async (request: Request) => {
        const { from, to, subject, text } = (await request.json()) as WrittenMail;
        const refused = existsSync(refusedFile(folder)) ? readFileSync(refusedFile(folder), 'utf8').split('\n') : [];
        if (refused.includes(to)) return new Response('refused', { status: 502 });
        const file = `${String(readdirSync(folder).length + 1).padStart(4, '0')}.txt`;
        writeFileSync(join(folder, file), `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 });
        return new Response(file);
      },
    },
  };
}

export function readMails(folder: string): WrittenMail[] {
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const [head = '', ...paragraphs] = readFileSync(join(folder, file), 'utf8').split('\n\n');
      const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
      return { from: read('From'), to: read('To'), subject: read('Subject'), text: paragraphs.join('\n\n') };
    });
}
