export const SITE_FOLDER = 'dist/site';
