import { z } from '@hono/zod-openapi';
import { AuditEntry } from '../db/list-audit.ts';
import { OperatorDeposit } from '../deposits/operator-deposit.ts';
import { OperatorWithdrawal } from '../withdrawals/operator-withdrawal.ts';
import { EndpointEvent, describeKind } from './event.ts';

/** The name under which the operator listens, in each ledger; no account has such an id. */
export const OPERATOR = 'operator';

const EXAMPLE_ID = 'evt_operator_0_12';

const AuditEvent = describeKind('AuditEvent', ['audit.added'], { entry: AuditEntry }, EXAMPLE_ID);

const OperatorDepositEvent = describeKind(
  'OperatorDepositEvent',
  ['deposit.completed', 'deposit.pending', 'deposit.failed', 'deposit.quarantined'],
  { deposit: OperatorDeposit },
  EXAMPLE_ID,
);

const OperatorWithdrawalEvent = describeKind(
  'OperatorWithdrawalEvent',
  ['withdrawal.completed', 'withdrawal.pending', 'withdrawal.processing', 'withdrawal.failed'],
  { withdrawal: OperatorWithdrawal },
  EXAMPLE_ID,
);

/** The schemas of the operator’s events by their names in the document, and in its order. */
export const operatorEventSchemas = {
  AuditEvent,
  OperatorDepositEvent,
  OperatorWithdrawalEvent,
  EndpointEvent,
} as const;

/** An event of the operator on the wire. It shows a deposit or a withdrawal as the operator’s lists do. */
export const OperatorEvent = z
  .discriminatedUnion('type', [AuditEvent, OperatorDepositEvent, OperatorWithdrawalEvent, EndpointEvent])
  .openapi('OperatorEvent');

export type OperatorEvent = z.output<typeof OperatorEvent>;

export type OperatorEventType = OperatorEvent['type'];

/** Every type of the operator’s events. */
export const operatorEventTypes = Object.values(operatorEventSchemas).flatMap(
  (schema): readonly OperatorEventType[] => schema.shape.type.options,
);
