import type { z } from '@hono/zod-openapi';
import { AuditEntry } from '../db/list-audit.ts';
import { OperatorDeposit } from '../deposits/operator-deposit.ts';
import { OperatorWithdrawal } from '../withdrawals/operator-withdrawal.ts';
import { anyOf, depositTypes, describeKind, endpointKind, withdrawalTypes } from './event.ts';

/** The name under which the operator listens, in each ledger; no account has such an id. */
export const OPERATOR = 'operator';

const EXAMPLE_ID = 'evt_operator_0_12';

const audited = { 'audit.added': ['Somebody changed something, or the reconciliation did'] } as const;

/** The kinds of the operator’s events, in the order of the document. */
const kinds = [
  describeKind('AuditEvent', audited, { entry: AuditEntry }, EXAMPLE_ID),
  describeKind('OperatorDepositEvent', depositTypes, { deposit: OperatorDeposit }, EXAMPLE_ID),
  describeKind('OperatorWithdrawalEvent', withdrawalTypes, { withdrawal: OperatorWithdrawal }, EXAMPLE_ID),
  endpointKind,
] as const;

/** An event of the operator on the wire. It shows a deposit or a withdrawal as the operator’s lists do. */
export const OperatorEvent = anyOf('OperatorEvent', kinds);

export type OperatorEvent = z.output<typeof OperatorEvent>;

/** Every type of the operator’s events, as the document has it. */
export const sentOperatorEvents = kinds.flatMap(({ sent }) => sent);

export const operatorEventTypes = sentOperatorEvents.map(({ type }) => type as OperatorEvent['type']);
