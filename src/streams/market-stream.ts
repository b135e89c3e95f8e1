import { readStatus } from '../exchange/read-status.ts';
import type { Status } from '../exchange/schemas.ts';
import { SETTINGS_MAX_AGE_MS } from '../db/settings.ts';
import { answerTickers } from '../markets/answers.ts';
import type { MarketRound, MarketShard } from '../markets/reach-shard.ts';
import { reachHub } from '../markets/read-hub.ts';
import type { Coin } from '../money/assets.ts';
import type { Bindings } from '../platform/bindings.ts';
import { isRecent } from '../platform/deadline.ts';
import { MarketCommand, type ServerMessage } from './messages.ts';
import { StreamObject, type StreamSettings } from './stream-object.ts';

/** What a socket listens to. */
interface Listening {
  /** Which tickers, or all of them; `null` for none. */
  readonly tickers: readonly Coin[] | 'all' | null;
  readonly status: boolean;
  /** The newest round that it was sent. One that was overtaken is not sent. */
  readonly round: number;
}

export interface MarketStreamSettings extends StreamSettings {
  /** From which age on a payout is late. */
  readonly lateAfter_ms: number;
}

/** Some sockets of the market's stream. The hub calls it after each round, as long as one of them is open. */
export class MarketStream extends StreamObject<Listening, MarketCommand> implements MarketShard {
  readonly #lateAfter_ms: number;
  #status: { readonly shown: Status; readonly read_ms: number } | undefined;

  constructor(ctx: DurableObjectState, env: Bindings, settings: MarketStreamSettings) {
    super(ctx, env, settings, { command: MarketCommand, begin: { tickers: null, status: false, round: -1 } });
    this.#lateAfter_ms = settings.lateAfter_ms;
  }

  async publish(round: MarketRound): Promise<boolean> {
    const listening = this.sockets().map((socket) => ({ socket, ...this.attachment(socket).state }));
    const composed = new Map<string, ServerMessage>();
    for (const { socket, tickers, ...listens } of listening) {
      if (tickers === null || round.round <= listens.round) continue;
      const name = String(tickers);
      const message = composed.get(name) ?? composeTickers(tickers, round, 'update');
      composed.set(name, message);
      this.send(socket, message);
      this.keepState(socket, { tickers, ...listens, round: round.round });
    }
    const told = listening.filter(({ status }) => status).map(({ socket }) => socket);
    if (told.length > 0) await this.#tellStatus(told, round);
    return listening.length > 0;
  }

  protected override async obey(socket: WebSocket, { params, reqId }: MarketCommand): Promise<void> {
    if (!(await this.countRead(socket, reqId))) return;
    const answer = reqId === undefined ? {} : { reqId };
    const round = await reachHub(this.env).lease(this.attachment(socket).name);
    const isStatus = params.channel === 'status';
    const symbols = isStatus ? null : (params.symbols ?? 'all');
    const message: ServerMessage =
      symbols === null
        ? { channel: 'status', type: 'snapshot', data: await this.#readStatus(round) }
        : composeTickers(symbols, round, 'snapshot');
    this.send(socket, { ...message, ...answer });
    // Only now, so that no round comes before the answer.
    const { tickers, status, round: sent } = this.attachment(socket).state;
    this.keepState(socket, {
      tickers: symbols ?? tickers,
      status: status || isStatus,
      round: Math.max(sent, round.round),
    });
  }

  /** Tells the status where it is another one than before. */
  async #tellStatus(sockets: readonly WebSocket[], round: MarketRound): Promise<void> {
    const before = JSON.stringify(this.#status?.shown);
    const data = await this.#readStatus(round);
    if (JSON.stringify(data) === before) return;
    for (const socket of sockets) this.send(socket, { channel: 'status', type: 'update', data });
  }

  async #readStatus({ snapshot }: MarketRound): Promise<Status> {
    const now_ms = Date.now();
    if (this.#status && isRecent(SETTINGS_MAX_AGE_MS, this.#status.read_ms, now_ms)) return this.#status.shown;
    const shown = await readStatus(this.env, Promise.resolve(snapshot), this.#lateAfter_ms);
    this.#status = { shown, read_ms: now_ms };
    return shown;
  }
}

/** The tickers that a socket listens to, whole. */
function composeTickers(
  wanted: readonly Coin[] | 'all',
  { snapshot, round }: MarketRound,
  type: 'snapshot' | 'update',
): Extract<ServerMessage, { channel: 'tickers' }> {
  const { tickers } = answerTickers(snapshot, Date.now()).body;
  const data = tickers.filter(({ symbol }) => wanted === 'all' || wanted.includes(symbol));
  return { channel: 'tickers', type, round, degraded: data.some(({ degraded }) => degraded === true), data };
}
