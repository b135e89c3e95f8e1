/**
 * The part of zod that the Worker is made of. Zod's own index includes the error messages of sixty languages, a quarter
 * of the bundle. wrangler.toml replaces it by this file.
 */
export * from './names.ts';
export * as z from './names.ts';
