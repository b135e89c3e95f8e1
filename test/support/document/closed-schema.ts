import type { Schema as ValidatorSchema } from '@cfworker/json-schema';
import type { Schema, Schemas } from '../../../scripts/openapi/flatten-schema.ts';

type Close = (schema: Schema) => object;

/**
 * A self-contained schema that allows no field that it does not name, at any depth. Documents leave their schemas open
 * for clients, but the exchange's own responses must have no other fields. `components` are what a `$ref` may name.
 */
export function closeSchema(schema: Schema, components: Schemas): ValidatorSchema {
  // An empty schema allows anything, so there is nothing to close.
  const close: Close = (part) =>
    Object.keys(part).length === 0 ? part : { ...translate(part, close), unevaluatedProperties: false };
  return { ...close(schema), $defs: mapValues(pickNamed(schema, components), (part) => translate(part, close)) };
}

/** The same schema, self-contained but still open. */
export function standAlone(schema: Schema, components: Schemas): ValidatorSchema {
  const keep: Close = (part) => translate(part, keep);
  return { ...keep(schema), $defs: mapValues(pickNamed(schema, components), keep) };
}

/** The components that a schema names, at any depth. A validator of all of them takes long to make. */
function pickNamed(schema: Schema, components: Schemas): Schemas {
  const picked: Record<string, Schema> = {};
  const pick = (part: Schema) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const component = components[name];
      if (component === undefined || name in picked) continue;
      picked[name] = component;
      pick(component);
    }
  };
  pick(schema);
  return picked;
}

/**
 * The members of a composition describe the same object, so the composition as a whole is closed and not each member.
 */
function translate({ example: _example, ...schema }: Schema, close: Close): Schema {
  const { $ref, properties, additionalProperties, items } = schema;
  const compositions = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) => {
    const members = schema[name];
    return members ? [[name, members.map((member) => translate(member, close))] as const] : [];
  });
  return {
    ...schema,
    ...($ref !== undefined && { $ref: $ref.replace('#/components/schemas/', '#/$defs/') }),
    ...(properties && { properties: mapValues(properties, close) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: close(additionalProperties) }),
    ...(items && { items: close(items) }),
    ...Object.fromEntries(compositions),
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
