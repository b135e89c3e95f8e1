import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, inject } from 'vitest';
import { findFreePort } from '../../../../scripts/find-free-port.ts';
import { readMails, refusedFile, type WrittenMail } from '../../../../scripts/start/mailbox.ts';
import { readPlace } from '../../../../scripts/start/place.ts';
import { playAccess } from '../../../../scripts/start/play-access.ts';
import { CONSOLE } from '../../../../scripts/start/names.ts';
import { fireSchedule, serve } from '../../../../scripts/start/serve.ts';
import type { Asset } from '../../../../src/money/assets.ts';
import { publicSecrets } from '../../../../src/public-secrets.ts';
import { Operator } from '../exchange/operator.ts';
import type { Authenticator } from './authenticator.ts';
import { Browser, type Reply } from './browser.ts';
import { openFolder } from '../open-folder.ts';

const ADMIN = 'admin@bureau.example';
const SECOND = 'second@bureau.example';
const MAIL_DEADLINE_MS = 60_000;

/**
 * Serves the exchange and its console for the tests of a file as `npm start` does, with empty storage, from the bundles
 * of the run, and ends them after the tests. Call it at the top of a file: an `afterAll` within a test never runs.
 */
export async function openConsole(variables: Readonly<Record<string, string>> = {}): Promise<StartedConsole> {
  const folder = openFolder('console');
  const place = readPlace({
    PORT: String(await findFreePort()),
    CONSOLE_PORT: String(await findFreePort()),
    BUREAU_STORAGE: join(folder, 'state'),
  });
  if ('refusal' in place) throw new Error(place.refusal);
  mkdirSync(place.storage);
  const bundles = { exchange: inject('workerBundle'), console: inject('consoleBundle') };
  const access = await playAccess(place);
  const { runtime, stop } = await serve(place, bundles, access, { ...publicSecrets, ...variables });
  afterAll(stop);
  const identity = await runtime.getD1Database('IDENTITY', 'bureau-console');
  const started = new StartedConsole(place, identity, access.signIn);
  await started.operate('PUT', `/staff/${ADMIN}`, { roles: ['admin'] });
  await started.operate('PUT', `/staff/${SECOND}`, { roles: ['support'] });
  return started;
}

type Place = Exclude<ReturnType<typeof readPlace>, { readonly refusal: string }>;
type Runtime = Awaited<ReturnType<typeof serve>>['runtime'];
type Identity = Awaited<ReturnType<Runtime['getD1Database']>>;

/** A holder who was invited and has enrolled a passkey. */
export interface Holder {
  readonly email: string;
  readonly accountId: string;
  readonly browser: Browser;
  readonly passkey: Authenticator;
}

/** The console, and its exchange by the operator's token. */
export class StartedConsole extends Operator {
  readonly place: Place;
  readonly identity: Identity;
  readonly #signIn: (email: string) => string;
  #holders = 0;

  constructor(place: Place, identity: Identity, signIn: (email: string) => string) {
    super(place.origin);
    this.place = place;
    this.identity = identity;
    this.#signIn = signIn;
  }

  openBrowser(): Browser {
    return new Browser(this.place.consoleOrigin);
  }

  /** The header with which Access names a person of the staff. */
  staffHeader(email = ADMIN): Record<string, string> {
    return { 'Cf-Access-Jwt-Assertion': this.#signIn(email) };
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

  /** Signs in by a link that is asked for now, which is then the address's newest of so many. Returns the browser. */
  async signInByLink(email: string, count: number, browser = this.openBrowser()): Promise<Browser> {
    await browser.post('/session/link', { email });
    await browser.post('/session/link/spend', { secret: await this.linkTo(email, count) });
    return browser;
  }

  /** Opens an account, invites its holder, and has them enrol a passkey. */
  async openHolder(funds: Partial<Record<Asset, string>> = {}): Promise<Holder> {
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
