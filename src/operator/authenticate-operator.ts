import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { config } from '../env.ts';
import { sendProblem, type AppEnvironment } from '../http/area.ts';
import { digest, equalDigests } from '../platform/digest.ts';
import { type ProblemCode, statusOf } from '../http/problems.ts';
import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import { readBearer } from '../access/authenticate.ts';
import type { Actor } from '../db/audit.ts';
import type { Role } from '../db/role.ts';
import { firstLedger, openLedger } from '../db/database.ts';
import { FIRST_LEDGER, isRecordId, ledgerNumberOf } from '../db/record-id.ts';
import { ACCESS_HEADER, hasAccess, readAccessToken } from './access-token.ts';
import { type Caller, innerRequestOf } from './inner-request.ts';
import { digestRequest, propose, showProposal } from './proposals.ts';
import { type Duty, findRoleFor } from './roles.ts';
import { readRoles } from './staff.ts';

/** What an operator's route knows about its caller. */
export interface OperatorEnvironment extends AppEnvironment {
  readonly Variables: AppEnvironment['Variables'] & {
    /** The role that opened the route, and all that the caller has. */
    role: Role;
    roles: readonly Role[];
    /** The e-mail of a person; absent for a token. */
    email?: string;
    /** Of a request that an approval makes: the id of its proposal, and then with the digest of this request. */
    approval?: string;
    proposal?: { readonly id: string; readonly digest: string };
  };
}

/** The refusals of every route of the operator. */
export const operatorRefusals = [
  'invalid_request',
  'invalid_operator_token',
  'insufficient_role',
  'invalid_origin',
] as const satisfies readonly ProblemCode[];

const tokens: readonly (readonly [Role, string])[] = [
  ['operator', config.OPERATOR_TOKEN],
  ['deposits', config.DEPOSIT_TOKEN],
  ['auditor', config.AUDITOR_TOKEN],
  ...(config.WATCHER_TOKEN === undefined ? [] : [['watcher', config.WATCHER_TOKEN] as const]),
];

const invalidToken = refuse('invalid_operator_token', 'Send an operator token: Authorization: Bearer <token>.');

const foreignOrigin = refuse(
  'invalid_origin',
  'A change by a person who signed in must come from the console: send its own Origin.',
);

/** The role behind a token. Every token is compared, in constant time, whichever it is. */
async function findRole(token: string): Promise<Role | undefined> {
  const presented = await digest(token);
  const matches = await Promise.all(
    tokens.map(async ([role, expected]) => (equalDigests(presented, await digest(expected)) ? role : undefined)),
  );
  return matches.find((role) => role !== undefined);
}

/**
 * Who makes the request. An Authorization header is a token's, whatever else is sent: no page of another site can set
 * it. Access puts its own token beside every request of a browser that is signed in, other sites' among them: so a
 * change must also name the console's Origin, one without a body too.
 */
async function identify(c: Context<OperatorEnvironment>): Promise<Outcome<Caller>> {
  const inner = innerRequestOf(c.req.raw);
  if (inner) return accept(inner.caller);
  const authorization = c.req.header('Authorization');
  const assertion = c.req.header(ACCESS_HEADER);
  if (authorization !== undefined || assertion === undefined || !hasAccess) {
    const role = await findRole(readBearer(authorization) ?? '');
    return role ? accept({ roles: [role] }) : invalidToken;
  }
  const signedIn = await readAccessToken(assertion, Date.now());
  if (!signedIn.ok) return signedIn;
  if (!isReading(c.req.method) && c.req.header('Origin') !== config.CONSOLE_ORIGIN) return foreignOrigin;
  const email = signedIn.value;
  return accept({ email, roles: await readRoles(firstLedger(c.env), email) });
}

/** Whether a request of this method changes nothing. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Ends a request without one of the operator's tokens or a person's sign-in, or whose role does not do this. */
export function authenticateOperator(duty: Duty): MiddlewareHandler<OperatorEnvironment> {
  return async (c, next) => {
    const caller = await identify(c);
    if (!caller.ok) return sendProblem(c, caller);
    const { roles, email } = caller.value;
    const role = findRoleFor(duty, roles);
    if (!role) return sendProblem(c, refuseRole(roles));
    c.set('role', role);
    c.set('roles', roles);
    if (email !== undefined) c.set('email', email);
    const proposal = innerRequestOf(c.req.raw)?.proposal;
    if (proposal !== undefined) c.set('approval', proposal);
    c.set('caller', role);
    c.header('Cache-Control', 'no-store');
    return next();
  };
}

/** What is known of a problem that a route answers. */
const Problem = z.object({ code: z.string() });

/**
 * Makes a proposal of a change that the database refuses because two people must agree on it; the proposal is then the
 * answer. It lies in the ledger in which the change is made: `ledgerOfChange` finds it where no id of the path names it.
 */
export function proposeInstead(
  duty: Duty,
  ledgerOfChange: LedgerOfChange = ledgerOfPath,
): MiddlewareHandler<OperatorEnvironment> {
  return async (c, next) => {
    const request = { method: c.req.method, path: c.req.path, body: await c.req.text() };
    const id = c.get('approval');
    if (id !== undefined) c.set('proposal', { id, digest: await digestRequest(request) });
    await next();
    if (c.res.status !== statusOf('approval_required')) return;
    const problem = Problem.safeParse(await c.res.clone().json());
    if (problem.data?.code !== 'approval_required') return;
    const ledger = await ledgerOfChange(c);
    const proposed = await propose(openLedger(c.env, ledger), ledger, request, duty, actorOf(c));
    c.res = undefined;
    c.res = proposed.ok
      ? c.json({ proposal: showProposal(proposed.value, Date.now()) }, 202)
      : sendProblem(c, proposed);
  };
}

/** Finds the ledger in which a request makes its change: the number of one that exists. Throws when D1 fails. */
export type LedgerOfChange = (c: Context<OperatorEnvironment>) => number | Promise<number>;

/** The ledger that the first id of a path names, of whatever kind; ledger 0 for what belongs to no account. */
function ledgerOfPath(c: Context<OperatorEnvironment>): number {
  const id = Object.values(c.req.param()).find(isRecordId);
  return id === undefined ? FIRST_LEDGER : ledgerNumberOf(id);
}

/** Refuses a part of a request that needs another duty than its route, or `undefined` when the caller may do it. */
export function refuseDuty(c: Pick<Context<OperatorEnvironment>, 'var'>, duty: Duty): Refusal | undefined {
  return findRoleFor(duty, c.var.roles) ? undefined : refuseRole(c.var.roles);
}

function refuseRole(roles: readonly Role[]): Refusal {
  const held = roles.length > 0 ? `The role ${roles.map((role) => `"${role}"`).join(', ')}` : 'A person without a role';
  return refuse('insufficient_role', `${held} does not open this.`);
}

/** Who acts in this request, and when. */
export function actorOf(c: Pick<Context<OperatorEnvironment>, 'var'>): Actor {
  return { role: c.var.role, email: c.var.email, now_ms: Date.now(), proposal: c.var.proposal };
}
