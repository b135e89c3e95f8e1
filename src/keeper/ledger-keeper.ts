import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { wakeBehind } from '../events/webhooks/reach-sender.ts';
import { openLedger } from '../db/database.ts';
import { keepSettings } from '../db/copy-settings.ts';
import { type Keeper, type KeeperStanding, ledgerOfKeeper } from '../reconciliation/reach-keeper.ts';
import { KeptLinks } from '../reconciliation/kept-links.ts';
import { NO_PROGRESS, Progress } from '../reconciliation/progress.ts';
import { Reconciler, SLICE_LIMITS, type Slice } from '../reconciliation/reconciler.ts';
import type { CustodyStanding } from '../db/custody-standing.ts';
import type { FlowsOfDay } from '../reconciliation/flows.ts';
import { DaySums } from '../reconciliation/day-sums.ts';
import type { ProfitOfDay } from '../reconciliation/profit-of-day.ts';
import type { PositionOfDay } from '../reconciliation/position-of-day.ts';
import { readCustodyStanding } from '../custody/watch-custody.ts';
import type { Duty, DutyContext } from '../reconciliation/duty.ts';
import type { RecordKind } from '../reconciliation/record-kind.ts';
import { Mutex, SharedRun } from '../platform/turns.ts';
import { ObjectState } from '../platform/objects.ts';

const KEPT = 'reconciliation';

/** The pause after a slice, as a multiple of the slice's own time. */
const REST_PER_SLICE = 2;

/** How long one alarm reconciles; while there is more to do, the next one follows at once. */
const ALARM_TIME_MS = 10_000;

/** How long an operator who asks for a pass waits for it. */
const RUN_TIME_MS = 5_000;

/** How often new transfers are read while a pass is running. */
const FOLLOW_INTERVAL_MS = 10_000;

/** The pause between two looks for webhook endpoints that are behind. */
const WAKING_PAUSE_MS = 100;

/** A keeper that slept looks this far back for accounts to which something happened: it looks every minute. */
const UNKNOWN_LOOK_MS = 180_000;

/** How many calls may wait for the running slices, and for how long. */
const QUEUE_ROOM = 16;
const QUEUE_DEADLINE_MS = 30_000;

/**
 * The keeper of one ledger: it reconciles, sums profit and loss, copies the settings, wakes webhook endpoints
 * that are behind, and does the duties that it is given. The schedule wakes every keeper every minute. A pass goes on by
 * the object's own alarm, with pauses so that it does not slow down writers. It keeps no money. All that it stores can be
 * computed again, except the links of the history: they are stored here, out of reach of somebody who can write to the
 * ledger.
 */
export class LedgerKeeper extends DurableObject<Bindings> implements Keeper {
  readonly #links: KeptLinks;
  readonly #sums: DaySums;
  readonly #reconciler: Reconciler;
  readonly #turns = new Mutex(QUEUE_ROOM, QUEUE_DEADLINE_MS);
  readonly #duties: readonly Duty[];
  readonly #context: DutyContext;
  /** Changes that come at once cost one look for endpoints that are behind. */
  readonly #waking = new SharedRun(
    () => this.#wakeBehind(),
    () => scheduler.wait(WAKING_PAUSE_MS),
  );
  #isSweepDue = true;
  #looked_ms: number | undefined;

  constructor(ctx: DurableObjectState, env: Bindings, duties: readonly Duty[], kinds: readonly RecordKind[]) {
    super(ctx, env);
    this.#duties = duties;
    const ledger = ledgerOfKeeper(env, ctx.id);
    const database = openLedger(env, ledger);
    const state = new ObjectState(ctx.storage.sql);
    this.#links = new KeptLinks(ctx.storage.sql);
    this.#sums = new DaySums(ctx.storage.sql);
    // Progress that an older version stored is ignored; the pass then begins again.
    const progress = Progress.catch(NO_PROGRESS).parse(state.read(KEPT));
    this.#reconciler = new Reconciler({ database, ledger, kinds, links: this.#links, sums: this.#sums }, progress);
    this.#context = {
      bindings: env,
      ledger,
      database,
      state,
      sums: this.#sums,
      note: (...noted) => this.#reconciler.note(...noted),
    };
  }

  async wake(): Promise<void> {
    this.#isSweepDue = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /**
   * Reconciles for a while, copies settings, and does its duties once for each time that it was woken. If one fails, the
   * others still run.
   */
  override async alarm(): Promise<void> {
    const { ledger } = this.#context;
    // The reconciliation comes first: if it halts withdrawals, the sweep of the same minute submits none.
    await tryOrLog('reconciliation_failed', {}, undefined, () => this.#takeTurn(() => this.#reconcile()));
    await tryOrLog('settings_not_copied', {}, undefined, () => keepSettings(this.env, ledger, Date.now()));
    if (!this.#isSweepDue) return;
    this.#isSweepDue = false;
    for (const duty of this.#duties) {
      const run = () => duty.run(this.#context);
      await tryOrLog(duty.fault, {}, undefined, () => (duty.beginAnew ? this.#takeTurn(run) : run()));
    }
    await tryOrLog('senders_not_woken', {}, undefined, () => this.wakeSenders());
  }

  wakeSenders(): Promise<void> {
    return this.#waking.run();
  }

  readCustody(): Promise<CustodyStanding> {
    return Promise.resolve(readCustodyStanding(this.#context.state));
  }

  readProfit(from: string): Promise<readonly ProfitOfDay[]> {
    return Promise.resolve(this.#sums.listProfit(from));
  }

  readPositions(from: string, to: string): Promise<readonly PositionOfDay[]> {
    return Promise.resolve(this.#sums.listPositions(from, to));
  }

  readFlows(from: string): Promise<readonly FlowsOfDay[]> {
    return Promise.resolve(this.#sums.listFlows(from));
  }

  read(): Promise<KeeperStanding> {
    const links = { transfers: this.#links.newest('transfers') ?? null, audit: this.#links.newest('audit') ?? null };
    return Promise.resolve({ progress: this.#reconciler.progress, links });
  }

  async run(): Promise<void> {
    await this.#takeTurn(async () => {
      const end_ms = Date.now() + RUN_TIME_MS;
      await this.#follow(end_ms);
      this.#reconciler.begin(Date.now());
      await this.#advance(end_ms);
    });
  }

  expectPass(): Promise<void> {
    return this.#takeTurn(async () => this.#reconciler.forgetWhenItBegan());
  }

  beginAnew(): Promise<void> {
    return this.#takeTurn(async () => {
      this.#reconciler.beginAnew();
      for (const duty of this.#duties) duty.beginAnew?.(this.#context);
    });
  }

  async #wakeBehind(): Promise<void> {
    const now_ms = Date.now();
    await wakeBehind(this.env, this.#context.database, now_ms, this.#looked_ms ?? now_ms - UNKNOWN_LOOK_MS);
    this.#looked_ms = now_ms;
  }

  async #reconcile(): Promise<void> {
    const end_ms = Date.now() + ALARM_TIME_MS;
    if (!(await this.#follow(end_ms))) return this.ctx.storage.setAlarm(Date.now());
    this.#reconciler.beginWhenDue(Date.now());
    await this.#advance(end_ms);
  }

  /** Reads new transfers until the given time. Returns whether it has read all of them. */
  async #follow(end_ms: number): Promise<boolean> {
    do {
      const slice = await this.#reconciler.follow(SLICE_LIMITS, Date.now());
      if (!slice.isMore) return true;
      await rest(slice);
    } while (Date.now() < end_ms);
    return false;
  }

  async #advance(end_ms: number): Promise<void> {
    let followed_ms = Date.now();
    while (this.#reconciler.isUnderWay && Date.now() < end_ms) {
      const slice = await this.#reconciler.advance(SLICE_LIMITS, Date.now());
      if (slice.isMore) await rest(slice);
      if (Date.now() - followed_ms < FOLLOW_INTERVAL_MS) continue;
      await this.#follow(end_ms);
      followed_ms = Date.now();
    }
    if (this.#reconciler.isUnderWay) await this.ctx.storage.setAlarm(Date.now());
  }

  /**
   * Runs one call at a time and stores its progress however it ends. Throws when the call waits too long for its turn.
   */
  async #takeTurn(work: () => Promise<unknown>): Promise<void> {
    const turn = await this.#turns.run(async () => {
      try {
        await work();
      } finally {
        this.#context.state.write(KEPT, this.#reconciler.progress);
      }
    });
    if (turn.kind === 'timed_out') throw new Error('another pass of the reconciliation takes too long');
  }
}

function rest({ duration_ms }: Slice): Promise<void> {
  return scheduler.wait(Math.ceil(duration_ms * REST_PER_SLICE));
}
