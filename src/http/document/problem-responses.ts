import { z } from '@hono/zod-openapi';
import { fieldFaults } from '../answer.ts';
import { type ProblemCode, type ProblemMember, problems, statusOf } from '../problems.ts';

/** The body of every problem (RFC 9457). */
export const Problem = z
  .object({
    type: z.url().openapi({ description: 'The page that explains the code' }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().openapi({ description: 'For the person who must act on it; its wording may change' }),
    instance: z.string().openapi({ description: 'The path of the request' }),
    code: z.string().openapi({ description: 'Stable; each response lists those that it may have' }),
    requestId: z.string().openapi({ description: 'The same as in X-Request-Id' }),
    retryable: z.boolean().openapi({ description: 'Whether the same request may succeed later without a change' }),
    errors: z
      .array(
        z.object({
          pointer: z.string(),
          code: z.string().openapi({
            description: `Stable; there may be more in time. ${Object.entries(fieldFaults)
              .map(([fault, meaning]) => `\`${fault}\`: ${meaning}`)
              .join('; ')}`,
            example: 'wrong_format',
          }),
          detail: z.string(),
        }),
      )
      .optional()
      .openapi({ description: 'Every invalid field: a JSON pointer into the body, or the name of a parameter' }),
  })
  .openapi('Problem');

/**
 * The members that only some codes have. They are plain JSON schemas, not zod's, since there are hundreds of responses.
 */
const members = {
  orderId: { type: 'string', description: 'The order that may have been placed; read it by this id' },
  withdrawalId: { type: 'string', description: 'The withdrawal that may have been made; read it by this id' },
  reference: {
    type: 'string',
    description: 'The reference of the settlement that may have been made; repeat the request with it',
  },
  networks: { type: 'array', items: { type: 'string' }, description: 'The networks that carry the asset' },
  limit: { type: 'string', description: 'What may be withdrawn in 24 hours, in USDT' },
  used: { type: 'string', description: 'What was withdrawn in the last 24 hours, in USDT' },
  remaining: { type: 'string', description: 'What is left of the limit, in USDT' },
  asset: { type: 'string', description: 'The asset of which the account has too little' },
  available: { type: 'string', description: 'What the account has of it' },
  required: { type: 'string', description: 'What the request needs of it, a fee included' },
  fee: { type: 'string', description: 'The fee in what is required' },
} as const satisfies Record<ProblemMember, unknown>;

/** A code that an operation may refuse with; `inPath` where the path itself names what is refused. */
export type DeclaredProblem = ProblemCode | { readonly code: ProblemCode; readonly inPath: true };

/** The name of a problem's example: its code, with a suffix where the path gives it another status. */
function nameExample(code: ProblemCode, status: number): string {
  return status === problems[code].status ? code : `${code}_in_path`;
}

/**
 * The responses of an operation's refusals by status, from the one table: the codes that the operation may give at
 * that status and no others, and an example of each.
 */
export function describeProblems(declared: readonly DeclaredProblem[]) {
  const codesByStatus = new Map<number, Set<ProblemCode>>();
  for (const problem of declared) {
    const { code, inPath } = typeof problem === 'string' ? { code: problem, inPath: false } : problem;
    const status = statusOf(code, inPath);
    codesByStatus.set(status, (codesByStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [status, describeProblem(status, [...codes])] as const),
  );
}

function describeProblem(status: number, codes: readonly ProblemCode[]) {
  const lines = codes.map((code) => `- \`${code}\`: ${problems[code].title}`);
  const own = codes.flatMap((code) => problems[code].members ?? []);
  const properties = {
    code: { type: 'string', enum: codes },
    ...Object.fromEntries(own.map((member) => [member, members[member]])),
  };
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties }] };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${nameExample(code, status)}` }] as const);
  return {
    description: lines.join('\n'),
    content: {
      'application/problem+json': { schema, examples: Object.fromEntries(examples) },
    },
  };
}
