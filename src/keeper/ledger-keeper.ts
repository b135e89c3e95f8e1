import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { purgeEvents } from '../events/purge-events.ts';
import { copyEndpoints } from '../events/webhooks/endpoint-copies.ts';
import { wakeBehind } from '../events/webhooks/reach-sender.ts';
import { type Database, listLedgers, openLedger } from '../db/database.ts';
import { keepSettings } from '../db/copy-settings.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { NearlyUsed, watchShares } from '../db/shares/watch-shares.ts';
import { type Keeper, type KeeperStanding, ledgerOfKeeper } from '../reconciliation/reach-keeper.ts';
import { KeptLinks } from '../reconciliation/kept-links.ts';
import { NO_PROGRESS, Progress } from '../reconciliation/progress.ts';
import { Reconciler, SLICE_LIMITS, type Slice } from '../reconciliation/reconciler.ts';
import { CustodyStanding, NEVER_ASKED } from '../db/custody-standing.ts';
import { type SpreadOfDay, SpreadSums } from '../reconciliation/spread-sums.ts';
import type { Custody } from '../custody/custody.ts';
import { watchCustody } from '../custody/watch-custody.ts';
import { PaymentsPosition, checkPayments } from '../withdrawals/check-payments.ts';
import { sweepWithdrawals } from '../withdrawals/sweep-withdrawals.ts';
import { Mutex, SharedRun } from '../platform/turns.ts';
import { ObjectState } from '../platform/object-state.ts';

const KEPT = 'reconciliation';
const KEPT_CUSTODY = 'custody';
const KEPT_PAYMENTS = 'payments';
const KEPT_SHARES = 'shares';

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

/** How many calls may wait for the running slices, and for how long. */
const QUEUE_ROOM = 16;
const QUEUE_DEADLINE_MS = 30_000;

export interface KeeperSettings {
  readonly custody: Custody;
  /** Whether withdrawals are halted when the custodian lastingly holds less than it should. */
  readonly haltsOnShortfall: boolean;
}

/**
 * The keeper of one ledger: it reconciles, sums the spread that orders earned, looks up withdrawals that the custodian
 * has, compares payments between ledgers, copies the settings and keeps its ledger's shares of the limits, wakes
 * webhook endpoints that are behind, and deletes old events. That of ledger 0 also asks the custodian what it holds,
 * and compares it with all ledgers together. The schedule wakes every keeper every minute. A pass goes on by the
 * object's own alarm, with pauses so that it does not slow down writers. It keeps no money. All that it stores can be
 * computed again, except the links of the history: they are stored here, out of reach of somebody who can write to the
 * ledger.
 */
export class LedgerKeeper extends DurableObject<Bindings> implements Keeper {
  readonly #state: ObjectState;
  readonly #links: KeptLinks;
  readonly #spread: SpreadSums;
  readonly #reconciler: Reconciler;
  readonly #turns = new Mutex(QUEUE_ROOM, QUEUE_DEADLINE_MS);
  readonly #settings: KeeperSettings;
  readonly #ledger: number;
  readonly #database: Database;
  /** Changes that come at once cost one look for endpoints that are behind. */
  readonly #waking = new SharedRun(
    () => wakeBehind(this.env, this.#database, Date.now()),
    () => scheduler.wait(WAKING_PAUSE_MS),
  );
  #custodyStanding: CustodyStanding;
  #payments: PaymentsPosition;
  #isSweepDue = true;
  /** The last account whose old events were looked at; `null` where the next look begins with the first account. */
  #purgedTo: string | null = null;

  constructor(ctx: DurableObjectState, env: Bindings, settings: KeeperSettings) {
    super(ctx, env);
    this.#settings = settings;
    this.#ledger = ledgerOfKeeper(env, ctx.id);
    this.#database = openLedger(env, this.#ledger);
    this.#state = new ObjectState(ctx.storage.sql);
    this.#links = new KeptLinks(ctx.storage.sql);
    this.#spread = new SpreadSums(ctx.storage.sql);
    // Progress that an older version stored is ignored; the pass then begins again.
    const kept = Progress.safeParse(this.#state.read(KEPT));
    const known = CustodyStanding.safeParse(this.#state.read(KEPT_CUSTODY));
    this.#custodyStanding = known.success ? known.data : NEVER_ASKED;
    const compared = PaymentsPosition.safeParse(this.#state.read(KEPT_PAYMENTS));
    this.#payments = compared.success ? compared.data : {};
    const stored = { ledger: this.#ledger, links: this.#links, spread: this.#spread };
    this.#reconciler = new Reconciler(this.#database, stored, kept.success ? kept.data : NO_PROGRESS);
  }

  async wake(): Promise<void> {
    this.#isSweepDue = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /**
   * Reconciles for a while, copies settings, and sweeps once for each time that it was woken. If one fails, the others
   * still run.
   */
  override async alarm(): Promise<void> {
    // The reconciliation comes first: if it halts withdrawals, the sweep of the same minute submits none.
    await attempt('reconciliation_failed', () => this.#takeTurn(() => this.#reconcile()));
    await attempt('settings_not_copied', () => keepSettings(this.env, this.#ledger, Date.now()));
    if (!this.#isSweepDue) return;
    this.#isSweepDue = false;
    await attempt('payments_not_checked', () => this.#takeTurn(() => this.#checkPayments()));
    await attempt('sweep_failed', () =>
      sweepWithdrawals({
        database: this.#database,
        ledgers: this.env,
        custody: this.#settings.custody,
        now: () => Date.now(),
      }),
    );
    if (this.#ledger === FIRST_LEDGER) await attempt('custody_not_watched', () => this.#watchCustody());
    await attempt('shares_not_watched', () => this.#watchShares());
    await attempt('endpoints_not_copied', () => copyEndpoints(this.env, this.#ledger));
    await attempt('senders_not_woken', () => this.wakeSenders());
    await attempt('events_not_purged', () => this.#purgeEvents());
  }

  wakeSenders(): Promise<void> {
    return this.#waking.run();
  }

  readCustody(): Promise<CustodyStanding> {
    return Promise.resolve(this.#custodyStanding);
  }

  readSpread(from: string): Promise<readonly SpreadOfDay[]> {
    return Promise.resolve(this.#spread.list(from));
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
    return this.#takeTurn(() => {
      this.#reconciler.forgetWhenItBegan();
      return Promise.resolve();
    });
  }

  beginAnew(): Promise<void> {
    return this.#takeTurn(() => {
      this.#reconciler.beginAnew();
      this.#keepPayments({});
      return Promise.resolve();
    });
  }

  /** Each sweep looks at the next accounts. After a restart it starts over; order does not matter. */
  async #purgeEvents(): Promise<void> {
    this.#purgedTo = await purgeEvents(this.#database, this.#purgedTo);
  }

  /** Compares payments with those in other ledgers, and completes those that were received. */
  async #checkPayments(): Promise<void> {
    const now_ms = Date.now();
    const check = { bindings: this.env, custody: this.#settings.custody, ledger: this.#ledger, now_ms };
    const { next, whole, findings } = await checkPayments(check, this.#payments);
    await this.#reconciler.note({ payments_have_both_sides: whole }, findings, now_ms);
    this.#keepPayments(next);
  }

  #keepPayments(position: PaymentsPosition): void {
    this.#payments = position;
    this.#state.write(KEPT_PAYMENTS, position);
  }

  async #watchShares(): Promise<void> {
    const known = NearlyUsed.parse(this.#state.read(KEPT_SHARES) ?? []);
    const nearlyUsed = await watchShares(this.#database, this.#ledger, known, Date.now());
    if (nearlyUsed.join() !== known.join()) this.#state.write(KEPT_SHARES, nearlyUsed);
  }

  async #watchCustody(): Promise<void> {
    const databases = listLedgers(this.env).map((ledger) => openLedger(this.env, ledger));
    const watch = { databases, now: () => Date.now(), ...this.#settings };
    this.#custodyStanding = await watchCustody(watch, this.#custodyStanding);
    this.#state.write(KEPT_CUSTODY, this.#custodyStanding);
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
  async #takeTurn(work: () => Promise<void>): Promise<void> {
    const turn = await this.#turns.run(async () => {
      try {
        await work();
      } finally {
        this.#state.write(KEPT, this.#reconciler.progress);
      }
    });
    if (turn.kind === 'timed_out') throw new Error('another pass of the reconciliation takes too long');
  }
}

function rest({ duration_ms }: Slice): Promise<void> {
  return scheduler.wait(Math.ceil(duration_ms * REST_PER_SLICE));
}

async function attempt(fault: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    logFault(fault, { error: describeError(error) });
  }
}
