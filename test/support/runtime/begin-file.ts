import { applyD1Migrations, reset } from 'cloudflare:test';
import { vi } from 'vitest';
import { emptyEdgeCache } from './edge-cache.ts';
import { env } from './test-env.ts';

// Another file may have run in this runtime before. Nothing is left of it in the clock, a spy, an object, the database
// or the edge cache.
vi.useRealTimers();
vi.restoreAllMocks();
await reset();
await emptyEdgeCache();
for (const ledger of [env.DB, env['DB_1'], env['DB_2']]) {
  if (ledger) await applyD1Migrations(ledger, env.MIGRATIONS);
}
