import { writeSchema } from './site/write-schema.ts';
import { writeSite } from './site/write-site.ts';

/**
 * `npm run build:site`: makes the documentation that the Worker serves, and the schema that the sandbox brings. wrangler
 * runs it before it serves or deploys.
 */
writeSite();
writeSchema();
