import type { Scope } from '../../src/keys/rights.ts';
import type { Trader } from '../support/exchange.ts';
import { DAY_MS, type Entry, type ModelAccount, type ModelKey, type Post } from './model.ts';
import { type Movement, sameMovements, withoutReference } from './movement.ts';
import { must } from './must.ts';
import { type Prediction, predictOrder, refusal } from './predict-order.ts';
import { type WithdrawalPrediction, predictWithdrawal } from './predict-withdrawal.ts';
import type { Fault, Injection } from './inject-faults.ts';
import type { World } from './world.ts';

/** How long after its first receipt an open request must not get a final refusal. */
const MAY_LAND_MS = 60_000;

const paths = { placeOrder: '/api/v1/orders', createWithdrawal: '/api/v1/wallet/withdrawals' } as const;
const scopes = { placeOrder: 'trade', createWithdrawal: 'withdraw' } as const;
const kinds = { placeOrder: 'order', createWithdrawal: 'withdrawal' } as const;

export interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly body: string;
  readonly replayed: boolean;
  readonly recordId: string | null;
  readonly recordStatus: string | null;
}

export async function post(trader: Trader, { operation, body, idempotencyKey }: Post): Promise<Reply> {
  const headers = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
  const response = await trader.post(paths[operation], body, headers);
  const text = await response.text();
  const read = JSON.parse(text) as Record<string, { id?: string; status?: string } | string | undefined>;
  const record = (read['order'] ?? read['withdrawal']) as { id: string; status: string } | undefined;
  const named = read['orderId'] ?? read['withdrawalId'];
  return {
    status: response.status,
    code: typeof read['code'] === 'string' ? read['code'] : null,
    body: text,
    replayed: response.headers.get('X-Idempotency-Replay') === 'true',
    recordId: record?.id ?? (typeof named === 'string' ? named : null),
    recordStatus: record?.status ?? null,
  };
}

export function findEntry(world: World, key: ModelKey, { idempotencyKey }: Post): Entry | undefined {
  const entry = idempotencyKey === null ? undefined : key.entries.get(idempotencyKey);
  return entry && entry.received_ms > world.now_ms - DAY_MS ? entry : undefined;
}

export async function predictFresh(world: World, account: ModelAccount, request: Post): Promise<WithdrawalPrediction> {
  if (account.frozen) return { answers: [refusal(403, 'account_frozen')], wanted: [], totp: null };
  if (request.operation === 'createWithdrawal') return predictWithdrawal(world, account, request);
  return { answers: predictOrder(world, account, request), wanted: [], totp: null };
}

/**
 * What may come of a request that was sent at a time, with what was predicted then. A gate of several may have waited for
 * the window of a round, and then fills at a round of that later time.
 */
export function predictAgain(
  world: World,
  account: ModelAccount,
  request: Post,
  answers: readonly Prediction[],
  sent_ms: number,
): readonly Prediction[] {
  const mayHaveWaited = request.operation === 'placeOrder' && !account.frozen && world.now_ms > sent_ms;
  return mayHaveWaited ? [...answers, ...predictOrder(world, account, request)] : answers;
}

/** The refusal because of the key itself, which comes before all others. */
export function refuseKey(key: ModelKey, scope: Scope): Prediction | null {
  if (!key.scopes.includes(scope)) return refusal(403, 'insufficient_scope');
  return key.revoked ? refusal(401, 'invalid_api_key') : null;
}

function fingerprintOf({ operation, body }: Post): string {
  const counted = Object.entries(body).filter(([name]) => name !== 'totpCode');
  return JSON.stringify([operation, ...counted.map(String).toSorted()]);
}

const withoutFault: Injection = { count: () => 0, remove: () => undefined };

/**
 * Sends a request, with a fault or without, and holds what came of it against what may come of it: the answer, what
 * moved, and what a replay gives from then on (I4, I11).
 */
export async function execute(
  world: World,
  account: ModelAccount,
  key: ModelKey,
  request: Post,
  fault: Fault | null,
): Promise<Reply> {
  const { trader } = key;
  const entry = findEntry(world, key, request);
  const refused = refuseKey(key, scopes[request.operation]);
  const fresh = await predictFresh(world, account, request);
  world.wanted = fresh.wanted;
  const received_ms = world.now_ms;
  const injection = (await fault?.inject(world, trader)) ?? withoutFault;
  let reply: Reply;
  try {
    reply = await post(trader, request);
  } finally {
    injection.remove();
  }
  await Promise.all(world.after.splice(0));
  const injected = fault ? injection.count() : 0;
  if (fault) world.count('faults', fault.name, injected > 0 ? 1 : 0);
  const tolerance = fault && injected > 0 ? fault.tolerance[request.idempotencyKey === null ? 1 : 0] : null;
  // Only a request that reached the rules touches the second factor; after a fault, the database tells.
  const reached = !refused && !entry?.answer;
  if (account.totp && request.operation === 'createWithdrawal' && reached) {
    if (tolerance || entry || world.custodian.injected > 0) world.openTotps.add(account.id);
    else if (fresh.totp) settleTotp(account, fresh, reply);
  }
  const moved = await world.observe();
  const isLate = world.custodian.mode === 'answers_late' && world.custodian.injected > 0;
  if (isLate) await world.awaitSettlement();

  const answers = predictAgain(world, account, request, fresh.answers, received_ms);
  const context = { world, account, key, request, entry, fresh: answers, tolerance, received_ms };
  if (refused) mustBe(reply, [refused], moved, tolerance);
  else if (entry && fingerprintOf(entry.request) !== fingerprintOf(request)) checkReused(context, reply, moved);
  else if (entry?.answer) checkReplay(entry.answer, reply, moved, tolerance);
  else if (entry?.recordId) checkRecalled(context, entry, reply, moved);
  else checkExecuted(context, reply, moved);
  const made = `${kinds[request.operation]} ${reply.recordStatus}${reply.replayed ? ' replayed' : ''}`;
  world.count('answers', reply.code ?? made);
  return reply;
}

interface Context {
  readonly world: World;
  readonly account: ModelAccount;
  readonly key: ModelKey;
  readonly request: Post;
  readonly entry: Entry | undefined;
  readonly fresh: readonly Prediction[];
  readonly tolerance: Fault['tolerance'][0] | null;
  readonly received_ms: number;
}

function settleTotp({ totp }: ModelAccount, fresh: WithdrawalPrediction, reply: Reply): void {
  if (!totp || !fresh.totp) return;
  const step = fresh.wanted[0]?.totpStep;
  Object.assign(totp, fresh.totp, reply.status === 201 && step ? { usedStep: step } : {});
}

function mustBe(
  reply: Reply,
  allowed: readonly Prediction[],
  moved: readonly Movement[],
  tolerance: string | null,
): void {
  must(moved.length === 0, 'a refused request moved money', reply, moved);
  const isAllowed = allowed.some(({ status, code }) => reply.status === status && reply.code === code);
  const isFault = tolerance !== null && tolerance !== 'none' && reply.status >= 503;
  must(isAllowed || isFault, 'answered', reply, 'instead of', allowed);
}

/** An open request may have left no entry; then another request may use its Idempotency-Key. */
function checkReused(context: Context, reply: Reply, moved: readonly Movement[]): void {
  if (context.entry?.answer || context.entry?.recordId || reply.code === 'idempotency_key_reused') {
    mustBe(reply, [refusal(422, 'idempotency_key_reused')], moved, context.tolerance);
  } else checkExecuted({ ...context, entry: undefined }, reply, moved);
}

function checkReplay(
  answer: NonNullable<Entry['answer']>,
  reply: Reply,
  moved: readonly Movement[],
  tolerance: Context['tolerance'],
): void {
  must(moved.length === 0, 'a replay moved money', reply, moved);
  if (tolerance === 'unknown_either' && reply.status === 504) return;
  const isSame = reply.status === answer.status && reply.body === answer.body && reply.replayed;
  must(isSame, 'a replay is another answer', reply, answer);
}

/** Checks a repeated request whose effect is in the journal although its caller got no answer. */
function checkRecalled({ tolerance }: Context, entry: Entry, reply: Reply, moved: readonly Movement[]): void {
  must(moved.length === 0, 'executed twice', entry.recordId, reply, moved);
  if (tolerance === 'unknown_either' && reply.status === 504) return;
  must(reply.status === 201 && reply.recordId === entry.recordId, 'forgotten', entry.recordId, reply);
  entry.answer = { status: reply.status, body: reply.body };
}

function checkExecuted(context: Context, reply: Reply, moved: readonly Movement[]): void {
  const { world, account, key, request, entry, fresh, tolerance } = context;
  const kind = kinds[request.operation];
  const references = [...new Set(moved.map(({ reference }) => reference))];
  must(references.length <= 1, 'more than one effect', references);
  const recordId = references[0] ?? null;
  const effect = moved.map(withoutReference);
  const isFilled = noteEffect(world, fresh, effect);
  must(recordId === null || isFilled, 'moved', moved, 'instead of', fresh, world.market.describe());
  if (recordId !== null && kind === 'order') world.model.orders.set(recordId, account.id);
  if (recordId !== null) world.model.noteName(account.id, request);
  if (entry?.namedId && recordId) must(entry.namedId === recordId, 'another id than was told', entry.namedId, recordId);

  const isRefusal = fresh.some(({ status }) => status !== 201);
  if (reply.status === 201) {
    must(recordId !== null && reply.recordId === recordId, 'answered 201 without an effect', reply, moved);
    checkRecordStatus(context, reply, recordId);
  } else if (reply.status === 504) {
    const mayBeOpen = tolerance === 'unknown_either' || tolerance === 'unknown_without';
    // While an earlier write may still succeed, nothing is refused for good.
    const isHeld =
      isRefusal && (tolerance !== null || (entry && context.received_ms - entry.received_ms < MAY_LAND_MS));
    must(mayBeOpen || isHeld === true, 'answered 504', reply, tolerance, fresh);
    must(recordId === null || tolerance === 'unknown_either', 'answered 504 with an effect', reply, moved);
  } else {
    must(recordId === null, 'refused with an effect', reply, moved);
    const isTurnedAway = tolerance === 'turned_away' && reply.code === 'service_unavailable';
    const isAllowed = fresh.some(({ status, code }) => status === reply.status && code === reply.code);
    // A request that was tried several times counted its code several times.
    const isLocked = tolerance !== null && 'totpCode' in request.body && reply.code === 'withdrawals_locked';
    must(isAllowed || isTurnedAway || isLocked, 'answered', reply, 'instead of', fresh, tolerance);
  }
  keep(context, key, reply, recordId);
}

/**
 * Whether an effect is one of the allowed ones. If it is an order, the market notes the round that it was filled at.
 */
export function noteEffect(
  { market }: World,
  fresh: readonly Prediction[],
  effect: readonly Omit<Movement, 'reference'>[],
): boolean {
  const predicted = fresh.filter((one) => one.movements.length > 0 && sameMovements(one.movements, effect));
  const fills = predicted.flatMap(({ filled }) => filled ?? []);
  const rounds = fills.map(({ round }) => round);
  if (fills[0]) market.noteFill(fills[0].coin, rounds);
  noteMiddles(market, predicted);
  return predicted.length > 0;
}

export function noteMiddles(market: World['market'], predicted: readonly Prediction[]): void {
  for (const { filled } of predicted) if (filled) market.noteMiddle(filled.coin, filled.middle);
}

/**
 * Notes what a replay must give: a decision is kept, an unknown outcome stays open, and a temporary refusal is
 * forgotten.
 */
function keep({ request, entry, received_ms }: Context, key: ModelKey, reply: Reply, recordId: string | null): void {
  if (request.idempotencyKey === null) return;
  const isKept = reply.status === 201 || reply.status === 422 || reply.code === 'address_not_allowlisted';
  const unanswered = { request, received_ms, counted_ms: received_ms, answer: null, recordId: null, namedId: null };
  const standing: Entry = entry ?? unanswered;
  if (isKept) standing.counted_ms = received_ms;
  if (isKept) standing.answer = { status: reply.status, body: reply.body };
  standing.recordId ??= recordId;
  if (reply.status === 504) standing.namedId ??= reply.recordId;
  if (isKept || reply.status === 504 || entry) key.entries.set(request.idempotencyKey, standing);
}

/** A withdrawal's answer has its present status, or the one before the custodian answered. */
function checkRecordStatus({ world, request, tolerance }: Context, reply: Reply, recordId: string): void {
  if (request.operation === 'placeOrder') return must(reply.recordStatus === 'COMPLETED', 'an order that is', reply);
  const standing = world.model.withdrawals.get(recordId);
  const isLate = world.custodian.mode === 'answers_late';
  const isSame = reply.recordStatus === standing?.status;
  must(isSame || (reply.recordStatus === 'PROCESSING' && isLate), 'answered', reply, 'but it is', standing);
  if (tolerance !== null || standing === undefined || standing.status === 'PENDING') return;
  if (standing.recipient !== null) return must(standing.status === 'COMPLETED', 'another ledger did not pay', standing);
  const { mode } = world.custodian;
  const end = mode === 'refuses' ? 'FAILED' : /^(fails|hangs|accepts)/.test(mode) ? 'PROCESSING' : 'COMPLETED';
  must(standing.status === end, 'the custodian', mode, 'and it is', standing);
}
