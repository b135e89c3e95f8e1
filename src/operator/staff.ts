import { z } from '@hono/zod-openapi';
import { asc, eq, getTableColumns, gt } from 'drizzle-orm';
import { type Outcome, accept } from '../http/answer.ts';
import { Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { staff } from '../db/schema/staff.ts';
import { commitOrRefuse } from '../db/explain.ts';
import { type StaffRole, staffRoles } from './roles.ts';

const Roles = z.array(z.enum(staffRoles)).openapi({ example: ['compliance'] });

/** An e-mail as the identity provider knows it. Upper and lower case are the same person. */
export const Email = z
  .email()
  .max(254)
  .transform((text) => text.toLowerCase())
  .openapi({
    type: 'string',
    format: 'email',
    description: 'As the identity provider knows it, in any case',
    example: 'ada@exchange.example',
  });

/** A person who works for the operator. */
export const StaffMember = z
  .object({
    email: z.string().openapi({ example: 'ada@exchange.example' }),
    roles: Roles,
    changedAt: Timestamp.openapi({ description: 'When the roles were last set' }),
  })
  .openapi('StaffMember');

export type StaffMember = z.output<typeof StaffMember>;

/** The roles that a person gets, in place of those before. None: the person may do nothing any more. */
export const SetRoles = z.strictObject({ roles: Roles.max(staffRoles.length) }).openapi('SetRoles');

type StaffRow = typeof staff.$inferSelect;

/** Shows a person. */
export function showStaffMember(row: StaffRow): StaffMember {
  return {
    email: row.email,
    roles: Roles.parse(JSON.parse(row.roles)),
    changedAt: new Date(row.changedAt).toISOString(),
  };
}

/** The roles of a person, none for a stranger. Throws when D1 fails. */
export async function readRoles(database: Database, email: string): Promise<StaffRole[]> {
  const [row] = await database.select().from(staff).where(eq(staff.email, email));
  return row ? showStaffMember(row).roles : [];
}

/** At most `count` people in the order of their e-mails, after `behind`. Throws when D1 fails. */
export function listStaff(database: Database, behind: string | null, count: number) {
  const columns = { ...getTableColumns(staff), id: staff.email };
  const isBehind = behind === null ? undefined : gt(staff.email, behind);
  return database.select(columns).from(staff).where(isBehind).orderBy(asc(staff.email)).limit(count);
}

/**
 * Sets the roles of a person, who may be new. Takes effect with the person's next request. Refuses with
 * `approval_required` once there are two admins, unless it only takes roles from somebody who is no admin, and with
 * `service_unavailable` when the outcome is unknown.
 */
export async function setRoles(
  database: Database,
  email: string,
  wanted: readonly StaffRole[],
  actor: Actor,
): Promise<Outcome<StaffMember>> {
  const roles = staffRoles.filter((role) => wanted.includes(role));
  const row = { email, roles: JSON.stringify(roles), changedAt: actor.now_ms };
  const refused = await commitOrRefuse(database, [
    insertAudit(database, actor, 'set_roles', email, { roles }),
    database
      .insert(staff)
      .values(row)
      .onConflictDoUpdate({ target: staff.email, set: { roles: row.roles, changedAt: row.changedAt } }),
  ]);
  return refused ?? accept(showStaffMember(row));
}
