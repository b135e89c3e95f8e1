import { type Direction, type Versions, compareSchemas } from './compare-schemas.ts';
import {
  type Content,
  type Document,
  type Operation,
  type Parameter,
  type Requirement,
  type Response,
  listOperations,
  listParameters,
  resolve,
} from './document.ts';

/**
 * The changes of a document that break clients made for the released one, each as `<where>: <what>`; empty if the
 * document only adds. Pure.
 */
export function findBreaks(released: Document, current: Document): string[] {
  return listOperations(released).flatMap(({ path, method, operation }) => {
    const where = `${method.toUpperCase()} ${path}`;
    const after = current.paths?.[path]?.[method];
    if (!after) return [`${where}: the operation was removed`];
    return compareOperations({ released, current }, operation, after, where);
  });
}

interface Documents {
  readonly released: Document;
  readonly current: Document;
}

function versionsOf({ released, current }: Documents, direction: Direction): Versions {
  return {
    released: released.components?.schemas ?? {},
    current: current.components?.schemas ?? {},
    direction,
  };
}

function compareOperations(documents: Documents, before: Operation, after: Operation, where: string): string[] {
  return [
    ...(before.operationId === after.operationId ? [] : [`${where}: the operation id changed`]),
    ...(admits(before.security ?? [], after.security ?? []) ? [] : [`${where}: it needs another scope or key`]),
    ...compareParameters(documents, before, after, where),
    ...compareBodies(documents, before, after, where),
    ...compareResponses(documents, before, after, where),
  ];
}

const suffices = (held: Requirement, needed: Requirement) =>
  Object.entries(needed).every(
    ([scheme, scopes]) => held[scheme] !== undefined && scopes.every((scope) => held[scheme]?.includes(scope)),
  );

/** Whether every way to authenticate still works: no more schemes are required, and no more scopes of each. */
function admits(before: readonly Requirement[], after: readonly Requirement[]): boolean {
  if (before.length === 0) return after.length === 0 || after.some((way) => Object.keys(way).length === 0);
  return after.length === 0 || before.every((held) => after.some((needed) => suffices(held, needed)));
}

function compareParameters(documents: Documents, before: Operation, after: Operation, where: string): string[] {
  const [old, now] = [listParameters(before, documents.released), listParameters(after, documents.current)];
  return [
    ...old.flatMap((parameter) => {
      const next = findParameter(now, parameter);
      const at = `${where} ?${parameter.name}`;
      if (!next) return [`${at}: the parameter was removed`];
      return compareSchemas(parameter.schema ?? {}, next.schema ?? {}, versionsOf(documents, 'request'), at);
    }),
    ...now
      .filter((parameter) => parameter.required && !findParameter(old, parameter)?.required)
      .map(({ name }) => `${where} ?${name}: the parameter is required now`),
  ];
}

function findParameter(parameters: readonly Parameter[], wanted: Parameter): Parameter | undefined {
  return parameters.find((one) => one.name === wanted.name && one.in === wanted.in);
}

function compareBodies(documents: Documents, before: Operation, after: Operation, where: string): string[] {
  const [old, now] = [before.requestBody, after.requestBody];
  const at = `${where} body`;
  const isRequired = now?.required === true && old?.required !== true;
  return [
    ...(isRequired ? [`${at}: it is required now`] : []),
    ...compareContents(old?.content, now?.content, versionsOf(documents, 'request'), at),
  ];
}

function compareContents(before: Content = {}, after: Content = {}, versions: Versions, where: string): string[] {
  return Object.entries(before).flatMap(([type, { schema = {} }]) => {
    const next = after[type];
    return next
      ? compareSchemas(schema, next.schema ?? {}, versions, where)
      : [`${where}: the content type ${type} was removed`];
  });
}

function compareResponses(documents: Documents, before: Operation, after: Operation, where: string): string[] {
  return Object.entries(before.responses ?? {}).flatMap(([status, response]) => {
    const next = after.responses?.[status];
    const at = `${where} ${status}`;
    if (!next) return [`${at}: the status was removed`];
    return [
      ...compareHeaders(documents, response, next, at),
      ...compareContents(response.content, next.content, versionsOf(documents, 'response'), at),
    ];
  });
}

function compareHeaders(documents: Documents, before: Response, after: Response, where: string): string[] {
  return Object.entries(before.headers ?? {}).flatMap(([name, declared]) => {
    const old = resolve(declared, documents.released.components?.headers);
    const next = after.headers?.[name];
    if (!next) return [`${where}: the header ${name} was removed`];
    const now = resolve(next, documents.current.components?.headers);
    return [
      ...(old.required && !now.required ? [`${where}: the header ${name} may be missing now`] : []),
      ...compareSchemas(
        old.schema ?? {},
        now.schema ?? {},
        versionsOf(documents, 'response'),
        `${where} header ${name}`,
      ),
    ];
  });
}
