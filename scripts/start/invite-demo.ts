import { createHash, randomBytes } from 'node:crypto';
import type { Miniflare } from 'miniflare';
import type { Place } from './place.ts';

const DEMO_EMAIL = 'demo@bureau.example';

const LIFETIME_MS = 72 * 3_600_000;

/** The two who invite the holder: the operator's token proposes, and an admin approves. */
export interface Inviters {
  readonly operatorToken: string;
  readonly signedIn: string;
}

/**
 * Invites the demo account's holder at the exchange, unless it has one, and writes the link into the console's database,
 * which signs in once. At a later start it signs the same holder in again. Returns the link.
 */
export async function inviteDemo(
  runtime: Miniflare,
  place: Place,
  accountId: string,
  inviters: Inviters,
): Promise<string> {
  await invite(place, accountId, inviters);
  const database = await runtime.getD1Database('IDENTITY', 'bureau-console');
  const secret = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(`link ${secret}`).digest('base64url');
  await database
    .prepare("INSERT INTO links (hash, kind, email, account_id, expires_at) VALUES (?, 'invitation', ?, ?, ?)")
    .bind(hash, DEMO_EMAIL, accountId, Date.now() + LIFETIME_MS)
    .run();
  return `${place.consoleOrigin}/link#${secret}`;
}

async function invite({ origin, consoleOrigin }: Place, accountId: string, inviters: Inviters): Promise<void> {
  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const response = await fetch(`${origin}/operator/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const invited = await send(
    `/accounts/${accountId}/invitation`,
    { email: DEMO_EMAIL },
    {
      Authorization: `Bearer ${inviters.operatorToken}`,
    },
  );
  const { proposal, code } = invited.body;
  // It has a holder since an earlier start.
  if (invited.status === 201 || code === 'invalid_state') return;
  if (!proposal) throw new Error(`the demo account's holder was not invited: ${JSON.stringify(invited.body)}`);
  const approved = await send(
    `/proposals/${proposal.id}/approve`,
    { digest: proposal.digest },
    {
      'Cf-Access-Jwt-Assertion': inviters.signedIn,
      Origin: consoleOrigin,
    },
  );
  if (approved.status !== 200) throw new Error(`the invitation was not approved: ${JSON.stringify(approved.body)}`);
}

interface Answer {
  readonly proposal?: { readonly id: string; readonly digest: string };
  readonly code?: string;
}
