import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { findFreePort } from '../../../../scripts/find-free-port.ts';
import { readMails, refusedFile, type WrittenMail } from '../../../../scripts/start/mailbox.ts';
import { readPlace } from '../../../../scripts/start/place.ts';
import { playAccess } from '../../../../scripts/start/play-access.ts';
import { CONSOLE } from '../../../../scripts/start/names.ts';
import { fireSchedule, serve } from '../../../../scripts/start/serve.ts';
import type { Authenticator } from './authenticator.ts';
import { Browser, type Reply } from './browser.ts';
import { publicSecrets } from '../../../../src/public-secrets.ts';

const ADMIN = 'admin@bureau.example';
const SECOND = 'second@bureau.example';
const MAIL_DEADLINE_MS = 60_000;

/** The exchange and its console as `npm start` serves them, with empty storage, from the bundles of the run. */
export async function startConsole(variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bureau-console-'));
  const place = readPlace({
    PORT: String(await findFreePort()),
    CONSOLE_PORT: String(await findFreePort()),
    BUREAU_STORAGE: join(folder, 'state'),
  });
  if ('refusal' in place) throw new Error(place.refusal);
  mkdirSync(place.storage);
  const bundles = { exchange: inject('workerBundle'), console: inject('consoleBundle') };
  const access = await playAccess(place);
  const secrets = publicSecrets;
  const served = await serve(place, bundles, access, { ...secrets, ...variables });
  const identity = await served.runtime.getD1Database('IDENTITY', 'bureau-console');
  const started = new StartedConsole(place, served.runtime, identity, secrets['OPERATOR_TOKEN'] ?? '', access.signIn);
  await started.operate('PUT', `/staff/${ADMIN}`, { roles: ['admin'] });
  await started.operate('PUT', `/staff/${SECOND}`, { roles: ['support'] });
  return Object.assign(started, {
    stop: async () => {
      await served.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

type Place = Exclude<ReturnType<typeof readPlace>, { readonly refusal: string }>;
type Runtime = Awaited<ReturnType<typeof serve>>['runtime'];

/** A holder who was invited and has enrolled a passkey. */
export interface Holder {
  readonly email: string;
  readonly accountId: string;
  readonly browser: Browser;
  readonly passkey: Authenticator;
}

class StartedConsole {
  readonly place: Place;
  readonly runtime: Runtime;
  readonly identity: Awaited<ReturnType<Runtime['getD1Database']>>;
  readonly #operatorToken: string;
  readonly #signIn: (email: string) => string;
  #holders = 0;

  constructor(
    place: Place,
    runtime: Runtime,
    identity: Awaited<ReturnType<Runtime['getD1Database']>>,
    operatorToken: string,
    signIn: (email: string) => string,
  ) {
    this.place = place;
    this.runtime = runtime;
    this.identity = identity;
    this.#operatorToken = operatorToken;
    this.#signIn = signIn;
  }

  openBrowser(): Browser {
    return new Browser(this.place.consoleOrigin);
  }

  /** The header with which Access names a person of the staff. */
  staffHeader(email = ADMIN): Record<string, string> {
    return { 'Cf-Access-Jwt-Assertion': this.#signIn(email) };
  }

  /** Sends a request of the operator's token to the exchange, and returns the body of the answer. */
  async operate<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.place.origin}/operator/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#operatorToken}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async openAccount(funds: Readonly<Record<string, string>> = {}): Promise<string> {
    const { account } = await this.operate<{ account: { id: string } }>('POST', '/accounts', { label: 'test' });
    await this.credit(account.id, funds);
    return account.id;
  }

  async credit(accountId: string, funds: Readonly<Record<string, string>>): Promise<void> {
    for (const [asset, amount] of Object.entries(funds)) {
      await this.operate('POST', `/accounts/${accountId}/credits`, { asset, amount, reference: `fund ${asset}` });
    }
  }

  /** Invites the holder of an account as one of the staff does at the desk. */
  invite(accountId: string, email: string, headers = this.staffHeader()): Promise<Reply> {
    return this.openBrowser().post(`/operator/v1/accounts/${accountId}/invitation`, { email }, headers);
  }

  /** Approves what an answer has proposed. */
  approve({ body }: Reply, headers: Record<string, string>): Promise<Reply> {
    const { id, digest } = body['proposal'] as { id: string; digest: string };
    return this.openBrowser().post(`/operator/v1/proposals/${id}/approve`, { digest }, headers);
  }

  /** Mails holders what has happened to their accounts, as the schedule does every minute. */
  tell(): Promise<unknown> {
    return fireSchedule(this.place.origin, CONSOLE);
  }

  /** From now on the mailboxes of these addresses take no mails, and all others do. */
  refuseMailsTo(...emails: string[]): void {
    writeFileSync(refusedFile(this.place.mailFolder), emails.join('\n'));
  }

  mailsTo(email: string): WrittenMail[] {
    return readMails(this.place.mailFolder).filter(({ to }) => to === email);
  }

  /** The secret of the newest link that was mailed to an address, once there are so many mails to it. */
  async linkTo(email: string, count = 1): Promise<string> {
    for (let waited_ms = 0; waited_ms < MAIL_DEADLINE_MS; waited_ms += 20) {
      const links = this.mailsTo(email).flatMap(({ text }) => /\/link#([\w-]{43})/.exec(text)?.[1] ?? []);
      const newest = links.at(-1);
      if (newest !== undefined && links.length >= count) return newest;
      await sleep(20);
    }
    throw new Error(`no link was mailed to ${email}`);
  }

  /** Opens an account, invites its holder, and has them enrol a passkey. */
  async openHolder(funds: Readonly<Record<string, string>> = {}): Promise<Holder> {
    this.#holders += 1;
    const email = `holder-${this.#holders}@customers.example`;
    const accountId = await this.openAccount();
    await this.invite(accountId, email);
    const browser = this.openBrowser();
    await browser.post('/session/link/spend', { secret: await this.linkTo(email) });
    const { passkey, reply } = await browser.enrol();
    if (reply.status !== 201) throw new Error(`not enrolled: ${JSON.stringify(reply.body)}`);
    await this.credit(accountId, funds);
    return { email, accountId, browser, passkey };
  }

  /** Makes the passkey's last use in all sessions of a holder older than five minutes. */
  async makeStale({ email }: Holder): Promise<void> {
    await this.identity
      .prepare(
        'UPDATE sessions SET verified_at = verified_at - 300001 WHERE user_id = (SELECT id FROM users WHERE email = ?)',
      )
      .bind(email)
      .run();
  }
}

export type { StartedConsole };
