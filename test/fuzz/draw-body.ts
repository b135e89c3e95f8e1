import { gzipSync } from 'node:zlib';
import type { Draw } from '../support/draw.ts';
import { type RequestSchema, type Source, drawValid } from './draw-valid.ts';
import { drawHostileValue, hostileNames, hostileTexts, writeJson } from './hostile-values.ts';

const BODY_LIMIT = 16 * 1024;

/** A body for an operation: one that its schema allows, one a few steps from it, or bytes that are no JSON at all. */
export function drawBody(schema: RequestSchema | undefined, source: Source): Buffer {
  const { draw } = source;
  const kind = draw.weigh({ valid: schema ? 8 : 0, mutated: schema ? 4 : 0, value: 0.6, bytes: 1, sized: 0.5 });
  switch (kind) {
    case 'valid':
      return toBytes(drawValid(schema ?? {}, 'body', source));
    case 'mutated':
      return toBytes(mutate(drawValid(schema ?? {}, 'body', source), draw));
    case 'value':
      return toBytes(drawHostileValue(draw));
    case 'bytes':
      return spoil(toBytes(schema ? drawValid(schema, 'body', source) : { a: 1 }), draw);
    case 'sized':
      return padTo(toBytes(schema ? drawValid(schema, 'body', source) : {}), drawSize(draw), draw);
  }
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
  switch (draw.weigh({ replace: 6, remove: 1, add: 2, wrap: 1, retype: 1 })) {
    case 'replace':
      return { ...value, [name]: mutateOnce(member, draw) };
    case 'remove':
      return Object.fromEntries(entries.filter(([one]) => one !== name));
    case 'add':
      return Object.fromEntries([...entries, [draw.pick(hostileNames), drawHostileValue(draw)]]);
    case 'wrap':
      return { ...value, [name]: draw.pick([[member], { [name]: member }, { value: member }]) };
    case 'retype':
      return { ...value, [name]: typeof member === 'string' ? Number(member) || true : writeJson(member) };
  }
}

function spoil(body: Buffer, draw: Draw): Buffer {
  const middle = draw.between(0, body.length);
  const insert = (...bytes: number[]) =>
    Buffer.concat([body.subarray(0, middle), Buffer.from(bytes), body.subarray(middle)]);
  switch (
    draw.weigh({
      empty: 1,
      cut: 1,
      tail: 1,
      nul: 1,
      invalid: 2,
      bom: 1,
      utf16: 1,
      gzip: 1,
      text: 2,
      twice: 1,
      noise: 1,
    })
  ) {
    case 'empty':
      return Buffer.alloc(0);
    case 'cut':
      return body.subarray(0, middle);
    case 'tail':
      return Buffer.concat([body, Buffer.from('}garbage')]);
    case 'nul':
      return insert(0);
    case 'invalid':
      return insert(...draw.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3]]));
    case 'bom':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
    case 'utf16':
      return Buffer.from(body.toString(), 'utf16le');
    case 'gzip':
      return gzipSync(body);
    case 'text':
      return Buffer.from(draw.pick(hostileTexts));
    case 'twice':
      // Every property twice, the second time with another value.
      return Buffer.from(
        body
          .toString()
          .replace(
            /^\{(.+)\}$/su,
            (_, inner: string) => `{${inner},${inner.replaceAll(/"[^"]*"(?=[,}]|$)/gu, '"9"')}}`,
          ),
      );
    case 'noise':
      return Buffer.from(Array.from({ length: draw.between(1, 200) }, () => draw.between(0, 255)));
  }
}

function drawSize(draw: Draw): number {
  return draw.pick([BODY_LIMIT - 1, BODY_LIMIT, BODY_LIMIT + 1, 20_000, 300_000]);
}

/** The same JSON, padded with white space to an exact number of bytes. */
function padTo(body: Buffer, size: number, draw: Draw): Buffer {
  const padding = Buffer.alloc(Math.max(0, size - body.length), draw.pick([' ', '\n', '\t']));
  return draw.happens(0.5) ? Buffer.concat([body, padding]) : Buffer.concat([padding, body]);
}
