import { env } from '../runtime/test-env.ts';
import { composeCrowd } from './compose-crowd.ts';
import { sql } from '../db/sql.ts';

/** Opens accounts from one number up to another, and returns the size of the database in bytes. */
export async function openCrowd(from: number, to: number): Promise<number> {
  const results = await env.DB.batch(composeCrowd(from, to).map((statement) => sql(statement)));
  return Math.max(...results.map(({ meta }) => meta.size_after));
}
