import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { composeSchema } from '../../scripts/schema/compose-schema.ts';

describe('docs/schema.sql', () => {
  it('is the database as the migrations leave it; after a new migration, run "npm run schema"', () => {
    expect(readFileSync('docs/schema.sql', 'utf8')).toBe(composeSchema('migrations'));
  });
});
