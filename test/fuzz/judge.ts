import { problems, statusOf } from '../../src/http/problems.ts';
import { findFault, type listOperations } from '../support/document/documented.ts';
import type { Attack } from './draw-attack.ts';
import type { RawAnswer, RawOutcome } from './raw-client.ts';

/** The facts that an answer is compared with. */
export interface Law {
  readonly operations: ReturnType<typeof listOperations>;
  readonly secrets: readonly string[];
}

/**
 * Refusals with a status of 5xx that are correct here: the fuzzer is also the operator of a sandbox, and may halt
 * something or silence the sources of the market.
 */
const rightful5xx: readonly string[] = [
  'trading_halted',
  'withdrawals_suspended',
  'price_unavailable',
  'upstream_unavailable',
];

/** The runtime closes the connection on a longer body that nobody reads, and its answer may then be lost. */
const UNREAD_BYTES = 16 * 1024;

export async function judge(
  attack: Attack,
  outcome: RawOutcome,
  { operations, secrets }: Law,
): Promise<string | undefined> {
  if (outcome.kind === 'hang') return 'no answer in time';
  if (outcome.kind === 'closed') {
    const isLarge = attack.raw.parts.reduce((sum, part) => sum + part.length, 0) > UNREAD_BYTES;
    return attack.isWellFormed && !isLarge ? `no whole answer: ${outcome.received.slice(0, 200)}` : undefined;
  }
  const text = outcome.body.toString();
  const whole = `${outcome.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${text}`;
  const leaked = secrets.find((secret) => whole.includes(secret));
  if (leaked !== undefined) return `a secret is in the answer: ${leaked.slice(0, 6)}…`;
  if (read(outcome, 'x-request-id') === undefined) return judgeRuntime(attack, outcome, text);
  if (outcome.status >= 400) {
    const fault = judgeProblem(attack, outcome, text);
    if (fault !== undefined) return fault;
  }
  return attack.isWellFormed && !attack.raw.isHead ? judgeByDocument(attack, outcome, operations) : undefined;
}

function read({ headers }: RawAnswer, name: string): string | undefined {
  return headers.find(([one]) => one === name)?.[1];
}

/** Bytes that are not HTTP never reach the Worker. Then the runtime answers with a refusal. */
function judgeRuntime(attack: Attack, { status }: RawAnswer, text: string): string | undefined {
  const isRefusal = (status >= 400 && status < 500) || status === 501;
  return !attack.isWellFormed && isRefusal ? undefined : `${status} without a request id: ${text.slice(0, 200)}`;
}

function judgeProblem(attack: Attack, answer: RawAnswer, text: string): string | undefined {
  if (read(answer, 'content-type') !== 'application/problem+json')
    return `${answer.status} that is no problem: ${text}`;
  // The answer to HEAD has the headers of the answer to GET, and no body.
  if (attack.raw.isHead) return answer.status >= 500 ? `a ${answer.status} to a HEAD` : undefined;
  let body: { readonly code?: string; readonly status?: number; readonly requestId?: string };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return `a problem that is no JSON: ${text}`;
  }
  const { code = '' } = body;
  if (!Object.hasOwn(problems, code)) return `the code ${code} is not in the table`;
  if (answer.status >= 500 && !rightful5xx.includes(code) && !isCandlesLimit(attack, answer, code)) {
    return `${answer.status} ${code} to ${attack.operationId}: ${text.slice(0, 300)}`;
  }
  const known = code as keyof typeof problems;
  if (![statusOf(known), statusOf(known, true)].includes(answer.status as 400))
    return `${code} came with ${answer.status}`;
  if (body.status !== answer.status) return `the body says ${body.status}, the answer ${answer.status}`;
  // A replay is the first answer byte for byte, with the request id of that first request.
  const own = read(answer, 'x-request-id');
  if (body.requestId !== own && read(answer, 'x-idempotency-replay') !== 'true') {
    return `the body names the request ${body.requestId}, the header ${own}`;
  }
  return undefined;
}

/** The sources of candles may be asked only so often, whoever asks, and a few draws of the past reach that limit. */
function isCandlesLimit({ operationId }: Attack, answer: RawAnswer, code: string): boolean {
  return operationId === 'listCandles' && code === 'service_unavailable' && Number(read(answer, 'retry-after')) > 0;
}

/** Checks an answer against the document that the exchange serves. */
async function judgeByDocument(
  attack: Attack,
  answer: RawAnswer,
  operations: Law['operations'],
): Promise<string | undefined> {
  const hasBody = answer.body.length > 0;
  const response = new Response(hasBody ? answer.body : null, {
    status: answer.status,
    headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
  });
  try {
    return await findFault(attack.sent, response, operations);
  } catch (error) {
    return `it cannot be held to the document: ${String(error)}`;
  }
}
