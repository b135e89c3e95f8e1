/** A parameter as zod's generator writes it, one that its route describes itself, or a reference to one. */
interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly example?: unknown;
  readonly schema?: { readonly example?: unknown; readonly default?: unknown };
}

/** Headers of a request that many operations take. */
export const parameterComponents = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'The client’s own id of the request, returned in the response; an invalid one is replaced',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
    example: 'my-bot/7:42',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of an earlier answer; 304 if nothing has changed',
    schema: { type: 'string' },
    example: '"q3Z0Hc9n"',
  },
} as const;

const refer = (name: keyof typeof parameterComponents) => ({ $ref: `#/components/parameters/${name}` });

/**
 * The parameters of an operation: those of its schemas, each with the example of its schema, and the headers that all
 * operations of its kind take.
 */
export function parametersOf(drawn: readonly object[], statuses: readonly string[]) {
  return [
    ...drawn.map(showParameter),
    ...(statuses.includes('304') ? [refer('If-None-Match')] : []),
    refer('X-Request-Id'),
  ];
}

function showParameter(drawn: object): object {
  const { name, schema, ...parameter } = drawn as Parameter;
  if (name === undefined || schema === undefined || parameter.example !== undefined) return drawn;
  const { example = schema.default, ...bare } = schema;
  if (example === undefined) throw new Error(`the parameter ${name} has no example`);
  return { name, ...parameter, schema: bare, example };
}
