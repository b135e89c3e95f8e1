import { chooseCustody } from '../providers.ts';
import { config } from '../env.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { z } from '@hono/zod-openapi';
import { directoryOf, findLedger } from '../db/database.ts';
import { findProcessingWithdrawal } from '../withdrawals/withdrawal.ts';
import { accept, refuse } from '../http/answer.ts';
import { payOut } from '../withdrawals/pay-out.ts';
import { countAddressIndexes } from '../db/directory.ts';

const custody = chooseCustody(config);

/** The routes that the custodian itself uses, with the deposit token. */
export const custodyRoutes = createArea();

const add = operationsOf(custodyRoutes, 'Deposits');

add({
  operationId: 'lookAtWithdrawal',
  method: 'post',
  path: '/operator/v1/withdrawals/{id}/look',
  duty: 'ask_custodian',
  summary: 'Have Bureau ask the custodian about a withdrawal at once',
  description:
    'Bureau looks the payout up at once, as it does by itself after longer and longer pauses, and settles it if it can. Nothing else is taken from this request. 404 when no withdrawal of this id is PROCESSING.',
  request: { params: RecordPath },
  answer: 'The withdrawal’s status after the look-up',
  body: { id: Id, status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']) },
  refusals: ['not_found'],
  handle: async (c) => {
    const database = findLedger(c.env, c.req.valid('param').id);
    const row = database && (await findProcessingWithdrawal(database, c.req.valid('param').id));
    if (!row) return refuse('not_found', 'No withdrawal of this id is with the custodian.');
    const { id, status } = await payOut({ database, ledgers: c.env, custody, now: () => Date.now() }, row, false);
    return accept({ id, status: status === 'PENDING' ? 'PROCESSING' : status });
  },
});

add({
  operationId: 'getAddressRange',
  path: '/operator/v1/address-range',
  duty: 'ask_custodian',
  summary: 'How many deposit addresses each network may have',
  description:
    'Every account has one index, from 0 on. Watch the addresses of all indexes below the count and of some more, since accounts are opened meanwhile.',
  answer: 'The number of indexes in use',
  body: { count: z.number().int().openapi({ example: 42 }) },
  handle: async (c) => accept({ count: await countAddressIndexes(directoryOf(c.env)) }),
});
