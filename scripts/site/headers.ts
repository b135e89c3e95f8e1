/**
 * The sources from which a page may load: only its own origin, and neither inline scripts nor `eval`.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The headers of the site's files; the Worker sets those of its own answers. Browsers request pages each time and
 * mostly get 304, which is the platform's default. Files in `static` have their version or a digest in the name.
 */
export const headersFile = `/*
  Content-Security-Policy: ${contentSecurityPolicy}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/*.md
  Content-Type: text/markdown; charset=utf-8
/*.txt
  Content-Type: text/plain; charset=utf-8
/*.atom
  Content-Type: application/atom+xml; charset=utf-8
/docs/static/*
  Cache-Control: public, max-age=31536000, immutable
`;

/** Opening the exchange's address in a browser leads to the documentation. */
export const redirectsFile = '/ /docs 302\n';
