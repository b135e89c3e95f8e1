import { every } from 'hono/combine';
import {
  type BodyOf,
  type BodyParts,
  type Handled,
  type Operation,
  type OperationKind,
  type RequestParts,
  addOperation,
  type Area,
  takeJson,
  type AppEnvironment,
} from '../http/area.ts';
import type { Scope } from '../keys/rights.ts';
import { type KeyEnvironment, authenticate } from './authenticate.ts';
import { anyKeyRefusals, readRefusals } from './admit.ts';
import { admitPublicCall } from './admit-public-call.ts';

/** What operations that need a key of a scope have in common; `null` accepts any key. */
export function keyKind(tag: string, scope: Scope | null, hasBody: boolean): OperationKind {
  return {
    tags: [tag],
    security: [{ apiKey: scope === null ? [] : [scope] }],
    middleware: hasBody ? every(authenticate(scope), takeJson) : authenticate(scope),
    before: scope === null ? ['invalid_request', ...anyKeyRefusals] : readRefusals,
  };
}

/** What adds operations that need a key to an area, under a tag of the document. */
export function keyOperationsOf(area: Area, tag: string) {
  return <Given extends BodyOf<Body>, const Parts extends RequestParts = object, Body extends BodyParts = BodyParts>({
    scope,
    ...operation
  }: Operation<Parts, Body> & Handled<Parts, Body, Given, KeyEnvironment> & { readonly scope: Scope | null }): void => {
    addOperation(area, keyKind(tag, scope, operation.request?.body !== undefined), operation as never);
  };
}

/** What adds public operations to an area. */
export function publicOperationsOf(area: Area, tag: string) {
  return <Given extends BodyOf<Body>, const Parts extends RequestParts = object, Body extends BodyParts = BodyParts>(
    operation: Operation<Parts, Body> & Handled<Parts, Body, Given, AppEnvironment>,
  ): void => {
    addOperation(area, { tags: [tag], middleware: admitPublicCall, before: anyKeyRefusals }, operation);
  };
}
