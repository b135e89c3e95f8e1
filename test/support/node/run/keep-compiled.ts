import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

/**
 * Has Node keep what it has compiled, in this process, its threads and the processes that it starts: wrangler and the
 * plugin of the runtime are megabytes of JavaScript, which need not be compiled at every start.
 */
export function keepCompiled(): void {
  const folder = resolve('node_modules/.cache/compile');
  enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] ??= folder;
}
