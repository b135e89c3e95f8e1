import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Role } from './role.ts';
import { audit } from './schema.ts';

/**
 * Who makes a change, and when: a person, somebody who sends a token, an account's holder, the reconciliation, or the
 * exchange itself.
 */
export interface Actor {
  readonly role: Role | 'holder' | 'reconciliation' | 'exchange';
  /** The person's e-mail; absent for a token. */
  readonly email?: string | undefined;
  readonly now_ms: number;
  /** The proposal that the change executes, and the digest of the request that makes the change. */
  readonly proposal?: { readonly id: string; readonly digest: string } | undefined;
}

/** How somebody is named where changes by the same one are compared: the e-mail of a person, else the role. */
export function nameActor({ email, role }: Pick<Actor, 'email' | 'role'>): string {
  return email ?? role;
}

/**
 * The statement that records a change in the audit. Put it into the batch of the change, so that the database has both
 * or neither; before the change, because the triggers of what needs two people look for the proposal in the newest row.
 * `target` is the id of what is changed; `detail` says how, and never holds a secret.
 */
export function insertAudit(
  database: Database,
  actor: Actor,
  action: string,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
) {
  return database.insert(audit).values({
    id: sql`(SELECT coalesce(max(id), 0) + 1 FROM audit)`,
    ts: actor.now_ms,
    role: actor.role,
    actor: actor.email ?? null,
    action,
    target,
    detail: JSON.stringify(detail),
    proposal: actor.proposal?.id ?? null,
    request: actor.proposal?.digest ?? null,
  });
}
