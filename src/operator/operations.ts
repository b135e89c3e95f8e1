import { every } from 'hono/combine';
import {
  type Answered,
  type BodyOf,
  type BodyParts,
  type Operation,
  type OperationContext,
  type OperationKind,
  type RequestParts,
  addOperation,
  createArea,
  jsonContent,
  takeJsonUpTo,
} from '../http/area.ts';
import type { Outcome } from '../http/answer.ts';
import type { Bindings } from '../platform/bindings.ts';
import {
  type LedgerOfChange,
  type OperatorEnvironment,
  authenticateOperator,
  operatorRefusals,
  proposeInstead,
} from './authenticate-operator.ts';
import { Proposal } from './proposals.ts';
import type { Duty } from './roles.ts';
import type { z } from '@hono/zod-openapi';

/** What the path of an operation names: its parameters, and how it is found. Its refusal is the answer. */
export interface Named<Path extends z.ZodType, Found> {
  readonly params: Path;
  find(bindings: Bindings, path: z.output<Path>): Promise<Outcome<Found>>;
}

/** What an operation of the operator says beyond every other. */
interface OperatorParts<Parts extends RequestParts, Body extends BodyParts, Given, Found> {
  readonly duty: Duty;
  /** Whether two people may have to agree on it: then it becomes a proposal. */
  readonly needsTwo?: true;
  readonly ledgerOfChange?: LedgerOfChange;
  /** Of an upload. */
  readonly maxBytes?: number;
  readonly of?: Named<z.ZodObject, Found>;
  readonly handle: (c: OperationContext<Parts, OperatorEnvironment>, found: Found) => Answered<Given, Body>;
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
  const area = createArea();
  const add = <
    Given extends BodyOf<Body>,
    Found,
    const Parts extends RequestParts = object,
    Body extends BodyParts = BodyParts,
  >(
    operation: Operation<Parts, Body> & OperatorParts<Parts, Body, Given, Found>,
  ): void => {
    const { duty, of, handle, request, refusals = [] } = operation;
    const named = {
      ...operation,
      request: { ...request, ...(of && { params: of.params }) },
      refusals: of ? ['not_found', ...refusals] : refusals,
      handle: async (c: OperationContext<Parts, OperatorEnvironment>) => {
        if (!of) return handle(c, undefined as Found);
        const found = await of.find(c.env, c.req.valid('param' as never) as never);
        return found.ok ? handle(c, found.value) : found;
      },
    };
    addOperation(area, operatorKind(tag, duty, request?.body !== undefined, operation), named as never);
  };
  return Object.assign(area, { add });
}

/** How a change is authenticated beyond its duty. */
interface ChangeRules {
  readonly needsTwo?: true | undefined;
  readonly ledgerOfChange?: LedgerOfChange | undefined;
  readonly maxBytes?: number | undefined;
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
