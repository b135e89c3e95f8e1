import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleContext, SignedInEnvironment } from '../http/context.ts';
import { readBody, readJson } from '../http/read-body.ts';
import { type Outcome, sendRefusal } from '../http/refusals.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { requireFreshPasskey, requireSession } from '../sessions/require-session.ts';

/**
 * The account's security settings: everything below `/account`. Each route but the passkeys' passes one call on to the
 * exchange, which checks its body; the ones that give rights want a fresh passkey first.
 */
export const accountRoutes = new Hono<SignedInEnvironment>().use(requireSession).route('/', passkeyRoutes);

/** Answers what the exchange did, under a name. */
async function send<T>(
  c: ConsoleContext & { readonly json: (body: Record<string, T>, status: 200 | 201) => Response },
  name: string,
  outcome: Promise<Outcome<T>>,
  status: 200 | 201 = 200,
): Promise<Response> {
  const known = await outcome;
  return known.ok ? c.json({ [name]: known.value }, status) : sendRefusal(c, known);
}

accountRoutes.get('/', (c) => send(c, 'account', c.env.HOLDERS.describe(c.var.session.token)));

/** A page of keys: those that are not revoked first, and then from below the key `before` on. */
accountRoutes.get('/keys', async (c) => {
  const page = await c.env.HOLDERS.listKeys(c.var.session.token, c.req.query('before') ?? null);
  return page.ok ? c.json(page.value) : sendRefusal(c, page);
});

accountRoutes.post('/keys', requireFreshPasskey, async (c) => {
  const body = await readJson(c);
  if (!body.ok) return sendRefusal(c, body);
  const made = await c.env.HOLDERS.makeKey(c.var.session.token, body.value);
  return made.ok ? c.json(made.value, 201) : sendRefusal(c, made);
});

accountRoutes.delete('/keys/:id', (c) =>
  send(c, 'apiKey', c.env.HOLDERS.revokeKey(c.var.session.token, c.req.param('id'))),
);

/** What the exchange tells all holders. */
accountRoutes.get('/notice', (c) => send(c, 'notice', c.env.HOLDERS.readNotice(c.var.session.token)));

accountRoutes.post('/totp', requireFreshPasskey, (c) =>
  send(c, 'totp', c.env.HOLDERS.drawTotp(c.var.session.token), 201),
);

accountRoutes.post('/totp/confirm', requireFreshPasskey, async (c) => {
  const body = await readBody(c, z.strictObject({ totpCode: z.unknown() }));
  if (!body.ok) return sendRefusal(c, body);
  return send(c, 'totp', c.env.HOLDERS.confirmTotp(c.var.session.token, body.value.totpCode));
});

accountRoutes.post('/totp/remove', requireFreshPasskey, async (c) => {
  const body = await readBody(c, z.strictObject({ totpCode: z.unknown().optional() }));
  if (!body.ok) return sendRefusal(c, body);
  return send(c, 'totp', c.env.HOLDERS.removeTotp(c.var.session.token, body.value.totpCode));
});

accountRoutes.get('/addresses', (c) => send(c, 'entries', c.env.HOLDERS.listAddresses(c.var.session.token)));

accountRoutes.post('/addresses', requireFreshPasskey, async (c) => {
  const body = await readJson(c);
  if (!body.ok) return sendRefusal(c, body);
  return send(c, 'entry', c.env.HOLDERS.approveAddress(c.var.session.token, body.value), 201);
});

accountRoutes.delete('/addresses/:id', requireFreshPasskey, (c) =>
  send(c, 'entry', c.env.HOLDERS.removeAddress(c.var.session.token, c.req.param('id'))),
);

/** Stops the account. It wants no passkey: whoever sees that something is wrong must not be held up. */
accountRoutes.post('/freeze', (c) => send(c, 'frozen', c.env.HOLDERS.freeze(c.var.session.token)));

accountRoutes.get('/log', async (c) => {
  const before = z.coerce
    .number()
    .int()
    .positive()
    .nullable()
    .safeParse(c.req.query('before') ?? null);
  return send(c, 'entries', c.env.HOLDERS.listSecurityLog(c.var.session.token, before.data ?? null));
});
