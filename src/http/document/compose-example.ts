/** A JSON schema, as far as an example is made of it. */
export interface ExampleSchema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly required?: readonly string[];
  readonly items?: ExampleSchema;
  readonly allOf?: readonly ExampleSchema[];
  readonly anyOf?: readonly ExampleSchema[];
  readonly oneOf?: readonly ExampleSchema[];
}

/**
 * The example of a schema: its own, else one made of its parts' examples, without the optional ones that have none.
 * `components` are the schemas that a `$ref` may name. Throws with the path of a part that has no example, since an
 * invented one could be wrong.
 */
export function composeExample(
  schema: ExampleSchema,
  components: Readonly<Record<string, ExampleSchema>>,
  way = '',
): unknown {
  const compose = (part: ExampleSchema, step: string) => composeExample(part, components, `${way}${step}`);
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const referred = components[name];
    if (!referred) throw new Error(`there is no schema ${schema.$ref}`);
    return compose(referred, ` ${name}`);
  }
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first) return compose(first, '');
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => compose(part, '')));
  if (schema.properties) {
    const parts = Object.entries(schema.properties).filter(
      ([name, part]) => schema.required?.includes(name) === true || part.example !== undefined,
    );
    return Object.fromEntries(parts.map(([name, part]) => [name, compose(part, `/${name}`)]));
  }
  if (schema.items) return [compose(schema.items, '/0')];
  const value = schema.const ?? schema.default ?? schema.enum?.[0];
  if (value !== undefined) return value;
  if (schema.type === 'boolean') return false;
  throw new Error(`no example of${way}`);
}
