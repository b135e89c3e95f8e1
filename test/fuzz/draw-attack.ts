import { Draw } from '../support/draw.ts';
import { mixBits } from '../../src/markets/sandbox-random.ts';
import { drawBody } from './draw-body.ts';
import {
  type HeaderLine,
  contentTypes,
  drawHostileHeader,
  drawHostileQuery,
  drawParameter,
  encodeText,
  hostileMethods,
  spoilAuthorization,
  spoilPath,
  toVisible,
} from './draw-head.ts';
import { type Source, drawValid } from './draw-valid.ts';
import { hostileTexts } from './hostile-values.ts';
import type { OperationSchema, World } from './world.ts';
import { type Composed, type Written, breakRequest, writeRequest } from './write-request.ts';

/** The credentials of an attack. Only the last three can move money. */
export type Caller = 'nobody' | 'forger' | 'poor' | 'reader' | 'shut' | 'auditor' | 'rich' | 'depositor' | 'operator';

const SPREAD = 0x5bd1e995;

export interface Stretch {
  readonly name: string;
  readonly requests: number;
  readonly callers: Readonly<Partial<Record<Caller, number>>>;
  /** The share of operations of the clients' interface; the rest are the operator's. */
  readonly clientShare: number;
}

/** One request of the run. */
export interface Attack extends Written {
  readonly index: number;
  readonly operationId: string;
  readonly caller: Caller;
  /** The operations of the documents. */
  readonly sent: { readonly method: string; readonly path: string; readonly body: string | undefined };
}

/** The attack with an index. Seed, index and stretch decide everything except ids that the exchange has made. */
export function drawAttack(seed: number, index: number, stretch: Stretch, world: World): Attack {
  // The seed is hashed first. Otherwise two small seeds would give the same requests in another order.
  const draw = new Draw(mixBits(mixBits(SPREAD, seed), index));
  const source: Source = { draw, schemas: world.schemas, pools: world.pools };
  const isClient = draw.happens(stretch.clientShare);
  const operation = pickOperation(isClient ? world.clientOperations : world.operatorOperations, draw);
  const caller = draw.weigh(stretch.callers as Record<Caller, number>);
  const method = draw.happens(0.06) ? draw.pick(hostileMethods) : operation.method;
  const hasBody = operation.body !== undefined ? draw.happens(0.97) : draw.happens(0.05);
  const composed: Composed = {
    method,
    target: drawTarget(operation, source),
    headers: drawHeaders(operation, caller, source, world, `${seed}-${index}`),
    body: hasBody ? drawBody(operation.body, source) : undefined,
  };
  const written = draw.happens(0.05) ? breakRequest(composed, draw) : writeRequest(composed, draw);
  const body = composed.body && new TextDecoder().decode(composed.body);
  const isWellFormed = written.isWellFormed && isUri(composed.target);
  return {
    ...written,
    isWellFormed,
    index,
    operationId: operation.id,
    caller,
    sent: { method, path: composed.target, body },
  };
}

/** The characters of RFC 3986. A request line with any other never reaches the Worker. */
function isUri(target: string): boolean {
  return /^\/(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9a-fA-F]{2})*$/.test(target);
}

/** Operations with a body are drawn more often, since more can be wrong in them. */
function pickOperation(operations: readonly OperationSchema[], draw: Draw): OperationSchema {
  const withBody = operations.filter(({ body }) => body !== undefined);
  return draw.pick(draw.happens(0.5) ? withBody : operations);
}

function drawTarget({ path, parameters }: OperationSchema, source: Source): string {
  const { draw } = source;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (draw.happens(0.12)) return drawParameter(draw) || 'x';
    const schema = parameters.find((one) => one.name === name)?.schema ?? {};
    // An id names something of its own subject: `id` of an order is not `id` of an account.
    return encodeText(String(drawValid(schema, poolOf(path, name), source))) || 'x';
  });
  const target = draw.happens(0.06) ? spoilPath(filled, draw) : filled;
  if (draw.happens(0.08)) return target + drawHostileQuery(draw);
  const pairs = parameters
    .filter((one) => one.in === 'query' && (one.required === true || draw.happens(0.5)))
    .map(({ name = '', schema }) => {
      const value = draw.happens(0.15)
        ? drawParameter(draw)
        : encodeText(String(drawValid(schema ?? {}, name, source)));
      return `${name}=${value}`;
    });
  return pairs.length > 0 ? `${target}?${pairs.join('&')}` : target;
}

function poolOf(path: string, name: string): string {
  if (name !== 'id') return name;
  if (path.startsWith('/operator/v1/accounts/')) return 'accountId';
  return path.includes('/orders/') ? 'orderId' : 'withdrawalId';
}

function drawHeaders(
  operation: OperationSchema,
  caller: Caller,
  source: Source,
  world: World,
  idempotencyKey: string,
): HeaderLine[] {
  const { draw } = source;
  const headers: HeaderLine[] = [['Host', world.host]];
  const authorization = drawAuthorization(caller, world, draw);
  if (authorization !== undefined) headers.push(['Authorization', authorization]);
  if (draw.happens(0.01)) headers.push(['Authorization', spoilAuthorization(world.tokens.rich, draw)]);
  if (operation.body || draw.happens(0.1)) {
    headers.push(['Content-Type', draw.happens(0.93) ? 'application/json' : draw.pick(contentTypes)]);
  }
  if (operation.method === 'POST' && draw.happens(0.6)) {
    headers.push(['Idempotency-Key', drawIdempotencyKey(idempotencyKey, draw)]);
  }
  const hostile = draw.happens(0.25) ? draw.pick([1, 1, 2, 3, 20]) : 0;
  for (let count = 0; count < hostile; count += 1) headers.push(drawHostileHeader(draw));
  // Another account's key in a place that may be logged or stored.
  if (draw.happens(0.02))
    headers.push([draw.pick(['Cookie', 'User-Agent', 'X-Api-Key', 'Referer']), world.tokens.rich]);
  return headers;
}

function drawAuthorization(caller: Caller, { tokens }: World, draw: Draw): string | undefined {
  if (caller === 'nobody') return undefined;
  if (caller === 'forger') return spoilAuthorization(draw.pick(Object.values(tokens)), draw);
  const shut = [tokens.expired, tokens.revoked, tokens.elsewhere, tokens.frozen];
  return `Bearer ${caller === 'shut' ? draw.pick(shut) : tokens[caller]}`;
}

/** Usually a new key; otherwise one of a few that are used repeatedly, or one that is not allowed. */
function drawIdempotencyKey(own: string, draw: Draw): string {
  return draw.act({
    own: [6, () => own],
    shared: [2, () => draw.pick(['shared-1', 'shared-2', '"shared-3"'])],
    hostile: [2, () => toVisible(draw.pick([...hostileTexts, 'k'.repeat(255), 'k'.repeat(256), '"', '""']))],
  });
}
