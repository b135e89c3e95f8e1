import { gzipSync } from 'node:zlib';
import type { Draw } from '../support/draw.ts';
import type { Schema } from '../../scripts/openapi/flatten-schema.ts';
import { type Source, drawValid } from './draw-valid.ts';
import { drawHostileValue, hostileNames, hostileTexts, writeJson } from './hostile-values.ts';

const BODY_LIMIT = 16 * 1024;

/** A body for an operation: one that its schema allows, one a few steps from it, or bytes that are no JSON at all. */
export function drawBody(schema: Schema | undefined, source: Source): Buffer {
  const { draw } = source;
  const valid = (other: object = {}) => (schema ? drawValid(schema, 'body', source) : other);
  return draw.act({
    valid: [schema ? 8 : 0, () => toBytes(valid())],
    mutated: [schema ? 4 : 0, () => toBytes(mutate(valid(), draw))],
    value: [0.6, () => toBytes(drawHostileValue(draw))],
    bytes: [1, () => spoil(toBytes(valid({ a: 1 })), draw)],
    sized: [0.5, () => padTo(toBytes(valid()), drawSize(draw), draw)],
  });
}

const toBytes = (value: unknown) => Buffer.from(writeJson(value));

function mutate(value: unknown, draw: Draw): unknown {
  let mutated = value;
  for (let step = draw.between(1, 3); step > 0; step -= 1) mutated = mutateOnce(mutated, draw);
  return mutated;
}

function mutateOnce(value: unknown, draw: Draw): unknown {
  if (typeof value !== 'object' || value === null) return drawHostileValue(draw);
  if (Array.isArray(value)) {
    if (value.length === 0) return [drawHostileValue(draw)];
    const place = draw.between(0, value.length - 1);
    return value.map((item: unknown, index) => (index === place ? mutateOnce(item, draw) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return drawHostileValue(draw);
  const [name, member] = draw.pick(entries);
  const set = (other: unknown) => ({ ...value, [name]: other });
  return draw.act<unknown>({
    replace: [6, () => set(mutateOnce(member, draw))],
    remove: [1, () => Object.fromEntries(entries.filter(([one]) => one !== name))],
    add: [2, () => Object.fromEntries([...entries, [draw.pick(hostileNames), drawHostileValue(draw)]])],
    wrap: [1, () => set(draw.pick([[member], { [name]: member }, { value: member }]))],
    retype: [1, () => set(typeof member === 'string' ? Number(member) || true : writeJson(member))],
  });
}

function spoil(body: Buffer, draw: Draw): Buffer {
  const middle = draw.between(0, body.length);
  const insert = (...bytes: number[]) =>
    Buffer.concat([body.subarray(0, middle), Buffer.from(bytes), body.subarray(middle)]);
  const invalid = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3]];
  // Every property twice, the second time with another value.
  const twice = (_: string, inner: string) => `{${inner},${inner.replaceAll(/"[^"]*"(?=[,}]|$)/gu, '"9"')}}`;
  return draw.act({
    empty: [1, () => Buffer.alloc(0)],
    cut: [1, () => body.subarray(0, middle)],
    tail: [1, () => Buffer.concat([body, Buffer.from('}garbage')])],
    nul: [1, () => insert(0)],
    invalid: [2, () => insert(...draw.pick(invalid))],
    bom: [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    utf16: [1, () => Buffer.from(body.toString(), 'utf16le')],
    gzip: [1, () => gzipSync(body)],
    text: [2, () => Buffer.from(draw.pick(hostileTexts))],
    twice: [1, () => Buffer.from(body.toString().replace(/^\{(.+)\}$/su, twice))],
    noise: [1, () => Buffer.from(Array.from({ length: draw.between(1, 200) }, () => draw.between(0, 255)))],
  });
}

function drawSize(draw: Draw): number {
  return draw.pick([BODY_LIMIT - 1, BODY_LIMIT, BODY_LIMIT + 1, 20_000, 300_000]);
}

/** The same JSON, padded with white space to an exact number of bytes. */
function padTo(body: Buffer, size: number, draw: Draw): Buffer {
  const padding = Buffer.alloc(Math.max(0, size - body.length), draw.pick([' ', '\n', '\t']));
  return draw.happens(0.5) ? Buffer.concat([body, padding]) : Buffer.concat([padding, body]);
}
