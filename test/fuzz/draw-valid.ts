import fc from 'fast-check';
import type { Schema, Schemas } from '../../scripts/openapi/flatten-schema.ts';
import type { Draw } from '../support/draw.ts';
import { drawUnicode } from './hostile-values.ts';

/** Values that a schema alone does not give, such as ids of existing records, by the name of the field. */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

/** What a value is drawn from. */
export interface Source {
  readonly draw: Draw;
  readonly schemas: Schemas;
  readonly pools: Pools;
}

/** How often a field with known values gets one of them. */
const POOL_SHARE = 0.8;
const LONGEST_TEXT = 300;
const MOST_ITEMS = 12;

/**
 * A value that a schema allows. Half of them are unusual: at the schema's bounds, or ids of existing records, so that a
 * request passes the schema and reaches the code behind it.
 */
export function drawValid(schema: Schema, name: string, source: Source): unknown {
  const { draw, pools, schemas } = source;
  const pool = pools[name];
  if (pool && pool.length > 0 && draw.happens(POOL_SHARE)) return draw.pick(pool);
  if (schema.$ref !== undefined) return drawValid(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name, source);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return drawValid(draw.pick(variants), name, source);
  if (schema.enum) return draw.pick(schema.enum);
  const type = typeof schema.type === 'string' ? schema.type : draw.pick(schema.type ?? ['string']);
  if (type === 'null') return null;
  if (type === 'boolean') return draw.happens(0.5);
  if (type === 'integer' || type === 'number') return drawNumber(schema, draw);
  if (type === 'array') return drawList(schema, name, source);
  return type === 'object' ? drawObject(schema, source) : drawText(schema, draw);
}

function drawNumber({ minimum = 0, maximum = 1_000_000 }: Schema, draw: Draw): number {
  return draw.pick([minimum, maximum, Math.min(minimum + 1, maximum), draw.between(minimum, maximum)]);
}

function drawList({ items = {}, minItems = 0, maxItems = MOST_ITEMS }: Schema, name: string, source: Source) {
  const most = Math.min(maxItems, MOST_ITEMS);
  const length = source.draw.pick([minItems, minItems + 1, source.draw.between(minItems, most)]);
  return Array.from({ length: Math.min(length, maxItems) }, () => drawValid(items, `${name}[]`, source));
}

function drawObject(schema: Schema, source: Source): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties).filter((name) => required.includes(name) || source.draw.happens(0.5));
  return Object.fromEntries(names.map((name) => [name, drawValid(properties[name] ?? {}, name, source)]));
}

function drawText(schema: Schema, draw: Draw): string {
  if (schema.pattern !== undefined) return drawMatching(schema.pattern, draw);
  if (schema.format === 'date-time') return new Date(draw.between(0, 4_102_444_800) * 1_000).toISOString();
  const { minLength = 0, maxLength = LONGEST_TEXT } = schema;
  const longest = Math.min(maxLength, LONGEST_TEXT);
  const length = draw.pick([Math.max(minLength, 1), longest, draw.between(minLength, longest)]);
  return draw.happens(0.3)
    ? drawUnicode(draw, length)
    : Array.from({ length }, () => String.fromCharCode(draw.between(0x20, 0x7e))).join('');
}

const matching = new Map<string, fc.Arbitrary<string>>();

function drawMatching(pattern: string, draw: Draw): string {
  const known = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, known);
  const [text = ''] = fc.sample(known, { seed: draw.between(0, 0x7fffffff), numRuns: 1 });
  return text;
}
