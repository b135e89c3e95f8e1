import { nameActor } from '../db/audit.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { jsonBody } from '../http/json-body.ts';
import { ListQuery, NextCursor, readPage } from '../http/list.ts';
import { firstLedger } from '../db/ledgers.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
} from './authenticate-operator.ts';
import { copyToLedgers } from './copy-to-ledgers.ts';
import { Email, SetRoles, StaffMember, listStaff, setRoles, showStaffMember } from './staff.ts';

const STAFF_PATH = '/operator/v1/staff';

const common = { tags: ['Staff'], security: [{ operatorToken: [] }] };

/** The operator's routes for the people who work there. */
export const staffRoutes = createArea();

staffRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getMe',
    method: 'get',
    path: '/operator/v1/me',
    summary: 'Who makes this request, and what they may do',
    description: 'A person by the e-mail with which they signed in, or a token by its name.',
    middleware: authenticateOperator('know_interface'),
    responses: {
      200: {
        description: 'Who it is',
        content: jsonContent(
          z.object({
            me: z.object({
              actor: z.string().openapi({ example: 'ada@exchange.example' }),
              roles: z.array(z.string()).openapi({ example: ['compliance'] }),
            }),
          }),
        ),
      },
      ...problemResponses(...operatorRefusals),
    },
  }),
  (c) => c.json({ me: { actor: nameActor(c.var), roles: [...c.var.roles] } }, 200),
);

staffRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listStaff',
    method: 'get',
    path: STAFF_PATH,
    summary: 'The people of the staff and their roles, in the order of their e-mails',
    description: 'Those who left are listed without a role.',
    middleware: authenticateOperator('read'),
    request: { query: ListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ staff: z.array(StaffMember), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
    },
  }),
  async (c) => {
    const scope = { route: STAFF_PATH, accountId: OPERATOR_SCOPE };
    const page = await readPage(c.req.valid('query'), scope, config.CURSOR_SECRET, (behind, count) =>
      listStaff(firstLedger(c.env), behind, count),
    );
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ staff: rows.map(showStaffMember), nextCursor }, 200);
  },
);

staffRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'setRoles',
    method: 'put',
    path: `${STAFF_PATH}/{email}`,
    summary: 'Give a person roles, in place of those before; without any they may do nothing',
    description:
      'Takes effect with the person’s next request. Whoever the identity provider lets in can then act. Once there are two admins it needs two people, except where it only takes roles from somebody who is no admin.',
    middleware: authenticateOperatorJson('manage_staff'),
    request: { params: z.object({ email: Email }), body: jsonBody(SetRoles) },
    responses: {
      200: { description: 'The person', content: jsonContent(z.object({ member: StaffMember })) },
      ...proposedResponse,
      ...problemResponses(...bodyRefusals, ...twoPeopleRefusals),
    },
  }),
  async (c) => {
    const { email } = c.req.valid('param');
    const member = await setRoles(firstLedger(c.env), email, c.req.valid('json').roles, actorOf(c));
    if (!member.ok) return sendProblem(c, member);
    const uncopied = await copyToLedgers(c.env, Date.now());
    return uncopied ? sendProblem(c, uncopied) : c.json({ member: member.value }, 200);
  },
);
