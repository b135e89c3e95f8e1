import type { LedgerBindings } from '../platform/bindings.ts';
import { findLedger } from '../db/database.ts';
import {
  Proposal,
  type ProposalRow,
  decline,
  listProposals,
  readProposal,
  refuseApproval,
  showProposal,
} from './proposals.ts';
import { accept, refuse } from '../http/answer.ts';
import { type Area, createArea, send } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { executeBy } from './approval.ts';
import { ListQuery, onePage } from '../http/list.ts';
import { newestFirst } from '../db/merge-pages.ts';
import { readMerged } from './read-merged.ts';
import { RecordPath } from '../http/wire-types.ts';
import { jsonBody } from '../http/request.ts';
import { z } from '@hono/zod-openapi';
import { actorOf, refuseDuty } from './authenticate-operator.ts';
import { ReasonBody } from './reason.ts';
import type { Duty } from './roles.ts';

const PROPOSALS_PATH = '/operator/v1/proposals';
const PROPOSAL_PATH = `${PROPOSALS_PATH}/{id}`;

async function findProposal(bindings: LedgerBindings, { id }: { readonly id: string }) {
  const database = findLedger(bindings, id);
  const row = database && (await readProposal(database, id));
  return row ? accept({ row, database }) : refuse('not_found', 'There is no proposal of that id.');
}

/** Makes the operator's routes that show and decide proposals. What is approved is executed by the routes of `changes`. */
export function proposalRoutes(changes: Area): Area {
  const routes = createArea();
  const add = operationsOf(routes, 'Proposals');
  const execute = executeBy(changes);

  add({
    operationId: 'listProposals',
    path: PROPOSALS_PATH,
    duty: 'read',
    summary: 'Changes that wait for a second person, or did, newest first',
    description: 'A page at a time. One that nobody decides within 24 hours expires.',
    request: {
      query: ListQuery.extend({
        status: Proposal.shape.status.optional().openapi({ description: 'Proposals in this state', example: 'OPEN' }),
      }),
    },
    ...onePage('proposals', Proposal),
    handle: async (c) => {
      const { status, ...query } = c.req.valid('query');
      const now_ms = Date.now();
      const show = (row: ProposalRow) => showProposal(row, now_ms);
      const list = { path: PROPOSALS_PATH, filter: { status }, order: newestFirst, name: 'proposals', show } as const;
      return readMerged(c.env, list, query, (database, behind, count) =>
        listProposals(database, status, now_ms, behind, count),
      );
    },
  });

  add({
    operationId: 'getProposal',
    path: PROPOSAL_PATH,
    duty: 'read',
    summary: 'One proposal, with the whole request',
    description: 'Whoever approves it names its digest.',
    request: { params: RecordPath },
    answer: 'The proposal',
    body: { proposal: Proposal },
    refusals: ['not_found'],
    find: findProposal,
    handle: (_c, { row }) => accept({ proposal: showProposal(row, Date.now()) }),
  });

  add({
    operationId: 'approveProposal',
    method: 'post',
    path: `${PROPOSAL_PATH}/approve`,
    duty: 'decide_proposals',
    summary: 'Approve what another person proposed: it is executed at once',
    description:
      'The change is made as it was proposed, under the name of the one who approves, who must be allowed to make it. When it is refused, for instance because a balance is too small by now, that refusal is the answer and the proposal stays open. A token never approves.',
    request: {
      params: RecordPath,
      body: jsonBody(z.strictObject({ digest: Proposal.shape.digest })),
    },
    answer: 'The proposal, and what the route of the change answered',
    body: {
      proposal: Proposal,
      answer: z.record(z.string(), z.unknown()).openapi({ example: { settings: { tradingHalted: false } } }),
    },
    refusals: [
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
    ],
    find: findProposal,
    handle: async (c, { row, database }) => {
      const actor = actorOf(c);
      const refused = refuseApproval(row, c.req.valid('json').digest, actor);
      if (refused) return refused;
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
      return accept({ proposal: showProposal(decided, actor.now_ms), answer });
    },
  });

  add({
    operationId: 'declineProposal',
    method: 'post',
    path: `${PROPOSAL_PATH}/decline`,
    duty: 'decide_proposals',
    summary: 'Decline a proposal, or take one’s own back',
    description: 'For whoever may make the change. A declined proposal is never executed.',
    request: { params: RecordPath, body: ReasonBody },
    answer: 'The proposal',
    body: { proposal: Proposal },
    refusals: ['not_found', 'invalid_state'],
    find: findProposal,
    handle: async (c, { row, database }) => {
      const refused = refuseDuty(c, row.duty as Duty);
      if (refused) return refused;
      const actor = actorOf(c);
      const declined = await decline(database, row, c.req.valid('json').reason, actor);
      return declined.ok ? accept({ proposal: showProposal(declined.value, actor.now_ms) }) : declined;
    },
  });

  return routes;
}
