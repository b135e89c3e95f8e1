import { beforeAll, beforeEach, vi } from 'vitest';
import { databaseInternals } from './meter.ts';
import { env } from './test-env.ts';
import { sql } from '../db/sql.ts';

/**
 * In each test of the file `newest_audit` shows only a row that the same call of D1 has written: a batch that relies on the row of an
 * earlier one finds none, and is refused.
 */
export function forgetEarlierAudit(): void {
  beforeAll(showOwnAudit);
  beforeEach(markAudit);
}

async function showOwnAudit(): Promise<void> {
  await env.DB.batch([
    sql('CREATE TABLE audit_before (id INTEGER NOT NULL) STRICT'),
    sql('INSERT INTO audit_before SELECT coalesce(max(id), 0) FROM audit'),
    sql('DROP VIEW newest_audit'),
    sql(`CREATE VIEW newest_audit AS
      SELECT * FROM audit WHERE id > (SELECT id FROM audit_before) ORDER BY id DESC LIMIT 1`),
  ]);
}

/** A spy, which every test takes back. */
function markAudit(): void {
  const internals = databaseInternals();
  const send = internals._send;
  vi.spyOn(internals, '_send').mockImplementation(async function sendAfterMark(this: unknown, ...values: unknown[]) {
    await send.call(this as never, '/query', 'UPDATE audit_before SET id = (SELECT max(id) FROM audit)', [], 'NONE');
    return send.apply(this as never, values);
  });
}
