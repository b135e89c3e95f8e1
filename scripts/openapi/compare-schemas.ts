import { type Schema, type Schemas, flattenSchema, typesOf, valuesOf } from './flatten-schema.ts';

/** Who reads what the schema describes: the exchange a request, the client a response. */
export type Direction = 'request' | 'response';

/** Two versions of a schema, each with the components that its document has. */
export interface Versions {
  readonly released: Schemas;
  readonly current: Schemas;
  readonly direction: Direction;
}

/**
 * How a schema's change breaks a client, each as `<where>: <what>`. In a request, whatever was accepted must still be
 * accepted. In a response, nothing may appear that could not appear before, and nothing may be missing that was always
 * there. New fields and new values of an enumeration in a response break nobody, since clients tolerate them.
 */
export function compareSchemas(released: Schema, current: Schema, versions: Versions, where: string): string[] {
  const before = flattenSchema(released, versions.released);
  const after = flattenSchema(current, versions.current);
  const say = (what: string) => `${where}: ${what}`;
  return [
    ...(versions.direction === 'request' ? narrowings(before, after) : widenings(before, after)).map(say),
    ...compareProperties(before, after, versions, where),
    ...(before.items && after.items ? compareSchemas(before.items, after.items, versions, `${where}[]`) : []),
    ...compareVariants(before, after, versions, where),
  ];
}

function areAmong(types: readonly string[], others: readonly string[]): boolean {
  return types.every((type) => others.includes(type) || (type === 'integer' && others.includes('number')));
}

const LEAST = ['minLength', 'minimum', 'minItems'] as const;
const MOST = ['maxLength', 'maximum', 'maxItems'] as const;

function narrowings(before: Schema, after: Schema): string[] {
  const [typesBefore, typesAfter] = [typesOf(before), typesOf(after)];
  const [valuesBefore, valuesAfter] = [valuesOf(before), valuesOf(after)];
  const isNarrower = typesAfter !== undefined && (!typesBefore || !areAmong(typesBefore, typesAfter));
  const lost = valuesAfter && (valuesBefore?.filter((value) => !valuesAfter.includes(value)) ?? ['any other']);
  return [
    ...(isNarrower ? ['the type was narrowed'] : []),
    ...(lost ?? []).map((value) => `the value ${String(value)} is no longer taken`),
    ...(['pattern', 'format'] as const)
      .filter((name) => after[name] !== undefined && after[name] !== before[name])
      .map((name) => `the ${name} changed`),
    ...LEAST.filter((name) => (after[name] ?? -Infinity) > (before[name] ?? -Infinity)).map((name) => `${name} rose`),
    ...MOST.filter((name) => (after[name] ?? Infinity) < (before[name] ?? Infinity)).map((name) => `${name} fell`),
    ...(before.default === undefined || before.default === after.default ? [] : ['the default changed']),
    ...(after.additionalProperties === false && before.additionalProperties !== false
      ? ['other fields are no longer taken']
      : []),
  ];
}

function widenings(before: Schema, after: Schema): string[] {
  const [typesBefore, typesAfter] = [typesOf(before), typesOf(after)];
  const isWider = typesBefore !== undefined && (!typesAfter || !areAmong(typesAfter, typesBefore));
  return [
    ...(isWider ? ['the type was widened'] : []),
    ...(['pattern', 'format'] as const)
      .filter((name) => before[name] !== undefined && after[name] !== before[name])
      .map((name) => `the ${name} changed`),
  ];
}

function compareProperties(before: Schema, after: Schema, versions: Versions, where: string): string[] {
  const [requiredBefore, requiredAfter] = [before.required ?? [], after.required ?? []];
  const [strict, lax] =
    versions.direction === 'request' ? [requiredAfter, requiredBefore] : [requiredBefore, requiredAfter];
  const what = versions.direction === 'request' ? 'is required now' : 'may be missing now';
  const fields = Object.entries(before.properties ?? {});
  const gone = new Set(fields.map(([name]) => name).filter((name) => !after.properties?.[name]));
  return [
    ...[...gone].map((name) => `${where}/${name}: the field was removed`),
    ...strict
      .filter((name) => !lax.includes(name) && !gone.has(name))
      .map((name) => `${where}/${name}: the field ${what}`),
    ...fields.flatMap(([name, schema]) => {
      const next = after.properties?.[name];
      return next ? compareSchemas(schema, next, versions, `${where}/${name}`) : [];
    }),
  ];
}

/** In a request each old alternative must remain; in a response each alternative must be an old one. */
function compareVariants(before: Schema, after: Schema, versions: Versions, where: string): string[] {
  const [variantsBefore, variantsAfter] = [variantsOf(before), variantsOf(after)];
  if (!variantsBefore && !variantsAfter) return [];
  if (!variantsBefore || !variantsAfter) return [`${where}: alternatives came or went`];
  const fits = (one: Schema, other: Schema) => compareSchemas(one, other, versions, where).length === 0;
  const isKept =
    versions.direction === 'request'
      ? variantsBefore.every((one) => variantsAfter.some((other) => fits(one, other)))
      : variantsAfter.every((other) => variantsBefore.some((one) => fits(one, other)));
  return isKept ? [] : [`${where}: an alternative changed`];
}

function variantsOf(schema: Schema): readonly Schema[] | undefined {
  return schema.oneOf ?? schema.anyOf;
}
