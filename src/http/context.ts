import type { Context } from 'hono';
import type { Bindings } from '../platform/bindings.ts';

/** The Hono environment of every route. */
export interface AppEnvironment {
  readonly Bindings: Bindings;
  readonly Variables: {
    requestId: string;
    /** The caller, for the log, once it is known: a key's id, or an operator's role. */
    caller?: string;
    /** The ledger of a change of the operator's, where no other one can have told anybody of it. */
    changedLedger?: number;
  };
}

/**
 * The part of a request's context that code shared by all routes needs. Variables are read by `get`, since `var` copies
 * all of them each time.
 */
export type RequestContext = Pick<Context<AppEnvironment>, 'req' | 'env' | 'get' | 'header' | 'body'>;
