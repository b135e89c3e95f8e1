import { every } from 'hono/combine';
import { type OperationKind, createAreaOf, takeJsonUpTo } from '../http/area.ts';
import type { Scope } from '../keys/rights.ts';
import { type KeyEnvironment, authenticate } from './authenticate.ts';
import { anyKeyRefusals, readRefusals } from './admit.ts';
import { admitPublicCall } from './admit-public-call.ts';

/** What operations that need a key of a scope have in common; `null` accepts any key. */
export function keyKind(tag: string, scope: Scope | null, hasBody: boolean): OperationKind {
  return {
    tags: [tag],
    security: [{ apiKey: scope === null ? [] : [scope] }],
    middleware: hasBody ? every(authenticate(scope), takeJsonUpTo()) : authenticate(scope),
    before: scope === null ? ['invalid_request', ...anyKeyRefusals] : readRefusals,
  };
}

/** An area of operations that need a key, under a tag of the document. */
export function createKeyArea(tag: string) {
  return createAreaOf<KeyEnvironment, { readonly scope: Scope | null }>(({ scope, request }) =>
    keyKind(tag, scope, request?.body !== undefined),
  );
}

export function createPublicArea(tag: string) {
  return createAreaOf(() => ({ tags: [tag], middleware: admitPublicCall, before: anyKeyRefusals }));
}
