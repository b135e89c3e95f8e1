import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { composeSchema } from '../../scripts/schema/compose-schema.ts';

describe('docs/schema.sql', () => {
  it('shows the database after all migrations; after a new migration, run "npm run schema"', () => {
    expect(readFileSync('docs/schema.sql', 'utf8')).toBe(composeSchema('migrations'));
  });
});
