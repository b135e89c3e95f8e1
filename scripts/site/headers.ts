/**
 * What a page may load: its own origin's files, and nothing else. The viewer draws its icons as data; it needs neither
 * inline scripts nor `eval`.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The headers of the site's files; the Worker's own answers have theirs. Pages are requested each time and mostly
 * answered by 304, which is the platform's default; what is in `static` has its version or a digest in its name.
 */
export const headersFile = `/*
  Content-Security-Policy: ${contentSecurityPolicy}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/docs/static/*
  Cache-Control: public, max-age=31536000, immutable
`;

/** Opening the exchange's address in a browser leads to the documentation. */
export const redirectsFile = '/ /docs 302\n';
