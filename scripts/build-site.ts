import { writeSite } from './site/write-site.ts';

/**
 * `npm run build:site`: makes the documentation that the Worker serves. wrangler runs it before it serves or deploys.
 */
writeSite();
