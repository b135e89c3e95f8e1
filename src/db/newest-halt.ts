import { and, desc, eq, isNotNull, or, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { audit } from './schema.ts';

/** Who halted something last, and why. */
export interface Halt {
  readonly ts: number;
  readonly by: string;
  readonly reason: string | null;
}

/** Reads the newest halt of trading or hedging, by the exchange itself or by an operator, who may also have lifted one. Throws when D1 fails. */
export async function readNewestHalt(database: Database, of: 'trading' | 'hedging'): Promise<Halt | null> {
  const isOwn = and(eq(audit.target, of), eq(audit.action, 'halt'));
  const isSet = and(eq(audit.target, 'settings'), isNotNull(sql`${audit.detail} ->> ${sql.raw(`'${of}Halted'`)}`));
  const [row] = await database.select().from(audit).where(or(isOwn, isSet)).orderBy(desc(audit.id)).limit(1);
  if (!row) return null;
  const { reason, because, venue } = JSON.parse(row.detail) as Readonly<Record<string, string | undefined>>;
  const why = reason ?? because ?? (venue === undefined ? null : `${venue} holds something else than the ledgers say`);
  return { ts: row.ts, by: row.actor ?? row.role, reason: why };
}
