import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { audit } from '../db/schema.ts';

/** What happens at the console alone, and is noted in the account's log all the same. */
export const notedEvents = ['add_passkey', 'remove_passkey', 'rename_passkey', 'use_recovery_code'] as const;

export type NotedEvent = (typeof notedEvents)[number];

/** The changes of an account that its holder is shown, by whomever they were made. */
const shownActions: readonly string[] = [
  ...notedEvents,
  'draw_recovery_codes',
  'invite_holder',
  'become_holder',
  'open_session',
  'end_sessions',
  'ask_recovery',
  'allow_recovery',
  'recover_account',
  'change_account',
  'create_api_key',
  'revoke_api_key',
  'draw_totp',
  'confirm_totp',
  'remove_totp',
  'approve_address',
  'remove_approval',
  'disable_endpoint',
  'give_up_mails',
];

/** The most entries of one page. */
const PAGE = 50;

export interface SecurityEntry {
  /** The number of its row: a page goes on below the last one's. */
  readonly id: string;
  readonly ts_ms: number;
  /** Who made the change. People of the exchange are not named to holders. */
  readonly by: 'holder' | 'exchange';
  readonly action: string;
  /** How, for the holder's own changes; another's may name what is not for the holder. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One page of an account's security log, newest first, from below `before` on. Throws when D1 fails. */
export async function readSecurityLog(
  database: Database,
  accountId: string,
  before: number | null,
): Promise<SecurityEntry[]> {
  const rows = await database
    .select()
    .from(audit)
    .where(
      and(
        eq(audit.target, accountId),
        inArray(audit.action, [...shownActions]),
        before === null ? undefined : lt(audit.id, before),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(PAGE);
  return rows.map(({ id, ts, role, action, detail }) => ({
    id: String(id),
    ts_ms: ts,
    by: role === 'holder' ? 'holder' : 'exchange',
    action,
    detail: role === 'holder' ? (JSON.parse(detail) as Record<string, unknown>) : {},
  }));
}
