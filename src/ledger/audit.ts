import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { audit } from './schema.ts';

/** Who acts behind the operator's API, by the token that was used. */
export type Role = 'operator' | 'deposits' | 'auditor';

/** Who changes something, and when: somebody behind a token, or Bureau's own reconciliation. */
export interface Actor {
  readonly role: Role | 'reconciliation';
  readonly now_ms: number;
}

/**
 * The statement that records a change. It belongs into the change's own batch, so that neither is there without the
 * other. `target` is the id of what is changed; `detail` says how, and never holds a secret.
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
    action,
    target,
    detail: JSON.stringify(detail),
  });
}
