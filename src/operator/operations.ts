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
  jsonContent,
  type Area,
  takeJsonUpTo,
} from '../http/area.ts';
import type { Outcome } from '../http/answer.ts';
import type { Bindings } from '../platform/bindings.ts';
import {
  type LedgerOfChange,
  type OperatorEnvironment,
  authenticateOperator,
  authenticateOperatorChange,
  authenticateOperatorJson,
  operatorRefusals,
} from './authenticate-operator.ts';
import { Proposal } from './proposals.ts';
import type { Duty } from './roles.ts';
import type { z } from '@hono/zod-openapi';

/** The parameters of the path of a request. */
type PathOf<Parts extends RequestParts> = Parts extends { readonly params: infer Path extends z.ZodType }
  ? z.output<Path>
  : object;

/** What an operation of the operator says beyond every other. */
interface OperatorParts<Parts extends RequestParts, Body extends BodyParts, Given, Found> {
  readonly duty: Duty;
  /** Whether two people may have to agree on it: then it becomes a proposal. */
  readonly needsTwo?: true;
  readonly ledgerOfChange?: LedgerOfChange;
  /** Of an upload. */
  readonly maxBytes?: number;
  /** Finds what the path names. Its refusal is the answer. */
  readonly find?: (bindings: Bindings, path: PathOf<Parts>) => Promise<Outcome<Found>>;
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

/** What adds operations of the operator to an area, under a tag of the document. */
export function operationsOf(area: Area, tag: string) {
  return <
    Given extends BodyOf<Body>,
    Found,
    const Parts extends RequestParts = object,
    Body extends BodyParts = BodyParts,
  >({
    duty,
    find,
    handle,
    needsTwo,
    ledgerOfChange,
    maxBytes,
    ...operation
  }: Operation<Parts, Body> & OperatorParts<Parts, Body, Given, Found>): void => {
    const kind = operatorKind(tag, duty, operation.request?.body !== undefined, { needsTwo, ledgerOfChange, maxBytes });
    const found = {
      ...operation,
      handle: async (c: OperationContext<Parts, OperatorEnvironment>) => {
        if (!find) return handle(c, undefined as Found);
        const named = await find(c.env, c.req.valid('param' as never) as PathOf<Parts>);
        return named.ok ? handle(c, named.value) : named;
      },
    };
    addOperation(area, kind, found as never);
  };
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
  const withBody =
    maxBytes === undefined
      ? authenticateOperatorJson(duty, ledgerOfChange)
      : every(authenticateOperator(duty), takeJsonUpTo(maxBytes));
  const withoutBody = needsTwo ? authenticateOperatorChange(duty) : authenticateOperator(duty);
  return {
    tags: [tag],
    security: [{ operatorToken: [] }],
    middleware: hasBody ? withBody : withoutBody,
    after: [...operatorRefusals, ...(needsTwo ? (['approval_required'] as const) : [])],
    ...(needsTwo && { responses: proposed }),
  };
}
