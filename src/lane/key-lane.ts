import { DurableObject } from 'cloudflare:workers';
import { type Bindings, config } from '../env.ts';
import { type Answer, type RequestFacts, answerProblem } from '../http/answer.ts';
import { describeError, logFault } from '../http/log.ts';
import { type Outcome, type Refusal, accept, refuse } from '../http/refusal.ts';
import { clearAttempts } from '../accounts/totp.ts';
import { decideAdmission, type Admission } from '../keys/admission.ts';
import { type KeyRecord, readKeyRecord } from '../keys/record.ts';
import { openDatabase } from '../ledger/database.ts';
import { SETTINGS_MAX_AGE_MS, readSettings } from '../ledger/settings.ts';
import { firmPrice } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { withDeadline } from '../markets/with-deadline.ts';
import type { Coin } from '../money/assets.ts';
import { chooseCustody, chooseLiquidityProvider } from '../providers.ts';
import {
  type OrderPlan,
  type PlaceOrder,
  type TradingConditions,
  type TradingDesk,
  answerOrder,
  answerPlan,
  commitOrder,
  describeUnknownOrder,
  explainOrderRefusal,
  planOrder,
} from '../trade/place-order.ts';
import { boundsOf } from '../trade/order-bounds.ts';
import { readOrder } from '../trade/order.ts';
import {
  commitWithdrawal,
  describeUnknownWithdrawal,
  explainWithdrawalRefusal,
  toRow,
} from '../wallet/withdrawals/commit-withdrawal.ts';
import type { CreateWithdrawal } from '../wallet/withdrawals/create-withdrawal.ts';
import { payOut } from '../wallet/withdrawals/pay-out.ts';
import { type WithdrawalPlan, planWithdrawal } from '../wallet/withdrawals/plan-withdrawal.ts';
import { type WithdrawalRow, answerWithdrawal, readWithdrawal } from '../wallet/withdrawals/withdrawal.ts';
import { CountedBuckets } from './counted-buckets.ts';
import { type Executed, type Execution, type Recollection, executeOnce, overloaded } from './execute-once.ts';
import { Mutex } from './mutex.ts';
import { ObjectState } from './object-state.ts';
import { type BucketName, type RateState, defaultLimits } from './rate-buckets.ts';
import { type IdempotentRequest, type OpenIntent, Replays } from './replays.ts';

/** How many executions of one key may wait for their turn, and for how long. */
const QUEUE_ROOM = 256;
const QUEUE_DEADLINE_MS = 10_000;

/** How old a snapshot the lane asks the price hub for; with its own use of it, a fill's price stays below 5 s. */
const SNAPSHOT_MAX_AGE_MS = 1_000;

/** How long a POST waits for the custodian: 8 s is what a client waits for the whole. */
const PAYOUT_DEADLINE_MS = 6_500;

/** How many open intents one alarm mends; a lane has one at a time, more only after crashes. */
const MAX_MENDED = 50;

/** A read, or a market call with a key. */
export interface AdmitCall {
  readonly admission: Admission;
  readonly bucket: BucketName;
}

/** What admission says, and what the bucket says where it was asked. */
export interface AdmitReply {
  readonly outcome: Outcome<{ readonly accountId: string }>;
  readonly rate: RateState | null;
}

/** An order, as the edge sends it on. */
export interface PlaceOrderCall {
  readonly admission: Admission;
  readonly order: PlaceOrder;
  readonly request: IdempotentRequest | null;
  readonly facts: RequestFacts;
}

/** A withdrawal, as the edge sends it on. */
export interface WithdrawCall {
  readonly admission: Admission;
  readonly withdrawal: CreateWithdrawal;
  readonly request: IdempotentRequest | null;
  readonly facts: RequestFacts;
}

/** The whole answer to a POST. */
export interface ExecutionReply {
  readonly answer: Answer;
  readonly replayed: boolean;
  readonly rate: RateState | null;
}

/**
 * The lane of one API key: it admits, counts and orders what the key does, and remembers what it answered. It keeps
 * no money; D1 does, and D1 alone protects the account, since two keys of one account are two lanes.
 */
export class KeyLane extends DurableObject<Bindings> {
  readonly #state: ObjectState;
  readonly #buckets: CountedBuckets;
  readonly #replays: Replays;
  readonly #mutex = new Mutex(QUEUE_ROOM, QUEUE_DEADLINE_MS);
  readonly #liquidity = chooseLiquidityProvider(config);
  readonly #custody = chooseCustody(config);
  /** Payouts under way: who asks for the same withdrawal meanwhile waits for the same answer. */
  readonly #payouts = new Map<string, Promise<WithdrawalRow>>();
  #record: KeyRecord | undefined;
  #conditions: { readonly value: TradingConditions; readonly read_ms: number } | undefined;
  #alarmStands: boolean | undefined;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#state = new ObjectState(ctx.storage.sql);
    this.#buckets = new CountedBuckets(this.#state);
    this.#replays = new Replays(ctx.storage.sql);
    this.#record = this.#state.read('record') as KeyRecord | undefined;
  }

  /** Says who a key is, whether it may, and counts the request: the one hop of every read. */
  async admit(call: AdmitCall): Promise<AdmitReply> {
    const record = await this.#decide(call.admission);
    if (!record.ok) return { outcome: record, rate: null };
    const counted = this.#count(call.bucket, record.value);
    if (!counted.outcome.ok) return { outcome: counted.outcome, rate: counted.rate };
    return { outcome: accept({ accountId: record.value.accountId }), rate: counted.rate };
  }

  /** Places an order: admission, bucket, turn, and one execution at most per Idempotency-Key. */
  async placeOrder(call: PlaceOrderCall): Promise<ExecutionReply> {
    const reply = await this.#execute(call, 'trade', (record) => this.#orderExecution(call.order, record.accountId));
    return { answer: reply.answer, replayed: reply.replayed, rate: reply.rate };
  }

  /**
   * Takes a withdrawal, under the same contract as an order, and has it paid out. The custodian is awaited outside the
   * mutex, so one that hangs stops nothing else of this key; what it has not said in time is answered as PROCESSING.
   */
  async withdraw(call: WithdrawCall): Promise<ExecutionReply> {
    const execution = { row: undefined as WithdrawalRow | undefined };
    const reply = await this.#execute(call, 'withdraw', (record) =>
      this.#withdrawalExecution(call.withdrawal, record.accountId, execution),
    );
    const { answer, replayed, rate, open } = reply;
    if (!open || !execution.row) return { answer, replayed, rate };
    const paid = await this.#payOutInTime(execution.row, open.isFresh);
    const final = answerWithdrawal(paid);
    if (call.request) this.#replays.remember(call.request.idempotencyKey, final);
    return { answer: final, replayed, rate };
  }

  /** Reads the key's record anew: the operator changed the key, or its account. Throws when D1 fails. */
  async reloadRecord(keyId: string): Promise<void> {
    this.#keep(await readKeyRecord(openDatabase(this.env.DB), keyId));
  }

  /** Deletes expired replays, and gives an intent that a crash left open its answer where D1 has its record. */
  override async alarm(): Promise<void> {
    this.#alarmStands = false;
    this.#replays.purge(Date.now());
    for (const intent of this.#replays.listOpen(MAX_MENDED)) await this.#mend(intent);
    await this.#ensureAlarm();
  }

  async #mend(intent: OpenIntent): Promise<void> {
    if (!this.#record) return;
    const { accountId } = this.#record;
    // An intent without a record waits for its caller: only a request executes.
    const execution = { row: undefined as WithdrawalRow | undefined };
    const recalled =
      intent.operation === 'placeOrder'
        ? await this.#recallOrder(accountId, intent.recordId)
        : await this.#recallWithdrawal(accountId, intent.recordId, execution);
    if (recalled.kind !== 'found') return;
    const isOpen = recalled.isOpen === true && execution.row !== undefined;
    const answer =
      isOpen && execution.row ? answerWithdrawal(await this.#payOutInTime(execution.row, false)) : recalled.answer;
    this.#replays.remember(intent.idempotencyKey, answer);
  }

  /** The withdrawal as the custodian leaves it, or as it is when the custodian takes too long; the payout goes on. */
  async #payOutInTime(row: WithdrawalRow, isFresh: boolean): Promise<WithdrawalRow> {
    let paying = this.#payouts.get(row.id);
    if (!paying) {
      const database = openDatabase(this.env.DB);
      paying = payOut(database, this.#custody, row, isFresh, () => Date.now()).finally(() =>
        this.#payouts.delete(row.id),
      );
      this.#payouts.set(row.id, paying);
    }
    const underWay = paying;
    try {
      return await withDeadline(PAYOUT_DEADLINE_MS, () => underWay);
    } catch {
      return row;
    }
  }

  async #execute<Plan>(
    call: { readonly admission: Admission; readonly request: IdempotentRequest | null; readonly facts: RequestFacts },
    bucket: BucketName,
    prepare: (record: KeyRecord) => Execution<Plan>,
  ): Promise<Executed & { readonly rate: RateState | null }> {
    const problem = (refusal: Refusal, rate: RateState | null) => ({
      answer: answerProblem(refusal, call.facts),
      replayed: false,
      rate,
    });
    const record = await this.#decide(call.admission);
    if (!record.ok) return problem(record.refusal, null);
    // From here to the queue nothing is awaited, so the room that was seen is the room that is taken.
    if (!this.#mutex.hasRoom()) return problem(queueFull, null);
    const counted = this.#count(bucket, record.value);
    if (!counted.outcome.ok) return problem(counted.outcome.refusal, counted.rate);
    const turn = await this.#mutex.run(async () => {
      const executed = await executeOnce(prepare(record.value), call.request, this.#replays, call.facts, {
        now: () => Date.now(),
        sync: () => this.ctx.storage.sync(),
      });
      if (call.request) await this.#ensureAlarm();
      return executed;
    });
    if (turn.kind === 'timed_out') return problem(overloaded.refusal, counted.rate);
    return { ...turn.value, rate: counted.rate };
  }

  async #decide(admission: Admission): Promise<Outcome<KeyRecord>> {
    if (!this.#record) {
      try {
        this.#keep(await readKeyRecord(openDatabase(this.env.DB), admission.keyId));
      } catch (error) {
        logFault('key_record_unreadable', { keyId: admission.keyId, error: describeError(error) });
        return overloaded;
      }
    }
    return decideAdmission(this.#record, admission, Date.now());
  }

  #keep(record: KeyRecord | undefined): void {
    this.#record = record;
    if (record) this.#state.write('record', record);
  }

  #count(bucket: BucketName, record: KeyRecord): { outcome: Outcome<null>; rate: RateState } {
    const decision = this.#buckets.take(bucket, record.rateLimits[bucket] ?? defaultLimits[bucket], Date.now());
    if (decision.admitted) return { outcome: accept(null), rate: decision.state };
    const outcome = refuse('rate_limited', `The ${bucket} bucket of this key is empty.`, {
      retryAfterSeconds: decision.retryAfter_s,
    });
    return { outcome, rate: decision.state };
  }

  #orderExecution(order: PlaceOrder, accountId: string): Execution<OrderPlan> {
    const database = openDatabase(this.env.DB);
    const desk: TradingDesk = {
      liquidity: this.#liquidity,
      spread_bps: config.SPREAD_BPS,
      boundsOf: (coin) =>
        boundsOf(coin, { min: config.ORDER_MIN_USDT, max: config.ORDER_MAX_USDT }, config.ORDER_BOUNDS),
      readConditions: (coin) => this.#readConditions(coin),
      now: () => Date.now(),
    };
    return {
      plan: () => planOrder(order, desk),
      commit: (orderId, plan) => commitOrder(database, accountId, orderId, plan),
      answer: answerPlan,
      recall: (orderId) => this.#recallOrder(accountId, orderId),
      explain: (refusal) => explainOrderRefusal(refusal, accountId),
      describeUnknown: describeUnknownOrder,
    };
  }

  #withdrawalExecution(
    withdrawal: CreateWithdrawal,
    accountId: string,
    execution: { row: WithdrawalRow | undefined },
  ): Execution<WithdrawalPlan> {
    const database = openDatabase(this.env.DB);
    let figures: Pick<WithdrawalPlan, 'asset' | 'limit' | 'used'> | undefined;
    return {
      plan: async () => {
        try {
          const planned = await planWithdrawal(withdrawal, {
            database,
            accountId,
            totpSecrets: config.TOTP_SECRETS,
            allowlistMode: config.ALLOWLIST_MODE,
            readSnapshot: () => readSnapshot(this.env.PRICE_HUB, SNAPSHOT_MAX_AGE_MS),
            now: () => Date.now(),
          });
          if (planned.ok) figures = planned.value;
          return planned;
        } catch (error) {
          logFault('withdrawal_not_planned', { error: describeError(error) });
          return overloaded;
        }
      },
      commit: async (id, plan) => {
        const now_ms = Date.now();
        execution.row = toRow(accountId, id, plan, now_ms);
        const outcome = await commitWithdrawal(database, accountId, id, plan, now_ms);
        // A right code does not count, whatever else refused; one that another request used first was none.
        const isRefused =
          outcome.kind === 'floor' || (outcome.kind === 'guarded' && outcome.guard !== 'totp_step_used');
        if (isRefused && plan.totpStep !== null) await clearAttempts(database, accountId);
        return outcome;
      },
      answer: (id, plan) => answerWithdrawal(execution.row ?? toRow(accountId, id, plan, Date.now())),
      isOpen: () => execution.row?.status === 'PROCESSING',
      recall: (id) => this.#recallWithdrawal(accountId, id, execution),
      explain: (refusal) => {
        if (!figures) throw new Error('a withdrawal was refused before it was planned');
        return explainWithdrawalRefusal(refusal, figures);
      },
      describeUnknown: describeUnknownWithdrawal,
    };
  }

  async #recallWithdrawal(
    accountId: string,
    id: string,
    execution: { row: WithdrawalRow | undefined },
  ): Promise<Recollection> {
    try {
      const row = await readWithdrawal(openDatabase(this.env.DB), accountId, id);
      if (!row) return { kind: 'absent' };
      execution.row = row;
      return { kind: 'found', answer: answerWithdrawal(row), isOpen: row.status === 'PROCESSING' };
    } catch (error) {
      logFault('withdrawal_unreadable', { withdrawalId: id, error: describeError(error) });
      return { kind: 'unknown' };
    }
  }

  async #recallOrder(accountId: string, orderId: string): Promise<Recollection> {
    try {
      const row = await readOrder(openDatabase(this.env.DB), accountId, orderId);
      return row ? { kind: 'found', answer: answerOrder(row) } : { kind: 'absent' };
    } catch (error) {
      logFault('order_unreadable', { orderId, error: describeError(error) });
      return { kind: 'unknown' };
    }
  }

  /** Prices and settings, asked for together when those at hand are too old or hold no firm price of the coin. */
  async #readConditions(coin: Coin): Promise<Outcome<TradingConditions>> {
    const now_ms = Date.now();
    const held = this.#conditions;
    const isUsable =
      held?.value.snapshot &&
      now_ms - held.read_ms <= SETTINGS_MAX_AGE_MS &&
      firmPrice(held.value.snapshot, coin, now_ms) !== undefined;
    if (isUsable) return accept(held.value);
    try {
      const [snapshot, settings] = await Promise.all([
        readSnapshot(this.env.PRICE_HUB, SNAPSHOT_MAX_AGE_MS),
        readSettings(openDatabase(this.env.DB)),
      ]);
      this.#conditions = { value: { snapshot, settings }, read_ms: now_ms };
      return accept(this.#conditions.value);
    } catch (error) {
      logFault('settings_unreadable', { error: describeError(error) });
      return overloaded;
    }
  }

  /** Sets the alarm where none stands: at the moment when the oldest replay expires. */
  async #ensureAlarm(): Promise<void> {
    this.#alarmStands ??= (await this.ctx.storage.getAlarm()) !== null;
    if (this.#alarmStands) return;
    const next_ms = this.#replays.nextExpiry();
    if (next_ms === undefined) return;
    await this.ctx.storage.setAlarm(next_ms);
    this.#alarmStands = true;
  }
}

const { refusal: queueFull } = refuse('rate_limited', 'Too many requests of this key wait for their turn.', {
  retryAfterSeconds: 1,
});
