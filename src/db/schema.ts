/**
 * The tables for Drizzle, by subject. The migrations define the database: they also have what Drizzle cannot express
 * (STRICT, WITHOUT ROWID, triggers, checks). A test compares the two.
 */

export * from './schema/accounts.ts';
export * from './schema/addresses.ts';
export { exactly } from './schema/columns.ts';
export * from './schema/events.ts';
export * from './schema/journal.ts';
export * from './schema/records.ts';
export * from './schema/staff.ts';
