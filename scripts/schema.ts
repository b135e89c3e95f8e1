// Writes docs/schema.sql: the whole database as the migrations leave it.
import { writeFileSync } from 'node:fs';
import { composeSchema } from './schema/compose-schema.ts';

writeFileSync('docs/schema.sql', composeSchema('migrations'));
