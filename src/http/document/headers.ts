/** A header of a response, as the document shows it. */
type DocumentedHeader = {
  readonly description: string;
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
};

const wholeNumber = { type: 'integer', minimum: 0 } as const;

/** The headers of a request that was counted in a bucket. */
const rateHeaders = {
  RateLimit: {
    description: 'What is left of both windows, and seconds until more is (IETF draft "RateLimit header fields")',
    schema: { type: 'string', pattern: String.raw`^"\w+-minute";r=\d+;t=\d+, "\w+-day";r=\d+;t=\d+$` },
    example: '"read-minute";r=119;t=60, "read-day";r=4999;t=43200',
  },
  'RateLimit-Policy': {
    description: 'The limit of each window',
    schema: { type: 'string', pattern: String.raw`^"\w+-minute";q=\d+;w=60, "\w+-day";q=\d+;w=86400$` },
    example: '"read-minute";q=120;w=60, "read-day";q=5000;w=86400',
  },
  'X-RateLimit-Limit': { description: 'Of the tighter window', schema: wholeNumber, example: 120 },
  'X-RateLimit-Remaining': { description: 'Of the tighter window', schema: wholeNumber, example: 119 },
  'X-RateLimit-Reset': {
    description: 'When the tighter window has room again, in unix seconds',
    schema: wholeNumber,
    example: 1795262460,
  },
} as const satisfies Record<string, DocumentedHeader>;

/** Rate-limit headers that are only there for a request that was counted in a bucket of a key. */
const OPTIONAL = '-Optional';

const otherHeaders = {
  'X-Request-Id': {
    description: 'The id of the request in the log; the client’s own if it sent one',
    required: true,
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
    example: '7d1c9c5e-5a0e-4c7e-9d0f-0d5a3c1b8e42',
  },
  'Retry-After': {
    description: 'Seconds after which the same request may succeed',
    required: true,
    schema: wholeNumber,
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750)',
    required: true,
    schema: { type: 'string', enum: ['Bearer', 'Bearer error="invalid_token"'] },
    example: 'Bearer',
  },
  Location: {
    description: 'Where it can be read',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: '/api/v1/orders/01a1fcca-895a-7000-b43c-11f474a4f8d5',
  },
  ETag: {
    description: 'Send it back as If-None-Match',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
    example: '"q3Z0Hc9n"',
  },
  'X-Edge-Cache': {
    description:
      'Where the answer came from: `isolate`, a copy of less than a second; `hit`, the edge cache; `miss`, made anew; `failed`, made anew because the cache failed.',
    schema: { type: 'string', enum: ['isolate', 'hit', 'miss', 'failed'] },
    example: 'hit',
  },
  'Cache-Control': {
    description: 'How long the answer may be cached: by anyone, or after a request with a key only by the client',
    required: true,
    schema: { type: 'string', pattern: String.raw`^(public|private), max-age=\d+$` },
    example: 'public, max-age=30',
  },
  'X-Idempotency-Replay': {
    description: 'Present when this is the stored answer of an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} as const satisfies Record<string, DocumentedHeader>;

export type HeaderName = keyof typeof otherHeaders;

/** Every header that a response may refer to, by the name of its component. */
export const headerComponents: Readonly<Record<string, DocumentedHeader>> = {
  ...otherHeaders,
  ...Object.fromEntries(Object.entries(rateHeaders).map(([name, header]) => [name, { ...header, required: true }])),
  ...Object.fromEntries(Object.entries(rateHeaders).map(([name, header]) => [`${name}${OPTIONAL}`, header])),
};

type Headers = Record<string, { readonly $ref: string }>;

const refer = (component: string) => ({ $ref: `#/components/headers/${component}` });

/** The headers of a response, by reference. */
export function headersOf(...names: HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, refer(name)]));
}

/** The headers of the bucket that a request was counted in; not required where not every request is counted. */
export function rateHeadersOf(isRequired: boolean): Headers {
  return Object.fromEntries(
    Object.keys(rateHeaders).map((name) => [name, refer(isRequired ? name : `${name}${OPTIONAL}`)]),
  );
}

/** The headers that a response has because of its status. */
export function headersOfStatus(status: number): Headers {
  return {
    ...headersOf('X-Request-Id'),
    ...(status === 401 && headersOf('WWW-Authenticate')),
    ...((status === 429 || status === 503) && headersOf('Retry-After')),
  };
}
