import { sql } from 'drizzle-orm';
import { showBalance } from '../activity/balances.ts';
import { type Database, ledgerOf } from '../db/database.ts';
import { numberChange } from '../db/record-number.ts';
import type { Stream } from '../events/reach-stream.ts';
import { listen, readSpan, refuseAfter } from '../events/read-events.ts';
import { overloaded } from '../http/answer.ts';
import { decideAdmission } from '../keys/record.ts';
import { tellLanes } from '../lane/tell-lanes.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { ObjectState } from '../platform/objects.ts';
import { Mutex, SharedRun } from '../platform/turns.ts';
import { type AccountPage, readAccountPage } from './account-page.ts';
import { AccountCommand } from './messages.ts';
import { StreamObject, type StreamSettings } from './stream-object.ts';

/** What a client may have received and not acknowledged: beyond it, a reader has stopped reading. */
const MAX_UNACKNOWLEDGED_BYTES = 1_048_576;

/** A snapshot waits for its reader from here on. */
const SNAPSHOT_WINDOW_BYTES = MAX_UNACKNOWLEDGED_BYTES / 2;

/** How many parts of what is not acknowledged are told apart; older ones are then counted together. */
const MAX_PARTS = 24;

/** How many commands may wait for the running one, and for how long. */
const ROOM = 1_000;
const QUEUE_DEADLINE_MS = 30_000;

/** What a socket was sent; `null` before it subscribed. */
type Progress = {
  /** Up to which number. */
  readonly sent: number;
  readonly isSnapshot: boolean;
  readonly reqId: number | undefined;
  /** The balances that it was told last, in the registry's order, in atoms. */
  readonly told: readonly string[];
  /** What it has not acknowledged: up to which number, and how many bytes. */
  readonly parts: readonly (readonly [sequence: number, bytes: number])[];
} | null;

/** Whether the account is entered as one with a stream, and its lanes know it. */
const ENTERED = 'entered';

/**
 * The streams of one account. Each socket has its own number, up to which it was sent the account's events, and everything
 * is read after that number. So a lost call, a sleep or a cut leaves nothing out, and nothing comes twice.
 */
export class AccountStream extends StreamObject<Progress, AccountCommand> implements Stream {
  readonly #state: ObjectState;
  /** Sockets are sent things by one turn at a time, since reading takes a while and other calls come in meanwhile. */
  readonly #turns = new Mutex(ROOM, QUEUE_DEADLINE_MS);
  #accountId = '';
  readonly #waking = new SharedRun(() => this.#takeTurn(() => this.#tell()));

  constructor(ctx: DurableObjectState, env: Bindings, settings: StreamSettings) {
    super(ctx, env, settings, { command: AccountCommand, begin: null });
    this.#state = new ObjectState(ctx.storage.sql);
  }

  wake(accountId: string): Promise<void> {
    this.#accountId = accountId;
    return this.#waking.run();
  }

  protected override async obey(socket: WebSocket, command: AccountCommand): Promise<void> {
    this.#accountId = this.attachment(socket).name;
    if (command.method === 'ack') return this.#acknowledge(socket, command.params.sequence);
    const { params, reqId } = command;
    if (!(await this.countRead(socket, reqId))) return;
    await this.#takeTurn(async () => {
      await this.#enter();
      const span = await readSpan(this.#database, this.#accountId);
      const { after = span.newest } = params;
      const refused = refuseAfter('/params/after', after, span);
      if (refused) return this.refuse(socket, refused, reqId);
      this.keepState(socket, { sent: after, isSnapshot: true, reqId, told: [], parts: [] });
      return this.#tell();
    });
  }

  get #database(): Database {
    return ledgerOf(this.env, this.#accountId);
  }

  async #takeTurn(work: () => Promise<void>): Promise<void> {
    const turn = await this.#turns.run(work);
    if (turn.kind === 'timed_out') throw new Error('the sockets before it take too long');
  }

  async #acknowledge(socket: WebSocket, sequence: number): Promise<void> {
    const progress = this.attachment(socket).state;
    if (!progress) return;
    const wasWaiting = isWaiting(progress);
    const parts = progress.parts.filter(([upTo]) => upTo > sequence);
    const acknowledged = { ...progress, parts };
    this.keepState(socket, acknowledged);
    if (!wasWaiting || isWaiting(acknowledged)) return;
    await this.#waking.run();
  }

  /** Sends every socket what it was not sent. Where nobody is connected, nobody is told any more. */
  async #tell(): Promise<void> {
    const sockets = this.sockets();
    if (sockets.length === 0) return this.#leave();
    const subscribed = sockets.filter((socket) => this.attachment(socket).state !== null);
    const groups = Map.groupBy(subscribed, (socket) => this.attachment(socket).state?.sent ?? 0);
    for (const [sent, group] of groups) await this.#tellGroup(sent, group);
  }

  /** Sends sockets that are equally far all that came after that. If it cannot be read, they connect again and resume. */
  async #tellGroup(sent: number, group: readonly WebSocket[]): Promise<void> {
    let [after, sockets] = [sent, group];
    try {
      while (sockets.length > 0) {
        const keyIds = [...new Set(sockets.flatMap((socket) => this.attachment(socket).key?.keyId ?? []))];
        const page = await readAccountPage(this.#database, this.#accountId, after, keyIds);
        after = page.events.at(-1)?.sequence ?? after;
        sockets = sockets.filter((socket) => this.#sendPage(socket, page));
        if (after >= page.newest) return;
      }
    } catch (error) {
      logFault('stream_failed', { accountId: this.#accountId, error: describeError(error) });
      for (const socket of sockets) {
        this.refuse(socket, overloaded);
        this.close(socket, 'failed');
      }
    }
  }

  /** Sends one socket a page. Returns whether it takes the next one. */
  #sendPage(socket: WebSocket, page: AccountPage): boolean {
    const { key, state: progress } = this.attachment(socket);
    if (!key || !progress) return false;
    const allowed = decideAdmission(page.keys.get(key.keyId), key, Date.now());
    if (!allowed.ok) {
      this.refuse(socket, allowed);
      this.close(socket, 'keyEnded');
      return false;
    }
    if (isWaiting(progress)) return false;
    if (progress.sent < page.since) {
      this.close(socket, 'gone');
      return false;
    }
    const { events: data, newest } = page;
    const sequence = data.at(-1)?.sequence ?? progress.sent;
    if (data.length === 0 && !progress.isSnapshot) return false;
    if (bytesOf(progress) > MAX_UNACKNOWLEDGED_BYTES) {
      this.close(socket, 'tooSlow');
      return false;
    }
    const isNewest = sequence >= newest;
    const changed = page.holdings.filter(({ amount }, place) => String(amount) !== progress.told[place]);
    const balances = isNewest ? { balances: changed.map(showBalance) } : {};
    const events = { sequence, data: [...data], ...balances };
    const { reqId } = progress;
    const bytes = this.send(
      socket,
      progress.isSnapshot
        ? { channel: 'events', type: 'snapshot', ...(reqId !== undefined && { reqId }), newest, ...events }
        : { channel: 'events', type: 'update', ...events },
    );
    this.keepState(socket, {
      sent: sequence,
      isSnapshot: progress.isSnapshot && !isNewest,
      reqId: undefined,
      told: isNewest ? page.holdings.map(({ amount }) => String(amount)) : progress.told,
      parts: addPart(progress.parts, sequence, bytes),
    });
    return true;
  }

  /** Enters the account as one with a stream, so that its lanes and its keeper wake this object. */
  async #enter(): Promise<void> {
    const [database, accountId] = [this.#database, this.#accountId];
    await listen(database, accountId);
    const { meta } = await database.run(
      sql`INSERT INTO account_streams (account_id) SELECT ${accountId}
        WHERE NOT EXISTS (SELECT 1 FROM account_streams WHERE account_id = ${accountId})`,
    );
    if (meta.changes === 0 && this.#state.read(ENTERED) === true) return;
    await this.#noteChange(true);
  }

  async #leave(): Promise<void> {
    await this.#database.run(sql`DELETE FROM account_streams WHERE account_id = ${this.#accountId}`);
    await this.#noteChange(false);
  }

  /** Has the lanes of the account read their keys' records again. */
  async #noteChange(isEntered: boolean): Promise<void> {
    const now_ms = Date.now();
    this.#state.write(ENTERED, false);
    await numberChange(this.#database, this.#accountId, now_ms);
    const areTold = await tellLanes(this.env, this.#accountId, now_ms);
    if (isEntered && areTold) this.#state.write(ENTERED, true);
  }
}

/** Whether a snapshot goes on when its reader has acknowledged more of it. */
function isWaiting(progress: NonNullable<Progress>): boolean {
  return progress.isSnapshot && bytesOf(progress) >= SNAPSHOT_WINDOW_BYTES;
}

function bytesOf({ parts }: NonNullable<Progress>): number {
  return parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Adds what was sent. Where the list is full, its first two are one: acknowledging the former alone then counts nothing. */
function addPart(parts: NonNullable<Progress>['parts'], sequence: number, bytes: number) {
  const added = [...parts, [sequence, bytes] as const];
  const [first, second, ...rest] = added;
  if (added.length <= MAX_PARTS || !first || !second) return added;
  return [[second[0], first[1] + second[1]] as const, ...rest];
}
