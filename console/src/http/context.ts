import type { Context } from 'hono';
import type { ConsoleBindings } from '../env.ts';
import type { Session } from '../sessions/session.ts';

/** The Hono environment of every route of the console. */
export interface ConsoleEnvironment {
  readonly Bindings: ConsoleBindings;
  readonly Variables: { requestId: string };
}

/** That of a route that needs a signed-in holder. */
export interface SignedInEnvironment extends ConsoleEnvironment {
  readonly Variables: ConsoleEnvironment['Variables'] & { session: Session };
}

/** The part of a request's context that code shared by all routes needs. */
export type ConsoleContext = Pick<Context<ConsoleEnvironment>, 'req' | 'env' | 'header' | 'executionCtx'> & {
  readonly var: { readonly requestId: string };
};
