import type { Context, MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { config } from '../env.ts';
import { sendProblem, takeJson } from '../http/area.ts';
import type { AppEnvironment } from '../http/context.ts';
import { digest, equalDigests } from '../platform/digest.ts';
import type { ProblemCode } from '../http/problems.ts';
import { refuse } from '../http/refusal.ts';
import { readBearer } from '../access/authenticate.ts';
import type { Actor, Role } from '../ledger/audit.ts';

/** What an operator's route knows about its caller. */
export interface OperatorEnvironment extends AppEnvironment {
  readonly Variables: AppEnvironment['Variables'] & { role: Role };
}

/** The role that a route needs: only the operator changes things; deposits and reads also have tokens of their own. */
export type Need = 'change' | 'deposit' | 'read' | 'any';

/** The refusals of every route of the operator. */
export const operatorRefusals = [
  'invalid_operator_token',
  'insufficient_role',
] as const satisfies readonly ProblemCode[];

const rolesOf: Readonly<Record<Need, readonly Role[]>> = {
  change: ['operator'],
  deposit: ['operator', 'deposits'],
  read: ['operator', 'auditor'],
  any: ['operator', 'deposits', 'auditor'],
};

const tokens: readonly (readonly [Role, string])[] = [
  ['operator', config.OPERATOR_TOKEN],
  ['deposits', config.DEPOSIT_TOKEN],
  ['auditor', config.AUDITOR_TOKEN],
];

const invalidToken = refuse('invalid_operator_token', 'Send an operator token: Authorization: Bearer <token>.');

/** The role behind a token. Every token is compared, in constant time, whichever it is. */
async function findRole(token: string): Promise<Role | undefined> {
  const presented = await digest(token);
  const matches = await Promise.all(
    tokens.map(async ([role, expected]) => (equalDigests(presented, await digest(expected)) ? role : undefined)),
  );
  return matches.find((role) => role !== undefined);
}

/** Ends a request without one of the operator's tokens, or whose token has too small a role. */
export function authenticateOperator(need: Need): MiddlewareHandler<OperatorEnvironment> {
  return async (c, next) => {
    const role = await findRole(readBearer(c.req.header('Authorization')) ?? '');
    if (!role) return sendProblem(c, invalidToken);
    if (!rolesOf[need].includes(role)) {
      return sendProblem(c, refuse('insufficient_role', `The token of the role "${role}" does not open this.`));
    }
    c.set('role', role);
    c.set('caller', role);
    c.header('Cache-Control', 'no-store');
    return next();
  };
}

/** The same for a request with a JSON body. */
export function authenticateOperatorJson(need: Need): MiddlewareHandler<OperatorEnvironment> {
  return every(authenticateOperator(need), takeJson);
}

/** Who acts in this request, and when. */
export function actorOf(c: Pick<Context<OperatorEnvironment>, 'var'>): Actor {
  return { role: c.var.role, now_ms: Date.now() };
}
