import { applyD1Migrations } from 'cloudflare:test';
import { env } from './test-env.ts';

await applyD1Migrations(env.DB, env.MIGRATIONS);
