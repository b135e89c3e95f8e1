import type { Draw } from '../support/draw.ts';

/** A JSON token that `JSON.stringify` would never write: see `writeJson`. */
export class RawToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  '-1',
  '+1',
  '.5',
  '5.',
  '1,0',
  '1e3',
  '1e-400',
  '1E+308',
  '0x10',
  '0b1',
  '1_000',
  '１２',
  '٣',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999.999999999999999999',
  '0.000000000000000001',
  `0.${'0'.repeat(200)}1`,
  '1'.repeat(400),
  "' OR '1'='1",
  "'; DROP TABLE balances; --",
  '" OR 1=1 --',
  "x') UNION SELECT secret FROM totp --",
  '%27%20OR%201=1',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '..%2f..%2fadmin',
  'http://169.254.169.254/latest/meta-data',
  'javascript:alert(1)',
  '%00',
  '%',
  '%zz',
  '%E0%80%80',
  '\r\nX-Injected: yes',
  '\u202Eabc',
  '\u200B',
  '\uFEFF',
  '\uFFFE',
  '\uD800',
  '\uDC00\uD800',
  '😀'.repeat(20),
  'ß'.repeat(64),
  'e\u0301'.repeat(40),
  'İ',
  'ﬀ',
  'K',
  'A'.repeat(5_000),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '[object Object]',
  'true',
  '0',
  '00',
  '01',
  '1970-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '0000-00-00T00:00:00Z',
  '2026-02-30T25:61:61Z',
  '2026-11-21T12:00:00+99:99',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '::ffff:192.0.2.1/0',
  '0.0.0.0/0',
  '192.0.2.1/33',
];

/** Numbers that JSON libraries read differently, as text. */
const numbers = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1e0',
  '1e999',
  '-1e999',
  '1e-999',
  '9007199254740993',
  '9223372036854775808',
  '18446744073709551616',
  '1'.repeat(400),
  '0.1e1',
  'NaN',
  'Infinity',
  '01',
  '0x1F',
  '1n',
];

export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'then',
  'length',
  '',
  '\0',
  '$where',
  'a.b',
  'x'.repeat(2_000),
] as const;

/** Any value, as a leaf or a small tree of JSON. */
export function drawHostileValue(draw: Draw): unknown {
  return draw.act<unknown>({
    text: [6, () => draw.pick(hostileTexts)],
    number: [4, () => new RawToken(draw.pick(numbers))],
    literal: [3, () => draw.pick([null, true, false])],
    list: [2, () => Array.from({ length: draw.pick([0, 1, 3, 500]) }, () => draw.pick(hostileTexts.slice(0, 20)))],
    object: [
      3,
      () =>
        Object.fromEntries([
          [draw.pick(hostileNames), draw.pick(hostileTexts)],
          ['__proto__x', 1],
        ]),
    ],
    deep: [0.4, () => nest(draw.pick([20, 500, 3_000]), draw.happens(0.5))],
    long: [0.5, () => 'x'.repeat(draw.pick([129, 1_000, 15_000, 20_000]))],
    unicode: [2, () => drawUnicode(draw, draw.between(1, 40))],
  });
}

/** Text of random code units, lone surrogates among them. */
export function drawUnicode(draw: Draw, length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => draw.between(0, 0xffff)));
}

function nest(depth: number, isObject: boolean): RawToken {
  return isObject
    ? new RawToken(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    : new RawToken(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

/** Writes a tree as JSON, with raw tokens unchanged. A property named `__proto__` is written like any other. */
export function writeJson(value: unknown): string {
  if (value instanceof RawToken) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`)
    .join(',')}}`;
}
