import { every } from 'hono/combine';
import { type OperationKind, createAreaOf, jsonContent, takeJsonUpTo } from '../http/area.ts';
import {
  type LedgerOfChange,
  type OperatorEnvironment,
  authenticateOperator,
  operatorRefusals,
  proposeInstead,
} from './authenticate-operator.ts';
import { Proposal } from './proposals.ts';
import type { Duty } from './roles.ts';

/** How a change is authenticated beyond its duty. */
interface ChangeRules {
  /** Whether two people may have to agree on it: then it becomes a proposal. */
  readonly needsTwo?: true;
  readonly ledgerOfChange?: LedgerOfChange;
  /** Of an upload. */
  readonly maxBytes?: number;
}

/** What an operation of the operator says beyond every other. */
interface OperatorParts extends ChangeRules {
  readonly duty: Duty;
}

/** The answer of a change that two people must agree on. */
const proposed = {
  202: {
    description:
      'Two people must agree on this change, once there are two admins: it is a proposal now, which another person approves',
    content: jsonContent({ proposal: Proposal }),
  },
};

/** An area of the operator's operations, under a tag of the document. */
export function createOperatorArea(tag: string) {
  return createAreaOf<OperatorEnvironment, OperatorParts>((operation) =>
    operatorKind(tag, operation.duty, operation.request?.body !== undefined, operation),
  );
}

/** What operations of the operator for a duty have in common. */
export function operatorKind(
  tag: string,
  duty: Duty,
  hasBody: boolean,
  { needsTwo, ledgerOfChange, maxBytes }: ChangeRules = {},
): OperationKind {
  const isProposed = needsTwo || (hasBody && maxBytes === undefined);
  return {
    tags: [tag],
    security: [{ operatorToken: [] }],
    middleware: every(
      authenticateOperator(duty),
      ...(hasBody ? [takeJsonUpTo(maxBytes)] : []),
      ...(isProposed ? [proposeInstead(duty, ledgerOfChange)] : []),
    ),
    after: [...operatorRefusals, ...(needsTwo ? (['approval_required'] as const) : [])],
    ...(needsTwo && { responses: proposed }),
  };
}
