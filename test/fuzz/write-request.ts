import type { Draw } from '../support/draw.ts';
import type { HeaderLine } from './draw-head.ts';
import type { RawRequest } from './raw-client.ts';

/** A request before it is written. */
export interface Composed {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | undefined;
}

/** A written request, and whether HTTP itself may end it before the Worker sees it. */
export interface Written {
  readonly raw: RawRequest;
  readonly isWellFormed: boolean;
}

const head = (first: string, headers: readonly HeaderLine[]) =>
  Buffer.from(`${first}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1');

/** Writes a request in correct HTTP/1.1, with a Content-Length or in chunks. */
export function writeRequest(composed: Composed, draw: Draw): Written {
  const { method, target, headers, body } = composed;
  const first = `${method} ${target} HTTP/1.1`;
  const isHead = method === 'HEAD';
  if (body === undefined) {
    return { raw: { parts: [head(first, headers)], halfCloses: false, isHead }, isWellFormed: true };
  }
  const isChunked = draw.happens(0.2);
  const framing: HeaderLine = isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)];
  const sent = isChunked ? cutIntoChunks(body, draw) : [body];
  const parts = [head(first, [...headers, framing]), ...sent];
  return { raw: { parts, halfCloses: false, isHead }, isWellFormed: true };
}

function cutIntoChunks(body: Buffer, draw: Draw): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length;) {
    const size = draw.pick([1, 7, 100, 4_096, body.length]);
    const piece = body.subarray(start, start + size);
    parts.push(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
    start += piece.length;
    // A large body is written in few chunks, because a thousand would take too long.
    if (parts.length > 50) {
      const rest = body.subarray(start);
      if (rest.length > 0)
        parts.push(Buffer.from(`${rest.length.toString(16)}\r\n${rest.toString('latin1')}\r\n`, 'latin1'));
      break;
    }
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}

/** Writes a request that violates HTTP. The client closes its side, so that neither side waits for more. */
export function breakRequest(composed: Composed, draw: Draw): Written {
  const { method, headers } = composed;
  const body = composed.body ?? Buffer.from('{"a":1}');
  const target = composed.target;
  const first = `${method} ${target} HTTP/1.1`;
  const length = (bytes: number): HeaderLine => ['Content-Length', String(bytes)];
  const chunked: HeaderLine = ['Transfer-Encoding', 'chunked'];
  const write = (...parts: (Buffer | string)[]): Written => ({
    raw: {
      parts: parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
      halfCloses: true,
      isHead: method === 'HEAD',
    },
    isWellFormed: false,
  });
  const withHead = (more: readonly HeaderLine[], ...parts: (Buffer | string)[]) =>
    write(head(first, [...headers, ...more]), ...parts);
  const withFirst = (line: string) => write(head(line, headers));
  const withoutHost = headers.filter(([name]) => name !== 'Host');
  const lengths = ['-1', '1e3', '0x10', ' 5', '99999999999999999999', ''];
  const codings = ['chunked, identity', 'gzip, chunked', 'xchunked', 'CHUNKED'];
  const hosts = ['', ' ', 'a b', '[::1', 'x:99999', '%00', '<script>', 'ü'];
  const methods = ['', 'FOO', 'G\0T', 'GET,POST', 'A'.repeat(5_000)];
  const targets = [
    '*',
    'x',
    '',
    'http://evil.example/api/v1/orders',
    '//evil.example/api/v1/time',
    `/${'a'.repeat(70_000)}`,
    '/api/v1/\x01\x7f',
    '/api/v1/\xff\xfe',
    '?',
    '#x',
  ];
  const upgrade = (): HeaderLine[] => [
    ['Connection', 'Upgrade'],
    ['Upgrade', draw.pick(['websocket', 'h2c'])],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ];
  const attacks: readonly (() => Written)[] = [
    () => withHead([length(body.length + 50)], body),
    () => withHead([length(Math.max(0, body.length - 3))], body),
    () => withHead([length(body.length), length(3)], body),
    () => withHead([length(body.length), chunked], '0\r\n\r\n', body),
    () => withHead([['Content-Length', draw.pick(lengths)]], body),
    () => withHead([['Transfer-Encoding', draw.pick(codings)]], '0\r\n\r\n'),
    () => withHead([chunked], 'zz\r\nabc\r\n0\r\n\r\n'),
    () => withHead([chunked], '5;ext=1\r\n{"a":\r\n2\r\n1}\r\n0\r\nX-Trailer: 1\r\n\r\n'),
    () => withHead([chunked], 'ffffffffffffffff\r\n', body),
    () => withHead([chunked], '5\r\n{"a'),
    () => withHead([], body),
    () => write(head(`${method} ${target} HTTP/1.0`, [...headers, length(body.length)]), body),
    () => write(`${method} ${target}\r\n\r\n`),
    () => withFirst(`${method} ${target} HTTP/2.0`),
    () => withFirst(`${method} ${target} HTTP/9.9`),
    () => withFirst(`${method.toLowerCase()} ${target} HTTP/1.1`),
    () => withFirst(`${draw.pick(methods)} ${target} HTTP/1.1`),
    () => withFirst(`${method}  ${target}  HTTP/1.1`),
    () => withFirst(`${method} ${draw.pick(targets)} HTTP/1.1`),
    () => write(head(first, withoutHost)),
    () => withHead([['Host', 'evil.example']]),
    () => write(head(first, [['Host', draw.pick(hosts)], ...withoutHost])),
    () =>
      withHead([
        ['X-Nul', 'a\0b'],
        ['X-Bad name', '1'],
      ]),
    () => withHead([['X-Folded', 'a\r\n b']]),
    () => write(`${first}\nHost: x\n\n`),
    () => write(`${first}\r\nno colon here\r\n: no name\r\n\r\n`),
    () => withHead([['X-Huge', 'a'.repeat(draw.pick([9_000, 20_000, 140_000]))]]),
    () => withHead(Array.from({ length: 400 }, (_, index): HeaderLine => [`X-${index}`, '1'])),
    () => withHead([['Expect', draw.pick(['100-continue', '200-ok'])], length(body.length)], body),
    () => withHead(upgrade()),
    () => write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    () => write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])),
    () => write('\r\n\r\n'),
    () => write(''),
    () => withHead([length(body.length)], body, head(first, headers), body),
  ];
  return draw.pick(attacks)();
}
