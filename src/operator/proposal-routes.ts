import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { type Area, bodyRefusals, createArea, jsonContent, problemResponses, send, sendProblem } from '../http/area.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { jsonBody } from '../http/json-body.ts';
import { ListQuery, NextCursor, nameFilteredList } from '../http/list.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { RecordPath } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { findLedger } from '../db/ledgers.ts';
import { newestFirst, readMergedPage } from '../db/merge-pages.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type Execute, executeBy } from './approval.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  refuseDuty,
} from './authenticate-operator.ts';
import {
  Proposal,
  type ProposalRow,
  decline,
  listProposals,
  readProposal,
  refuseApproval,
  showProposal,
} from './proposals.ts';
import { ReasonBody } from './reason.ts';
import type { Duty } from './roles.ts';

const PROPOSALS_PATH = '/operator/v1/proposals';
const PROPOSAL_PATH = `${PROPOSALS_PATH}/{id}`;

const common = { tags: ['Proposals'], security: [{ operatorToken: [] }] };

const OneProposal = {
  200: { description: 'The proposal', content: jsonContent(z.object({ proposal: Proposal })) },
};

interface TakenProposal {
  readonly row: ProposalRow;
  readonly database: Database;
}

async function takeProposal(bindings: LedgerBindings, id: string): Promise<Outcome<TakenProposal>> {
  const database = findLedger(bindings, id);
  const row = database && (await readProposal(database, id));
  return row ? accept({ row, database }) : refuse('not_found', 'There is no proposal of that id.');
}

/** Makes the operator's routes that show and decide proposals. What is approved is executed by the routes of `changes`. */
export function proposalRoutes(changes: Area): Area {
  const routes = createArea();
  addReads(routes);
  addApproval(routes, executeBy(changes));
  addDecline(routes);
  return routes;
}

function addReads(routes: Area): void {
  routes.openapi(
    createRoute({
      ...common,
      operationId: 'listProposals',
      method: 'get',
      path: PROPOSALS_PATH,
      summary: 'Changes that wait for a second person, or did, newest first',
      description: 'A page at a time. One that nobody decides within 24 hours expires.',
      middleware: authenticateOperator('read'),
      request: {
        query: ListQuery.extend({
          status: Proposal.shape.status.optional().openapi({ description: 'Proposals in this state', example: 'OPEN' }),
        }),
      },
      responses: {
        200: {
          description: 'One page',
          content: jsonContent(z.object({ proposals: z.array(Proposal), nextCursor: NextCursor })),
        },
        ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
      },
    }),
    async (c) => {
      const { status, ...query } = c.req.valid('query');
      const now_ms = Date.now();
      const scope = { route: nameFilteredList(PROPOSALS_PATH, { status }), accountId: OPERATOR_SCOPE };
      const cursors = { scope, secret: config.CURSOR_SECRET };
      const page = await readMergedPage(c.env, newestFirst, query, cursors, (database, behind, count) =>
        listProposals(database, status, now_ms, behind, count),
      );
      if (!page.ok) return sendProblem(c, page);
      const { rows, nextCursor } = page.value;
      return c.json({ proposals: rows.map((row) => showProposal(row, now_ms)), nextCursor }, 200);
    },
  );

  routes.openapi(
    createRoute({
      ...common,
      operationId: 'getProposal',
      method: 'get',
      path: PROPOSAL_PATH,
      summary: 'One proposal, with the whole request',
      description: 'Whoever approves it names its digest.',
      middleware: authenticateOperator('read'),
      request: { params: RecordPath },
      responses: { ...OneProposal, ...problemResponses('not_found', ...operatorRefusals) },
    }),
    async (c) => {
      const taken = await takeProposal(c.env, c.req.valid('param').id);
      if (!taken.ok) return sendProblem(c, taken);
      return c.json({ proposal: showProposal(taken.value.row, Date.now()) }, 200);
    },
  );
}

function addApproval(routes: Area, execute: Execute): void {
  routes.openapi(
    createRoute({
      ...common,
      operationId: 'approveProposal',
      method: 'post',
      path: `${PROPOSAL_PATH}/approve`,
      summary: 'Approve what another person proposed: it is executed at once',
      description:
        'The change is made as it was proposed, under the name of the one who approves, who must be allowed to make it. When it is refused, for instance because a balance is too small by now, that refusal is the answer and the proposal stays open. A token never approves.',
      middleware: authenticateOperatorJson('decide_proposals'),
      request: {
        params: RecordPath,
        body: jsonBody(z.strictObject({ digest: Proposal.shape.digest })),
      },
      responses: {
        200: {
          description: 'The proposal, and what the route of the change answered',
          content: jsonContent(
            z.object({
              proposal: Proposal,
              answer: z.record(z.string(), z.unknown()).openapi({ example: { settings: { tradingHalted: false } } }),
            }),
          ),
        },
        ...problemResponses(
          ...bodyRefusals,
          'not_found',
          'invalid_state',
          'precision_exceeded',
          'amount_above_maximum',
          'amount_below_minimum',
          'symbol_not_supported',
          'network_not_supported',
          'invalid_address',
          'supply_cap_exceeded',
          'account_frozen',
          'trading_halted',
          'insufficient_balance',
          'order_rejected',
          'outcome_unknown',
          ...operatorRefusals,
        ),
      },
    }),
    async (c) => {
      const taken = await takeProposal(c.env, c.req.valid('param').id);
      if (!taken.ok) return sendProblem(c, taken);
      const { row, database } = taken.value;
      const actor = actorOf(c);
      const refused = refuseApproval(row, c.req.valid('json').digest, actor);
      if (refused) return sendProblem(c, refused);
      const approval = {
        proposal: row.id,
        caller: { roles: c.var.roles, ...(c.var.email !== undefined && { email: c.var.email }) },
      };
      const answered = await execute(c, row, approval);
      const body = await answered.text();
      if (!answered.ok) {
        return send(c, { status: answered.status, headers: Object.fromEntries(answered.headers), body });
      }
      const decided = (await readProposal(database, row.id)) ?? row;
      const answer = JSON.parse(body) as Record<string, unknown>;
      return c.json({ proposal: showProposal(decided, actor.now_ms), answer }, 200);
    },
  );
}

function addDecline(routes: Area): void {
  routes.openapi(
    createRoute({
      ...common,
      operationId: 'declineProposal',
      method: 'post',
      path: `${PROPOSAL_PATH}/decline`,
      summary: 'Decline a proposal, or take one’s own back',
      description: 'For whoever may make the change. A declined proposal is never executed.',
      middleware: authenticateOperatorJson('decide_proposals'),
      request: {
        params: RecordPath,
        body: ReasonBody,
      },
      responses: {
        ...OneProposal,
        ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...operatorRefusals),
      },
    }),
    async (c) => {
      const taken = await takeProposal(c.env, c.req.valid('param').id);
      if (!taken.ok) return sendProblem(c, taken);
      const { row, database } = taken.value;
      const refused = refuseDuty(c, row.duty as Duty);
      if (refused) return sendProblem(c, refused);
      const actor = actorOf(c);
      const declined = await decline(database, row, c.req.valid('json').reason, actor);
      if (!declined.ok) return sendProblem(c, declined);
      return c.json({ proposal: showProposal(declined.value, actor.now_ms) }, 200);
    },
  );
}
