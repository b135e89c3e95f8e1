/**
 * The part of zod that the Worker is made of. Its own index brings the error messages of sixty languages, a quarter of
 * the bundle, which every start would read. wrangler.toml puts this file in its place.
 */
export * from './names.ts';
export * as z from './names.ts';
