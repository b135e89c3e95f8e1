import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';
import { type ListedPage, writeLinks } from './markdown-pages.ts';

/* What programs look for at fixed places: https://llmstxt.org, robots.txt (RFC 9309) and a feed (RFC 4287). */

/** The first page for a program that reads. Its calls are made by `test/site/for-machines.test.ts`. */
export function writeLlms(pages: {
  readonly guides: readonly ListedPage[];
  readonly reference: readonly ListedPage[];
  readonly others: readonly ListedPage[];
}): string {
  return `# Bureau

> A crypto exchange with a REST API. An order buys or sells a coin for USDT, and fills at once, whole or not at all, at
> the market's price with a spread. There is no order book, nothing waits and nothing can be cancelled.

- The API is below \`/api/v1\` of the origin that served this file. A key goes into \`Authorization: Bearer <key>\`.
- Amounts and prices are decimal strings, never JSON numbers. Times are ISO 8601 in UTC. Unknown members are refused.
- Send each POST with a new \`Idempotency-Key\`. When no answer comes, or 429, or 5xx, send the same request again with the
  same key: it takes effect once.
- A refusal is \`application/problem+json\`. Decide by its \`code\` and \`retryable\`; \`type\` leads to its page.
- Lists are newest first; \`nextCursor\` goes into the query parameter \`cursor\`.
- Real money moves unless \`npm start\` in the repository serves the exchange. It prints a key with play money.

## A first order

\`URL\` is this file's origin, \`KEY\` an API key with the scopes read and trade.

\`\`\`sh
curl -s "$URL/api/v1/account/api-key" -H "Authorization: Bearer $KEY"
curl -s "$URL/api/v1/exchange-info"
curl -s "$URL/api/v1/orders/preview" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d '{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"10"}'
curl -s "$URL/api/v1/orders" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -H "Idempotency-Key: first-order" -d '{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"10","clientOrderId":"first-order"}'
curl -s "$URL/api/v1/orders?clientOrderId=first-order" -H "Authorization: Bearer $KEY"
\`\`\`

They answer with the key's scopes and limits, the markets with their bounds, what would fill now, the order, and the order
again. \`limitPrice\` in the order's body is the worst price to accept.

## Guides

${writeLinks(pages.guides)}

## Reference

- [OpenAPI](/api/v1/openapi.json): the whole interface, 3.1
${writeLinks(pages.reference)}

## Optional

${writeLinks(pages.others)}
`;
}

/** Answers of the API are nothing to index. */
export const robots = `User-agent: *
Disallow: /api/
Disallow: /operator/
Allow: /api/v1/openapi.json
`;

/** A released version: its heading is \`## 0.2.0 - 2026-11-22\`. */
export interface Release {
  readonly version: string;
  readonly day: string;
  readonly html: string;
}

const RELEASE = /^(\S+) - (\d{4}-\d{2}-\d{2})$/;

/** The releases of a changelog by its parts, of which each begins with a heading of the second level. */
export function readRelease(heading: string, html: string): Release | undefined {
  const [, version, day] = RELEASE.exec(heading) ?? [];
  return version === undefined || day === undefined ? undefined : { version, day, html };
}

function nameEntry(name: string): string {
  const digest = createHash('sha256').update(`bureau changelog ${name}`).digest('hex');
  return `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

const timeOf = (day: string) => `${day}T00:00:00Z`;

/** The feed of the releases, newest first. Its addresses are relative to its own, because a build knows no origin. */
export function writeFeed(releases: readonly Release[], path: string): string {
  const entries = releases.map(
    ({ version, day, html }) => `<entry>
<id>${nameEntry(version)}</id>
<title>${escapeHtml(version)}</title>
<updated>${timeOf(day)}</updated>
<link href="${path}"/>
<content type="html">${escapeHtml(html)}</content>
</entry>
`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${nameEntry('feed')}</id>
<title>Bureau: changes</title>
<author><name>Bureau</name></author>
<updated>${timeOf(releases[0]?.day ?? '1970-01-01')}</updated>
<link rel="self" href="${path}.atom"/>
<link href="${path}"/>
${entries.join('')}</feed>
`;
}
