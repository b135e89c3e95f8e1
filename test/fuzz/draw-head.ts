import type { Draw } from '../support/draw.ts';
import { drawUnicode, hostileTexts } from './hostile-values.ts';

/** A header as it is written, byte for byte. */
export type HeaderLine = readonly [string, string];

/** Percent-encodes the bytes of a text, lone surrogates included, for a path or a query. */
export function encodeText(text: string): string {
  return [...Buffer.from(text)].map((byte) => encodeByte(byte)).join('');
}

function encodeByte(byte: number): string {
  const letter = String.fromCharCode(byte);
  return /[A-Za-z0-9._~-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
}

/** Text that may be written into a request line or a header unchanged: no control character and no byte above ASCII. */
export function toVisible(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/gu, '');
}

/** A hostile value of a parameter, percent-encoded or unchanged where the request line allows it. */
export function drawParameter(draw: Draw): string {
  const text = draw.happens(0.8) ? draw.pick(hostileTexts) : drawUnicode(draw, draw.between(1, 30));
  return draw.happens(0.7) ? encodeText(text) : toVisible(text).replaceAll(/[ ?#/]/gu, '');
}

const queryNames = [
  'limit',
  'cursor',
  'interval',
  'startTime',
  'endTime',
  'status',
  'olderThanMinutes',
  '__proto__',
  '',
];

/** A query that no document describes: unknown names, repeated names, values out of all bounds. */
export function drawHostileQuery(draw: Draw): string {
  const count = draw.pick([1, 1, 2, 3, 100]);
  const pairs = Array.from({ length: count }, () => {
    const name = draw.happens(0.85) ? draw.pick(queryNames) : drawParameter(draw);
    return draw.happens(0.1) ? name : `${name}=${drawParameter(draw)}`;
  });
  return `?${pairs.join(draw.pick(['&', '&', '&&', ';']))}`;
}

export function spoilPath(path: string, draw: Draw): string {
  return draw.act({
    slash: [1, () => `${path}/`],
    double: [1, () => path.replaceAll('/', '//')],
    dots: [1, () => `${path}/../${path.split('/').at(-1) ?? ''}/./`],
    encoded: [1, () => path.replaceAll('/', '%2f').replace('%2f', '/')],
    upper: [1, () => path.toUpperCase()],
    tail: [1, () => `${path}/${drawParameter(draw)}`],
    nul: [1, () => `${path}%00`],
    long: [0.5, () => `${path}/${'a'.repeat(draw.pick([500, 3_000, 6_000]))}`],
    prefix: [1, () => draw.pick(elsewhere)],
    semi: [1, () => `${path};jsessionid=1`],
  });
}

const elsewhere = [
  '/',
  '/api',
  '/api/v2/orders',
  '/operator',
  '/operator/v1',
  '/errors/x',
  '/.env',
  '/api/v1/markets/',
  '/favicon.ico',
];

const hostileHeaderNames = [
  'X-Request-Id',
  'If-None-Match',
  'If-Match',
  'If-Modified-Since',
  'Range',
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Origin',
  'Referer',
  'Cookie',
  'User-Agent',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-HTTP-Method-Override',
  'Forwarded',
  'CF-Connecting-IP',
  'CF-Ray',
  'CF-IPCountry',
  'X-Real-IP',
  'Content-Encoding',
  'Content-Language',
  'Access-Control-Request-Method',
  'Access-Control-Request-Headers',
  'Cache-Control',
  'Pragma',
  'X-Idempotency-Replay',
  'Idempotency-Key',
  'MF-Route-Override',
] as const;

const headerValues = [
  'a'.repeat(128),
  'a'.repeat(129),
  'a'.repeat(255),
  'a'.repeat(256),
  '*',
  '"x"',
  'W/"x", "y"',
  'bytes=0-10',
  'bytes=-1,5-',
  '127.0.0.1',
  '::1',
  '::ffff:1.2.3.4%eth0',
  '999.999.999.999',
  'DELETE',
  'gzip;q=NaN',
  'null',
  'a=b; __proto__=c',
  ',',
  ';;;',
];

export function drawHostileHeader(draw: Draw): HeaderLine {
  const value = draw.happens(0.5) ? draw.pick(headerValues) : toVisible(draw.pick(hostileTexts));
  if (draw.happens(0.05)) {
    // Bytes above ASCII, which HTTP transports without a meaning.
    return [
      draw.pick(hostileHeaderNames),
      String.fromCharCode(...Array.from({ length: 20 }, () => draw.between(0x80, 0xff))),
    ];
  }
  return [draw.happens(0.95) ? draw.pick(hostileHeaderNames) : `X-${'a'.repeat(draw.between(1, 300))}`, value];
}

export const contentTypes = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;charset=utf-16',
  'application/json, text/plain',
  'application/problem+json',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/octet-stream',
  'json',
  '',
  ';',
] as const;

export const hostileMethods = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'PATCH',
  'DELETE',
  'POST',
  'GET',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'SEARCH',
] as const;

/** Ways to forge a bearer token or write it wrongly, given a valid one. */
export function spoilAuthorization(token: string, draw: Draw): string {
  const place = draw.between(0, token.length - 1);
  const versions = ['0', '2', '99', '999', '-1', '__proto__', 'constructor'];
  const schemes = ['bearer', 'BEARER', 'Basic', 'Digest', 'Bearer ', 'Token', ''];
  const shape = `bk_test_1_${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}_rtw_${'A'.repeat(43)}_${'A'.repeat(43)}`;
  return draw.act({
    flip: [3, () => `Bearer ${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`],
    cut: [1, () => `Bearer ${token.slice(0, place)}`],
    scopes: [
      2,
      () => `Bearer ${token.replace(/_(r?t?w?)_/, '_rtw_').replace('bk_test', draw.pick(['bk_live', 'bk_test']))}x`,
    ],
    version: [1, () => `Bearer ${token.replace(/^bk_test_\d+/, `bk_test_${draw.pick(versions)}`)}`],
    scheme: [2, () => `${draw.pick(schemes)} ${token}${draw.pick(['', ' ', ' x'])}`],
    long: [1, () => `Bearer ${'a'.repeat(draw.pick([1_000, 6_000]))}`],
    shape: [1, () => `Bearer ${shape}`],
    text: [2, () => toVisible(`Bearer ${draw.pick(hostileTexts)}`)],
    alg: [1, () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'],
  });
}
