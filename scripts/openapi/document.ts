import type { Schema, Schemas } from './flatten-schema.ts';

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
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

/** The part of an OpenAPI document that is compared with an earlier one, and that the clients' types come from. */
export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components?: {
    readonly schemas?: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Header>>;
  };
}

export function listOperations({ paths = {} }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation ? [{ path, method, operation }] : [])),
  );
}
