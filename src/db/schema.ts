/**
 * The tables for Drizzle, by subject: their columns, which a test compares with the database. Keys, indexes, references,
 * checks and triggers are in the migrations alone.
 */

export * from './schema/accounts.ts';
export * from './schema/addresses.ts';
export { columnsOf, exactly } from './schema/columns.ts';
export * from './schema/events.ts';
export * from './schema/house.ts';
export * from './schema/journal.ts';
export * from './schema/records.ts';
export * from './schema/staff.ts';
