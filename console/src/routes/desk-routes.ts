import { Hono } from 'hono';
import { z } from 'zod';
import { refuse } from '../../../src/http/refusal.ts';
import { config } from '../env.ts';
import type { ConsoleContext, ConsoleEnvironment } from '../http/context.ts';
import { readBody, readBytes } from '../http/read-body.ts';
import { sendRefusal } from '../http/refusals.ts';
import { makeInvitation, writeLink } from '../identity/link.ts';
import { findHolder, findUserByEmail } from '../identity/user.ts';
import { letters, sendMail } from '../mail/mails.ts';
import { forward } from './api-proxy.ts';

/** The header that Access puts beside each request of somebody of the staff. */
const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion';

/** Who may invite: the roles that open accounts. */
const INVITING_ROLES = ['admin', 'support'];

const tooLarge = refuse('payload_too_large', 'The body is too large.');
const mayNotInvite = refuse('insufficient_role', 'Only the roles "admin" and "support" invite holders.');
const hasHolder = refuse('invalid_state', 'The account has a holder.');
const emailTaken = refuse('invalid_state', 'This e-mail is the holder’s of another account.');
const noAccount = refuse('not_found', 'There is no account of that id.');

const Me = z.object({ me: z.object({ actor: z.email(), roles: z.array(z.string()) }) });

const InvitationBody = z.strictObject({ accountId: z.string().max(36), email: z.email().max(254).toLowerCase() });

/**
 * The operator's API for the desk. Cloudflare Access has signed the person in, and the exchange checks that, the role and
 * the origin: a holder's session opens nothing here.
 */
export const operatorProxy = new Hono<ConsoleEnvironment>();

operatorProxy.all('/v1/*', async (c) => {
  const body = c.req.method === 'GET' || c.req.method === 'HEAD' ? undefined : await readBytes(c.req.raw);
  if (body === undefined && c.req.raw.body !== null) return sendRefusal(c, tooLarge);
  return forward(c, body === undefined ? {} : { body }, describeStaff(c));
});

function describeStaff(c: ConsoleContext): Record<string, string> {
  const assertion = c.req.header(ACCESS_HEADER);
  const origin = c.req.header('Origin');
  return { ...(assertion && { [ACCESS_HEADER]: assertion }), ...(origin && { Origin: origin }) };
}

/** What the desk does at the console itself. */
export const deskRoutes = new Hono<ConsoleEnvironment>();

/** Mails an invitation to become the holder of an account that has none. */
deskRoutes.post('/invitations', async (c) => {
  const body = await readBody(c, InvitationBody);
  if (!body.ok) return sendRefusal(c, body);
  const me = await ask(c, '/operator/v1/me');
  if (!me.ok) return new Response(me.body, me);
  const person = Me.safeParse(await me.json());
  const may = person.success && person.data.me.roles.some((role) => INVITING_ROLES.includes(role));
  if (!may) return sendRefusal(c, mayNotInvite);
  const { accountId, email } = body.value;
  const account = await ask(c, `/operator/v1/accounts/${encodeURIComponent(accountId)}`);
  if (!account.ok) return sendRefusal(c, noAccount);
  if (await findHolder(c.env.IDENTITY, accountId)) return sendRefusal(c, hasHolder);
  if (await findUserByEmail(c.env.IDENTITY, email)) return sendRefusal(c, emailTaken);
  const invitation = { accountId, email, invitedBy: person.data.me.actor };
  const secret = await makeInvitation(c.env.IDENTITY, invitation, Date.now());
  const isSent = await sendMail(c.env, email, letters.invitation(writeLink(config.CONSOLE_ORIGIN, secret)));
  return c.json({ invited: isSent }, 201);
});

/** Who signs in for an account, for everybody of the staff who may read it. */
deskRoutes.get('/holders/:accountId', async (c) => {
  const accountId = c.req.param('accountId');
  const account = await ask(c, `/operator/v1/accounts/${encodeURIComponent(accountId)}`);
  if (!account.ok) return new Response(account.body, account);
  const holder = await findHolder(c.env.IDENTITY, accountId);
  return c.json({ holder: holder ? { email: holder.email } : null });
});

/** The desk's page, which shows what the path names. It holds nothing secret: what it shows, the exchange answers. */
deskRoutes.get('*', (c) => c.env.PAGES.fetch(new URL('/desk', c.req.url)));

/** Reads the operator's API as the person of the request. */
function ask(c: ConsoleContext, path: string): Promise<Response> {
  const headers = { ...describeStaff(c), 'X-Request-Id': c.var.requestId };
  return c.env.EXCHANGE.fetch(new Request(new URL(path, c.req.url), { headers }));
}
