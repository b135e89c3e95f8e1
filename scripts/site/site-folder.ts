/** The folder of `[assets]` in wrangler.toml. */
export const SITE_FOLDER = 'dist/site';
