import type { Context } from 'hono';
import type { Bindings } from '../platform/bindings.ts';

/** The Hono environment of every route. */
export interface AppEnvironment {
  readonly Bindings: Bindings;
  readonly Variables: {
    requestId: string;
    /** Who asks, once it is known and for the log: a key's id, or an operator's role. */
    caller?: string;
  };
}

/** What code shared by all routes needs of a request's context, whatever else its own route keeps there. */
export type RequestContext = Pick<Context<AppEnvironment>, 'req' | 'env' | 'header' | 'body'> & {
  readonly var: { readonly requestId: string };
};
