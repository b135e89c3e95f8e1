import type { Schema, Schemas } from './flatten-schema.ts';

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
}

export type Content = Readonly<Record<string, Media>>;

export interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema?: Schema;
}

export interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

export type Requirement = Readonly<Record<string, readonly string[]>>;

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Requirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, Response>>;
}

/** An OpenAPI document, as far as programs here read it. */
export interface Document {
  readonly info?: { readonly version: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components?: {
    readonly schemas?: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Header>>;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

/** The component that a reference names, or the value itself when it is no reference. */
export function resolve<T extends { readonly $ref?: string }>(
  thing: T,
  components: Readonly<Record<string, T>> = {},
): T {
  return thing.$ref === undefined ? thing : (components[thing.$ref.split('/').at(-1) ?? ''] ?? thing);
}

export const listParameters = ({ parameters = [] }: Operation, { components }: Document): Parameter[] =>
  parameters.map((parameter) => resolve(parameter, components?.parameters));

export function listOperations({ paths = {} }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation ? [{ path, method, operation }] : [])),
  );
}
