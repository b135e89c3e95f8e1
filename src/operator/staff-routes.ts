import { createOperatorArea } from './operations.ts';
import { z } from '@hono/zod-openapi';
import { cursorsOf } from '../access/answer-read.ts';
import { accept } from '../http/answer.ts';
import { nameActor } from '../db/audit.ts';
import { ListQuery, onePage, readPage, showPage } from '../http/list.ts';
import { Email, SetRoles, StaffMember, listStaff, setRoles, showStaffMember } from './staff.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { firstLedger } from '../db/database.ts';
import { jsonBody } from '../http/request.ts';
import { actorOf } from './authenticate-operator.ts';
import { copyToLedgers } from './change-settings.ts';

/** The operator's routes for the people who work there. */
export const staffRoutes = createOperatorArea('Staff');

staffRoutes.add({
  operationId: 'getMe',
  path: '/operator/v1/me',
  duty: 'know_interface',
  summary: 'Who makes this request, and what they may do',
  description: 'A person by the e-mail with which they signed in, or a token by its name.',
  answer: 'Who it is',
  body: {
    me: z.object({
      actor: z.string().openapi({ example: 'ada@exchange.example' }),
      roles: z.array(z.string()).openapi({ example: ['compliance'] }),
    }),
  },
  handle: (c) => accept({ me: { actor: nameActor(c.var), roles: [...c.var.roles] } }),
});

staffRoutes.add({
  operationId: 'listStaff',
  path: '/operator/v1/staff',
  duty: 'read',
  summary: 'The people of the staff and their roles, in the order of their e-mails',
  description: 'Those who left are listed without a role.',
  request: { query: ListQuery },
  ...onePage('staff', StaffMember),
  handle: async (c) => {
    const { path, secret } = cursorsOf(c);
    const scope = { route: path, accountId: OPERATOR_SCOPE };
    const page = await readPage(c.req.valid('query'), scope, secret, (behind, count) =>
      listStaff(firstLedger(c.env), behind, count),
    );
    return showPage(page, 'staff', showStaffMember);
  },
});

staffRoutes.add({
  operationId: 'setRoles',
  method: 'put',
  path: '/operator/v1/staff/{email}',
  duty: 'manage_staff',
  needsTwo: true,
  summary: 'Give a person roles, in place of those before; without any they may do nothing',
  description:
    'Takes effect with the person’s next request. Whoever the identity provider lets in can then act. Once there are two admins it needs two people, except where it only takes roles from somebody who is no admin.',
  request: { params: z.object({ email: Email }), body: jsonBody(SetRoles) },
  answer: 'The person',
  body: { member: StaffMember },
  handle: async (c) => {
    const { email } = c.req.valid('param');
    const member = await setRoles(firstLedger(c.env), email, c.req.valid('json').roles, actorOf(c));
    if (!member.ok) return member;
    const uncopied = await copyToLedgers(c.env, Date.now());
    return uncopied ?? accept({ member: member.value });
  },
});
