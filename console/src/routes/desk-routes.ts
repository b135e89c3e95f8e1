import { Hono } from 'hono';
import { z } from 'zod';
import type { Invitation } from '../../../src/accounts/invite-holder.ts';
import { refuse } from '../../../src/http/answer.ts';
import { parseJson } from '../../../src/http/request.ts';
import { config } from '../env.ts';
import type { ConsoleContext, ConsoleEnvironment } from '../http/context.ts';
import { readBytes } from '../http/read-body.ts';
import { invitationNotMailed, sendRefusal } from '../http/refusals.ts';
import { makeInvitationLink, writeLink } from '../identity/link.ts';
import { findHolder, findHoldersByEmail, findUserByEmail, forgetHolder, listHolders } from '../identity/user.ts';
import { letters, sendMail } from '../mail/mails.ts';
import { forward } from './api-proxy.ts';

/** The header that Access puts beside each request of somebody of the staff. */
const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion';

const tooLarge = refuse('payload_too_large', 'The body is too large.');
const emailTaken = refuse('invalid_state', 'This e-mail is the holder’s of another account.');

/** The requests by which a holder is invited: one person's, or the approval of a second one. */
const INVITATION = /^\/operator\/v1\/accounts\/([^/]+)\/invitation$/;
const APPROVAL = /^\/operator\/v1\/proposals\/[^/]+\/approve$/;

const Wanted = z.object({ email: z.string().toLowerCase() });

const Invited = z.object({
  invitation: z.object({
    accountId: z.string(),
    email: z.string(),
    expiresAt: z.string(),
  }) satisfies z.ZodType<Invitation>,
});

/** What the exchange answers when it has invited a holder; an approval has that for its `answer`. */
const InvitedAnswer = z.union([Invited, z.object({ answer: Invited }).transform(({ answer }) => answer)]);

/**
 * The operator's API for the desk. Cloudflare Access has signed the person in, and the exchange checks that, the role and
 * the origin: a holder's session opens nothing here.
 */
export const operatorProxy = new Hono<ConsoleEnvironment>();

operatorProxy.all('/v1/*', async (c) => {
  const body = c.req.method === 'GET' || c.req.method === 'HEAD' ? undefined : await readBytes(c.req.raw);
  if (body === undefined && c.req.raw.body !== null) return sendRefusal(c, tooLarge);
  const { method, path } = c.req;
  const [isInvitation, accountId = ''] = INVITATION.exec(path) ?? [];
  if (isInvitation !== undefined && body && (await isTaken(c, body, accountId))) return sendRefusal(c, emailTaken);
  const answer = await forward(c, body === undefined ? {} : { body }, describeStaff(c));
  const mayInvite = method === 'POST' && (isInvitation !== undefined || APPROVAL.test(path));
  return mayInvite && answer.ok ? mailInvitation(c, answer) : answer;
});

/** Whether the address of an invitation is another account's holder's. Only who may read the account is told. */
async function isTaken(c: ConsoleContext, body: Uint8Array, accountId: string): Promise<boolean> {
  const wanted = Wanted.safeParse(parseJson(new TextDecoder().decode(body)));
  const user = wanted.success ? await findUserByEmail(c.env.IDENTITY, wanted.data.email) : undefined;
  if (!user || user.accountId === accountId) return false;
  return (await ask(c, `/operator/v1/accounts/${accountId}`)).ok;
}

/**
 * Mails the link where the exchange has invited a holder. The link shows who reads the mails to the address; that they may
 * be the holder, the exchange alone knows. The account had none when it invited one, so whoever was kept as one is not.
 */
async function mailInvitation(c: ConsoleContext, answer: Response): Promise<Response> {
  const read = InvitedAnswer.safeParse(await answer.clone().json());
  if (!read.success) return answer;
  const { invitation } = read.data;
  const { accountId, email } = invitation;
  await forgetHolder(c.env.IDENTITY, accountId, email);
  const user = await findUserByEmail(c.env.IDENTITY, email);
  if (user && user.accountId !== accountId) return sendRefusal(c, emailTaken);
  const secret = await makeInvitationLink(c.env.IDENTITY, invitation);
  const isSent = await sendMail(c.env, email, letters.invitation(writeLink(config.CONSOLE_ORIGIN, secret)));
  return isSent ? answer : sendRefusal(c, invitationNotMailed);
}

function describeStaff(c: ConsoleContext): Record<string, string> {
  const assertion = c.req.header(ACCESS_HEADER);
  const origin = c.req.header('Origin');
  return { ...(assertion && { [ACCESS_HEADER]: assertion }), ...(origin && { Origin: origin }) };
}

/** What the desk does at the console itself. */
export const deskRoutes = new Hono<ConsoleEnvironment>();

/** Who signs in for an account, for everybody of the staff who may read it. */
deskRoutes.get('/holders/:accountId', async (c) => {
  const accountId = c.req.param('accountId');
  const account = await ask(c, `/operator/v1/accounts/${encodeURIComponent(accountId)}`);
  if (!account.ok) return new Response(account.body, account);
  const holder = await findHolder(c.env.IDENTITY, accountId);
  return c.json({ holder: holder ? { email: holder.email } : null });
});

/** As many accounts are named at once, and as many holders found. */
const MOST_NAMED = 100;
const MOST_FOUND = 20;

/**
 * The holders of `accounts`, ids with commas between them, and those whose e-mail begins with `email`, for everybody of the
 * staff who may read all accounts.
 */
deskRoutes.get('/holders', async (c) => {
  const accounts = await ask(c, '/operator/v1/accounts?limit=1');
  if (!accounts.ok) return new Response(accounts.body, accounts);
  const { accounts: ids = '', email = '' } = c.req.query();
  const [named, found] = await Promise.all([
    listHolders(c.env.IDENTITY, ids.split(',').slice(0, MOST_NAMED)),
    email === '' ? [] : findHoldersByEmail(c.env.IDENTITY, email.toLowerCase(), MOST_FOUND),
  ]);
  return c.json({
    holders: [...named, ...found].map((holder) => ({ accountId: holder.accountId, email: holder.email })),
  });
});

/** The desk's page, which shows what the path names. It holds nothing secret: what it shows, the exchange answers. */
deskRoutes.get('*', (c) => c.env.PAGES.fetch(new URL('/desk', c.req.url)));

/** Reads the operator's API as the person of the request. */
function ask(c: ConsoleContext, path: string): Promise<Response> {
  const headers = { ...describeStaff(c), 'X-Request-Id': c.var.requestId };
  return c.env.EXCHANGE.fetch(new Request(new URL(path, c.req.url), { headers }));
}
