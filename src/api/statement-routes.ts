import { z } from '@hono/zod-openapi';
import { type WrittenAnswer } from '../http/area.ts';
import { refuseField } from '../http/answer.ts';
import { admit } from '../access/admit.ts';
import { ledgerOf } from '../db/database.ts';
import { streamPieces } from '../http/stream-pieces.ts';
import {
  Statement,
  StatementQuery,
  countStatement,
  prepareStatement,
  statementTypes,
  writeStatement,
} from '../activity/statement.ts';
import { createKeyArea } from '../access/operations.ts';

const Csv = z.string().openapi({
  description:
    'RFC 4180 with a header. `csv`: a line for each opening balance, each movement and each closing balance. `tax`: a line for each filled order, settlement, completed deposit and completed withdrawal, by the columns that the guide “Tax” names',
  example:
    'ts,type,asset,amount,id,transfer\r\n2026-11-01T00:00:00.000Z,OPENING_BALANCE,USDT,1000,,\r\n2026-12-01T00:00:00.000Z,CLOSING_BALANCE,USDT,1000,,\r\n',
});

/** The route of an account's statement. */
export const statement = createKeyArea('Account');

statement.add({
  operationId: 'getStatement',
  path: '/api/v1/account/statement',
  scope: 'read',
  summary: 'What the account held, every movement, and what it holds after them',
  description:
    'Exact to the smallest step of each asset: opening balance plus movements is closing balance. Each movement counts at the time when the balance changed, and they stand in the order of their records. It is sent while it is read, so one that breaks off has no closing balances: take no other for whole. One a minute for each account.',
  request: { query: StatementQuery },
  answer: 'The statement, in the format that was asked for',
  body: Statement,
  content: { 'text/csv': { schema: Csv } },
  handle: async (c) => {
    const { from, to: wantedEnd, format } = c.req.valid('query');
    const now_ms = Date.now();
    const end = wantedEnd !== undefined && wantedEnd < now_ms ? wantedEnd : null;
    if (from >= (end ?? now_ms)) {
      return refuseField('from', 'not_valid', 'is not before `to`, or in the future');
    }
    const admitted = await admit(c, 'read', 'read');
    if (!admitted.ok) return admitted;
    const accountId = admitted.value;
    const database = ledgerOf(c.env, accountId);
    const counted = await countStatement(database, accountId, now_ms);
    if (!counted.ok) return counted;
    const prepared = await prepareStatement(database, accountId, from, end, now_ms);
    const pieces = writeStatement(prepared, format);
    return c.body(streamPieces(pieces, { fault: 'statement_broken_off', requestId: c.get('requestId') }), 200, {
      'Content-Type': statementTypes[format],
    }) as Response as WrittenAnswer;
  },
});
