import { DurableObject } from 'cloudflare:workers';
import { type Database, ledgerOf } from '../../db/database.ts';
import { type Outcome, type Refusal, accept, refuse } from '../../http/answer.ts';
import type { Bindings } from '../../platform/bindings.ts';
import { ObjectState } from '../../platform/objects.ts';
import type { Event } from '../event.ts';
import { composeEvents, feedOf } from '../feed.ts';
import { findEvent, readEventRows } from '../read-events.ts';
import { findUrlFault } from './check-url.ts';
import { type Attempt, type SentEvent, deliver, isRefused, isTaken } from './deliver.ts';
import { type Delivery, DeliveryLog } from './delivery-log.ts';
import {
  type EndpointRow,
  type EndpointRules,
  disableEndpoint,
  endpointNotFound,
  noteProgress,
  openSecrets,
  readEndpoint,
  wantedTypes,
} from './endpoint.ts';
import { type ExtraAttempts, beginExtraAttempts, takeExtraAttempt } from './extra-attempts.ts';
import { type EndpointName, type Sender, type SenderStanding, originalOf } from './reach-sender.ts';
import { GIVE_UP_MS, pauseAfter } from './schedule.ts';

const KEPT = 'progress';

/** How many events one alarm reads at a time, and how long it goes on; while there is more, the next one follows. */
const PAGE = 20;
const ALARM_TIME_MS = 30_000;

/** An event that was refused so often is put aside, if the receiver takes the next one. */
const MAX_REFUSALS = 3;

/** The sweep leaves an endpoint alone until some time after its own alarm is due. */
const ALARM_MARGIN_MS = 120_000;

/** How far an endpoint is. */
interface Progress extends EndpointName {
  /** Every event up to this number was delivered, was put aside, or is of a type that is not wanted. */
  readonly delivered: number;
  /** Failures in a row, and when they began. */
  readonly failures: number;
  readonly failedSince_ms: number | null;
  /** How often in a row the next event was refused. */
  readonly refusals: number;
  /** Events up to this number were asked for again. */
  readonly replayedTo: number;
  /** How many attempts of such events, and tests, may be made at once, as of a time. */
  readonly extra: ExtraAttempts;
}

/**
 * The sender of one webhook endpoint: it delivers the events of its owner in their order, one at a time, each at least
 * once. It writes down an event as delivered after the receiver took it, so a crash between the two sends it again
 * under the same id. A receiver that fails holds up its own events and nobody else's: every endpoint is an object.
 */
export class WebhookSender extends DurableObject<Bindings> implements Sender {
  readonly #state: ObjectState;
  readonly #log: DeliveryLog;
  readonly #settings: EndpointRules;

  constructor(ctx: DurableObjectState, env: Bindings, settings: EndpointRules) {
    super(ctx, env);
    this.#settings = settings;
    this.#state = new ObjectState(ctx.storage.sql);
    this.#log = new DeliveryLog(ctx.storage.sql);
  }

  async wake(name: EndpointName, delivered: number): Promise<void> {
    const { failures } = this.#progress ?? this.#keep(begin(name, delivered));
    const alarm = await this.ctx.storage.getAlarm();
    // Between two attempts of an event that failed nothing is sent.
    if (alarm !== null && (failures > 0 || alarm <= Date.now())) return;
    await this.ctx.storage.setAlarm(Date.now());
  }

  async retry(name: EndpointName, delivered: number): Promise<void> {
    this.#keep({ ...(this.#progress ?? begin(name, delivered)), ...withoutFailures });
    await this.ctx.storage.setAlarm(Date.now());
  }

  async replay(name: EndpointName, after: number, newest: number): Promise<void> {
    const known = this.#progress ?? begin(name, after);
    this.#keep({ ...known, delivered: after, replayedTo: Math.max(known.replayedTo, newest), ...withoutFailures });
    this.#log.takeBack(after + 1, newest);
    await this.ctx.storage.setAlarm(Date.now());
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async read(): Promise<SenderStanding> {
    const { delivered = null } = this.#progress ?? {};
    return { ...this.#log.list(), delivered, nextAttempt_ms: await this.ctx.storage.getAlarm() };
  }

  async sendNow(name: EndpointName, eventId?: string): Promise<Outcome<Delivery>> {
    const database = ledgerOf(this.env, name.id);
    // Read before the endpoint, as a page is: what tells that it was switched off is not sent to it.
    const past = eventId === undefined ? undefined : await findEvent(database, feedOf(name), eventId);
    const endpoint = await readEndpoint(database, name.accountId, name.id);
    if (!endpoint) return endpointNotFound;
    const refused = eventId === undefined ? undefined : refuseAgain(endpoint, past);
    if (refused) return refused;
    const pause_ms = this.#takeExtra(this.#progress ?? begin(name, endpoint.delivered));
    if (pause_ms > 0) {
      const retryAfterSeconds = Math.ceil(pause_ms / 1_000);
      return refuse('rate_limited', 'There were many tests or resent events. Wait a moment.', { retryAfterSeconds });
    }
    const { attempt, delivery } = await this.#send(endpoint, past ?? composeTest(endpoint));
    if (past && isTaken(attempt)) this.#log.takeBack(past.sequence, past.sequence);
    return accept(delivery);
  }

  override async alarm(): Promise<void> {
    const progress = this.#progress;
    if (!progress) return;
    const database = ledgerOf(this.env, progress.id);
    const endpoint = await readEndpoint(database, progress.accountId, progress.id);
    if (!endpoint || endpoint.status !== 'enabled') return;
    const end_ms = Date.now() + ALARM_TIME_MS;
    while (await this.#sendPage(database, endpoint)) {
      if (Date.now() < end_ms) continue;
      await this.ctx.storage.setAlarm(Date.now());
      break;
    }
  }

  /** Sends the next events of the types that were wanted. Returns whether there may be more to send now. */
  async #sendPage(database: Database, known: EndpointRow): Promise<boolean> {
    const { accountId, id } = known;
    const before = this.#progress;
    const wanted = { after: before?.delivered ?? 0, types: wantedTypes(known), limit: PAGE };
    const page = await readEventRows(database, accountId, wanted);
    if (!page || !before) return false;
    // Read after the events: what tells that it was switched off, and what came later, is not sent to it.
    const endpoint = page.rows.length > 0 ? await readEndpoint(database, accountId, id) : known;
    if (endpoint?.status !== 'enabled') return false;
    // While an account is frozen its endpoints are sent nothing that came after that: somebody else may have made them.
    const end = Math.min(page.newest, page.frozenAt ?? page.newest);
    const rows = page.rows.filter(({ sequence }) => sequence <= end);
    const events = await composeEvents(database, feedOf({ accountId, id }), rows);
    for (let at = 0; at < events.length; at += 1) {
      const [event, next] = [events[at] as SentEvent, events[at + 1]];
      const pause_ms = this.#pauseBefore(event);
      if (pause_ms > 0) return this.#wait(database, endpoint, pause_ms);
      const sent = await this.#send(endpoint, event);
      // A replay that was asked for meanwhile begins anew.
      if (this.#progress?.delivered !== (events[at - 1]?.sequence ?? before.delivered)) return true;
      if (isTaken(sent.attempt)) this.#advance(event.sequence);
      else return this.#fail(database, endpoint, { event, next }, sent);
    }
    const lookedTo = Math.min(page.lookedTo, end);
    this.#advance(Math.max(lookedTo, wanted.after));
    const isMore = lookedTo < end;
    if (!isMore && lookedTo > endpoint.delivered) {
      const wasLate = endpoint.dueAt > 0;
      await noteProgress(database, accountId, id, { delivered: lookedTo, ...(wasLate && { dueAt: 0 }) });
    }
    return isMore;
  }

  /**
   * Decides what follows a failure: another attempt later, the end of the endpoint, or the end of this event, when the
   * receiver has refused it again and again and takes the next one. Returns whether to go on now.
   */
  async #fail(
    database: Database,
    endpoint: EndpointRow,
    { event, next }: { readonly event: SentEvent; readonly next: SentEvent | undefined },
    { attempt, delivery }: Sent,
  ): Promise<boolean> {
    const { accountId, id } = endpoint;
    const now_ms = Date.now();
    const progress = this.#progress ?? begin({ accountId, id }, 0);
    const failedSince_ms = progress.failedSince_ms ?? now_ms;
    const failed = this.#keep({
      ...progress,
      failures: progress.failures + 1,
      failedSince_ms,
      refusals: isRefused(attempt) ? progress.refusals + 1 : 0,
    });
    if (attempt.status === 410 || now_ms - failedSince_ms >= GIVE_UP_MS) {
      // Where the operator's events of another ledger fail, the endpoint itself is switched off, and its copies follow.
      const original = originalOf(endpoint);
      const reason = attempt.status === 410 ? 'gone' : 'failing';
      await disableEndpoint(ledgerOf(this.env, original), accountId, original, reason);
      return false;
    }
    if (failed.refusals >= MAX_REFUSALS && next && isTaken((await this.#send(endpoint, next)).attempt)) {
      this.#log.putAside(event.sequence, delivery);
      this.#advance(next.sequence);
      return true;
    }
    return this.#wait(database, endpoint, pauseAfter(failed.failures, attempt.retryAfter_ms, Math.random()));
  }

  /** Goes on after a pause; the sweep leaves the endpoint alone until then. Returns that there is nothing to send now. */
  async #wait(database: Database, { accountId, id }: EndpointRow, pause_ms: number): Promise<false> {
    const at_ms = Date.now() + pause_ms;
    await this.ctx.storage.setAlarm(at_ms);
    await noteProgress(database, accountId, id, { dueAt: at_ms + ALARM_MARGIN_MS });
    return false;
  }

  /** For how long an event waits that was asked for again. */
  #pauseBefore({ sequence }: SentEvent): number {
    const progress = this.#progress;
    return progress && sequence <= progress.replayedTo ? this.#takeExtra(progress) : 0;
  }

  /** Takes one of the attempts that are no news. Returns for how long to wait where there is none: 0 where there was. */
  #takeExtra(progress: Progress): number {
    const { left, pause_ms } = takeExtraAttempt(progress.extra, Date.now());
    this.#keep({ ...progress, extra: left });
    return pause_ms;
  }

  /** Sends an event once. The address is checked again, since it was taken under the rules of another day. */
  async #send(endpoint: EndpointRow, event: SentEvent): Promise<Sent> {
    const at_ms = Date.now();
    const isAllowed = findUrlFault(endpoint.url, this.#settings) === undefined;
    const secrets = await openSecrets(endpoint, at_ms, this.#settings.sealSecrets);
    const attempt: Attempt = isAllowed
      ? await deliver(endpoint.url, event, secrets, () => Date.now())
      : { status: null, duration_ms: 0, retryAfter_ms: 0, fault: 'unreachable', answer: null };
    return { attempt, delivery: this.#log.note(event, at_ms, attempt) };
  }

  /** Notes that everything up to a number is done with. */
  #advance(delivered: number): void {
    const progress = this.#progress;
    if (!progress || (progress.delivered === delivered && progress.failures === 0)) return;
    this.#keep({ ...progress, delivered, ...withoutFailures });
  }

  get #progress(): Progress | undefined {
    return this.#state.read(KEPT) as Progress | undefined;
  }

  #keep(progress: Progress): Progress {
    this.#state.write(KEPT, progress);
    return progress;
  }
}

/** One attempt, and how it is shown. */
interface Sent {
  readonly attempt: Attempt;
  readonly delivery: Delivery;
}

const withoutFailures = { failures: 0, failedSince_ms: null, refusals: 0 } as const;

/** The progress of an endpoint that was sent nothing yet. */
function begin({ accountId, id }: EndpointName, delivered: number): Progress {
  return { accountId, id, delivered, ...withoutFailures, replayedTo: 0, extra: beginExtraAttempts(Date.now()) };
}

/** The event of a test. */
function composeTest({ id, url }: EndpointRow): Event {
  return {
    id: `evt_test_${crypto.randomUUID()}`,
    type: 'endpoint.test',
    timestamp: new Date().toISOString(),
    sequence: 0,
    data: { webhookEndpoint: { id, url, reason: null } },
  };
}

/** Why a past event is not sent again: a replay would not send it either. */
function refuseAgain(endpoint: EndpointRow, event: SentEvent | undefined): Refusal | undefined {
  if (endpoint.status !== 'enabled') return refuse('invalid_state', 'Switch this endpoint on first.');
  if (event && wantedTypes(endpoint)?.includes(event.type) !== false) return undefined;
  return refuse('not_found', 'There is no event of that id that this endpoint is sent.');
}
