import type { RouteConfig } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { sendProblem } from '../../http/area.ts';
import type { AppEnvironment } from '../../http/context.ts';
import type { ProblemCode } from '../../http/problems.ts';
import type { Outcome } from '../../http/refusal.ts';
import { moveToLedger } from '../../db/record-id.ts';
import {
  type EndpointAction,
  type EndpointOwner,
  type EndpointRow,
  type EndpointRules,
  endpointNotFound,
  readEndpoint,
} from './endpoint.ts';
import type { EndpointSchemas } from './endpoint-schemas.ts';

/** An owner of endpoints who makes a request. */
export interface AdmittedOwner extends EndpointOwner {
  /** Called after a change: tells whoever keeps a copy of it. */
  tell(action: EndpointAction): Promise<unknown>;
}

type RouteQuery = NonNullable<NonNullable<RouteConfig['request']>['query']>;

/** Where the routes of webhook endpoints are, who may use them, and whose endpoints they are about. */
export interface EndpointSurface {
  readonly path: string;
  /** What the ids of the operations end with, so that they differ between two surfaces. */
  readonly operationSuffix: string;
  /** How the descriptions name who has the endpoints: `An account`. */
  readonly ownerName: string;
  readonly security: NonNullable<RouteConfig['security']>;
  /** Checks who sends a request, before anything of it is read: of one that reads, a change, and a change with a body. */
  readonly authenticate: {
    readonly read: MiddlewareHandler;
    readonly change: MiddlewareHandler;
    readonly changeJson: MiddlewareHandler;
  };
  readonly refusals: readonly ProblemCode[];
  readonly schemas: EndpointSchemas;
  readonly rules: EndpointRules;
  /** The query of routes about deliveries, and which ledger's it asks for: for an owner whose events are in several. */
  readonly deliveries?: { readonly query: RouteQuery; ledgerOf(c: Context): number | undefined };
  /**
   * Admits a request about the owner's endpoints, or about what is sent of the events of one `ledger`. Refuses with one of
   * `refusals`, and with `invalid_request` a ledger that does not exist.
   */
  admit(c: Context, ledger?: number): Promise<Outcome<AdmittedOwner>>;
}

/** Admits a request, acts, and answers with what the act returns. */
export async function answerOwner<Body extends object, Status extends 200 | 201>(
  surface: EndpointSurface,
  c: Context<AppEnvironment>,
  status: Status,
  act: (owner: AdmittedOwner) => Promise<Outcome<Body>>,
  ledger?: number,
) {
  const owner = await surface.admit(c, ledger);
  if (!owner.ok) return sendProblem(c, owner);
  const done = await act(owner.value);
  return done.ok ? c.json(done.value, status) : sendProblem(c, done);
}

/**
 * The same for a request about one endpoint, or about its copy in a ledger. An unknown one and another owner's are
 * `not_found`.
 */
export function answerEndpoint<Body extends object>(
  surface: EndpointSurface,
  c: Context<AppEnvironment>,
  id: string,
  act: (owner: AdmittedOwner, row: EndpointRow) => Promise<Outcome<Body>>,
  ledger?: number,
) {
  const find = async (owner: AdmittedOwner) => {
    const own = ledger === undefined ? id : moveToLedger(id, ledger);
    const row = await readEndpoint(owner.database, owner.listenerId, own);
    return row ? act(owner, row) : endpointNotFound;
  };
  return answerOwner(surface, c, 200, find, ledger);
}
