import {
  Proposal,
  type ProposalRow,
  decline,
  listProposals,
  readProposal,
  refuseApproval,
  showProposal,
} from './proposals.ts';
import { accept } from '../http/answer.ts';
import { type Area, send } from '../http/area.ts';
import { createOperatorArea } from './operations.ts';
import { executeBy } from './inner-request.ts';
import { ListQuery, oneOf, onePage } from '../http/list.ts';
import { newestFirst } from '../db/merge-pages.ts';
import { aRow } from './find-records.ts';
import { readMerged } from './read-merged.ts';
import { jsonBody } from '../http/request.ts';
import { z } from '@hono/zod-openapi';
import { actorOf, refuseDuty } from './authenticate-operator.ts';
import { ReasonBody } from './reason.ts';
import type { Duty } from './roles.ts';

const PROPOSAL_PATH = '/operator/v1/proposals/{id}';

const proposal = oneOf('proposal', Proposal, (row: ProposalRow) => showProposal(row, Date.now()));

/** A path that names a proposal. */
const aProposal = aRow(readProposal, 'There is no proposal of that id.');

/** Makes the operator's routes that show and decide proposals. What is approved is executed by the routes of `changes`. */
export function proposalRoutes(changes: Area): Area {
  const routes = createOperatorArea('Proposals');
  const execute = executeBy(changes);

  routes.add({
    operationId: 'listProposals',
    path: '/operator/v1/proposals',
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
      const list = { name: 'proposals', show, filter: { status }, order: newestFirst } as const;
      return readMerged(c, list, query, (database, behind, count) =>
        listProposals(database, status, now_ms, behind, count),
      );
    },
  });

  routes.add({
    operationId: 'getProposal',
    path: PROPOSAL_PATH,
    duty: 'read',
    summary: 'One proposal, with the whole request',
    description: 'Whoever approves it names its digest.',
    of: aProposal,
    ...proposal.documented,
    handle: (_c, { row }) => proposal.answer(accept(row)),
  });

  routes.add({
    operationId: 'approveProposal',
    method: 'post',
    path: `${PROPOSAL_PATH}/approve`,
    duty: 'decide_proposals',
    summary: 'Approve what another person proposed: it is executed at once',
    description:
      'The change is made as it was proposed, under the name of the one who approves, who must be allowed to make it. When it is refused, for instance because a balance is too small by now, that refusal is the answer and the proposal stays open. A token never approves.',
    of: aProposal,
    request: { body: jsonBody(z.strictObject({ digest: Proposal.shape.digest })) },
    answer: 'The proposal, and what the route of the change answered',
    body: {
      proposal: Proposal,
      answer: z.record(z.string(), z.unknown()).openapi({ example: { settings: { tradingHalted: false } } }),
    },
    refusals: [
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
    handle: async (c, { row, database }) => {
      const actor = actorOf(c);
      const refused = refuseApproval(row, c.req.valid('json').digest, actor);
      if (refused) return refused;
      const { roles, email } = c.var;
      const answered = await execute(c, row, { proposal: row.id, caller: { roles, email } });
      const body = await answered.text();
      if (!answered.ok) {
        return send(c, { status: answered.status, headers: Object.fromEntries(answered.headers), body });
      }
      const decided = (await readProposal(database, row.id)) ?? row;
      const answer = JSON.parse(body) as Record<string, unknown>;
      return accept({ proposal: showProposal(decided, actor.now_ms), answer });
    },
  });

  routes.add({
    operationId: 'declineProposal',
    method: 'post',
    path: `${PROPOSAL_PATH}/decline`,
    duty: 'decide_proposals',
    summary: 'Decline a proposal, or take one’s own back',
    description: 'For whoever may make the change. A declined proposal is never executed.',
    of: aProposal,
    request: { body: ReasonBody },
    ...proposal.documented,
    refusals: ['invalid_state'],
    handle: (c, { row, database }) =>
      proposal.answer(
        refuseDuty(c, row.duty as Duty) ?? decline(database, row, c.req.valid('json').reason, actorOf(c)),
      ),
  });

  return routes;
}
