import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../../clients/bureau-client/src/index.ts';
import type { VenueSettings } from '../../dealer/src/config.ts';
import { type DealerProcess, startDealer } from '../../dealer/test/support/dealer-process.ts';
import { DEALING_KEY } from '../../dealer/test/support/sign.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { floorAmount, formatAmount } from '../../src/money/amounts.ts';
import { Client, must } from '../support/client.ts';
import { Draw } from '../support/draw.ts';
import { type FaultyNetwork, startFaultyNetwork } from '../support/node/exchange/faulty-network.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../support/node/exchange/served-exchange.ts';
import { checkReconciliation } from './audit.ts';

/** The name of the venue at the dealer, and its account in the house's ledger. */
const VENUE = 'other';
const ACCOUNT = `house:venue:${VENUE}`;

const FUNDS = { BTC: '2', USDT: '100000' } as const;
const DECIMALS = { BTC: 8, USDT: 6 } as const;
type Hedged = keyof typeof DECIMALS;
const hedged = ['BTC', 'USDT'] as const;

/** Clients that order beside one another. */
const CLIENTS = 4;

/** How long a client rests after an order. A hedger looks once a second, and a hedge is to come of few orders. */
const REST_MS = 1_000;

/** How long anything may take that must happen in the end. It decides nothing else. */
const PATIENCE_MS = 900_000;
const LOOK_MS = 250;

/** When no hedge is sent any more, the run ends without all of its kills. */
const MOST_ORDERS_PER_ORDER = 4;

const victims = { dealer: 5, house: 3, venue: 2 } as const;
type Victim = keyof typeof victims;

export interface VenueKillOptions {
  readonly bundle: string;
  /** An empty directory. */
  readonly storage: string;
  readonly seed: number;
  readonly orders: number;
  readonly kills: number;
  /** The sources of the dealer, where they are not its own. */
  readonly dealerSource?: string;
  readonly report: (line: string) => void;
}

export interface VenueKillReport {
  readonly figures: Readonly<Record<string, number | string>>;
  readonly violations: readonly string[];
}

interface HedgeRow {
  readonly id: string;
  readonly side: 'BUY' | 'SELL';
  readonly status: 'OPEN' | 'DEALT' | 'NEVER';
  readonly coin: string;
  readonly usdt: string;
}

/**
 * Two Bureaus, of which the second is the venue of the first, the dealer, and a network between dealer and venue that loses
 * orders and answers. Clients order at the first until so many orders are decided, and meanwhile one of the three is killed
 * with its runtime, again and again, and started on the same storage. At the end what the first says that it has at the venue
 * must be what the second says, and each hedge one order there, to the atom. The seed decides orders and kills. How far each
 * hedge has come by then depends on the machine.
 */
export async function runVenueKills(options: VenueKillOptions): Promise<VenueKillReport> {
  const run = new VenueKillRun(options);
  try {
    return await run.go();
  } finally {
    await run.end();
  }
}

class VenueKillRun {
  readonly #options: VenueKillOptions;
  readonly #draw: Draw;
  readonly #violations: string[] = [];
  readonly #kills = { dealer: 0, house: 0, venue: 0 };
  readonly #decided = { filled: 0, refused: 0 };
  #dealerPort = 0;
  #house: ServedExchange | undefined;
  #venue: ServedExchange | undefined;
  #network: FaultyNetwork | undefined;
  #dealer: DealerProcess | undefined;
  /** The house's account at the venue, and the clients of the house. */
  #own: Client | undefined;
  #clients: Client[] = [];
  #asked = 0;
  #isHalted = false;
  /** Who is killed next, and when; `undefined` while somebody is being killed. */
  #due: { readonly victim: Victim; readonly moment: 'sent' | 'executed' } | undefined;
  #killing: Promise<void> = Promise.resolve();

  constructor(options: VenueKillOptions) {
    this.#options = options;
    this.#draw = new Draw(options.seed);
  }

  async go(): Promise<VenueKillReport> {
    await this.#open();
    await Promise.all(this.#clients.map((client) => this.#orderOn(client)));
    this.#due = undefined;
    await this.#killing;
    const { kills, orders } = this.#options;
    if (this.#count() < kills) this.#violations.push(`only ${this.#count()} kills of ${kills}`);
    if (this.#isHalted) this.#violations.push('the exchange has halted its trade');
    await this.#comeToRest();
    const figures = await this.#compare(orders);
    return { figures, violations: this.#violations };
  }

  async end(): Promise<void> {
    await this.#killing.catch(() => undefined);
    this.#dealer?.kill();
    await this.#dealer?.ended;
    await this.#network?.stop();
    await this.#house?.kill().catch(() => undefined);
    await this.#venue?.kill().catch(() => undefined);
  }

  async #open(): Promise<void> {
    this.#dealerPort = await findFreePort();
    const [house, venue] = await Promise.all([this.#serve('house'), this.#serve('venue')]);
    [this.#house, this.#venue] = [house, venue];
    const account = await new Operator(venue.url).openClient(FUNDS, { scopes: ['read', 'trade'] });
    this.#own = moving(account, () => this.#up('venue').url);
    this.#network = await startFaultyNetwork({
      target: () => this.#up('venue').url,
      seed: this.#options.seed,
      onOrder: (moment) => {
        if (this.#due?.moment === moment) this.#strike(this.#due.victim);
      },
    });
    await this.#startDealer();
    const operator = new Operator(house.url);
    for (const asset of hedged) {
      const funding = { ledger: 0, from: 'owner', to: VENUE, asset, amount: FUNDS[asset], reference: `fund-${asset}` };
      await operator.operate('POST', '/fundings', funding);
    }
    const hedging = {
      venue: VENUE,
      outer: '150',
      inner: '75',
      maxAgeSeconds: 30,
      limitBps: 100,
      maxHedge: '50000',
      feeBps: 10,
    };
    await operator.operate('PATCH', '/settings', { coinTerms: { BTC: { hedging } } });
    for (let index = 0; index < CLIENTS; index += 1) {
      const client = await operator.openClient({ BTC: '10', USDT: '1000000' }, { scopes: ['read', 'trade'] });
      this.#clients.push(moving(client, () => this.#up('house').url));
    }
    this.#chooseVictim();
  }

  #serve(who: 'house' | 'venue'): Promise<ServedExchange> {
    const { bundle, storage } = this.#options;
    const dealing = {
      DEALER_URL: `http://127.0.0.1:${this.#dealerPort}`,
      DEALER_KEY_ID: DEALING_KEY.keyId,
      DEALER_SECRET: DEALING_KEY.secret,
    };
    return startServedExchange({
      bundle,
      storage: join(storage, who),
      site: false,
      ...(who === 'house' && { variables: dealing }),
    });
  }

  async #startDealer(): Promise<void> {
    const venue: VenueSettings = {
      name: VENUE,
      kind: 'bureau',
      url: this.#network?.url ?? '',
      coins: ['BTC'],
      isTestnet: false,
      key: this.#own?.token ?? '',
      secret: '',
    };
    const { dealerSource: source, storage } = this.#options;
    this.#dealer = await startDealer(join(storage, 'dealer.db'), [venue], {
      port: this.#dealerPort,
      ...(source !== undefined && { source }),
    });
  }

  /** An exchange that answers, or the one that was just killed, which refuses connections. */
  #up(who: 'house' | 'venue'): ServedExchange {
    const exchange = who === 'house' ? this.#house : this.#venue;
    if (!exchange) throw new Error(`the ${who} was never started`);
    return exchange;
  }

  #count(): number {
    return this.#kills.dealer + this.#kills.house + this.#kills.venue;
  }

  /** Names the next victim, which dies when a hedge reaches the network, or when the venue has executed it. */
  #chooseVictim(): void {
    const { kills } = this.#options;
    if (this.#count() >= kills) return;
    this.#due = { victim: this.#draw.weigh(victims), moment: this.#draw.pick(['sent', 'executed']) };
  }

  #strike(victim: Victim): void {
    this.#due = undefined;
    this.#kills[victim] += 1;
    this.#options.report(`kill ${this.#count()}: the ${victim}, after ${this.#asked} orders`);
    this.#killing = this.#kill(victim);
  }

  async #kill(victim: Victim): Promise<void> {
    if (victim === 'dealer') {
      this.#dealer?.kill();
      await this.#dealer?.ended;
      return this.#startDealer();
    }
    await this.#up(victim).kill();
    const again = await this.#serve(victim);
    if (victim === 'house') this.#house = again;
    else this.#venue = again;
    await again.probe.schedule();
  }

  /** Orders until there were enough orders and kills. Kills are spread over the orders. */
  async #orderOn(client: Client): Promise<void> {
    const { orders, kills } = this.#options;
    while (!this.#isHalted && this.#asked < orders * MOST_ORDERS_PER_ORDER) {
      if (this.#asked >= orders && this.#count() >= kills) return;
      this.#asked += 1;
      const body = {
        coin: 'BTC',
        mode: 'COIN_QTY',
        side: this.#draw.happens(0.52) ? 'BUY' : 'SELL',
        value: formatAmount(BigInt(this.#draw.between(50_000, 350_000)), DECIMALS.BTC),
      };
      await this.#order(client, body);
      await sleep(REST_MS);
      await this.#killing;
      if (!this.#due && this.#asked >= (orders * this.#count()) / kills) this.#chooseVictim();
    }
  }

  /** Sends an order until it is decided. */
  async #order(client: Client, body: Parameters<Client['order']>[0]): Promise<void> {
    const key = crypto.randomUUID();
    const deadline_ms = Date.now() + PATIENCE_MS;
    let said = 'nothing';
    while (Date.now() < deadline_ms) {
      try {
        const answer = await client.order(body, key);
        said = `${answer.status} ${await answer.text()}`;
        if (answer.status === 201) return void (this.#decided.filled += 1);
        if (answer.status === 422) return void (this.#decided.refused += 1);
        if (said.includes('trading_halted')) return void (this.#isHalted = true);
      } catch {
        // It is dead, or died.
      }
      await sleep(LOOK_MS);
    }
    throw new Error(`an order is not decided: ${said}`);
  }

  /** Nothing goes wrong any more and nothing new is hedged, until every hedge has ended. */
  async #comeToRest(): Promise<void> {
    if (this.#network) this.#network.areFaults = false;
    const { url, probe } = this.#up('house');
    await new Operator(url).operate('PATCH', '/settings', { hedgingHalted: true });
    const deadline_ms = Date.now() + PATIENCE_MS;
    for (;;) {
      await probe.schedule();
      const open = await probe.query(`SELECT id FROM hedges WHERE status = 'OPEN'`);
      if (open.length === 0) return;
      if (Date.now() > deadline_ms) return void this.#violations.push(`hedges are open: ${JSON.stringify(open)}`);
      await sleep(LOOK_MS);
    }
  }

  async #compare(orders: number): Promise<VenueKillReport['figures']> {
    const own = this.#own;
    if (!own || !this.#network) throw new Error('nothing was opened');
    const { probe } = this.#up('house');
    const hedges = await probe.query<HedgeRow>(
      `SELECT id, side, status, CAST(dealt_coin AS TEXT) AS coin, CAST(dealt_usdt AS TEXT) AS usdt FROM hedges`,
    );
    const book = await probe.query<{ asset: Hedged; amount: string }>(
      `SELECT asset, CAST(-amount AS TEXT) AS amount FROM balances WHERE account = '${ACCOUNT}'`,
    );
    const balances = await own.balances();
    const figures: Record<string, string> = {};
    for (const asset of hedged) {
      const says = BigInt(book.find((row) => row.asset === asset)?.amount ?? 0);
      const holds = floorAmount(balances[asset] ?? '0', DECIMALS[asset]);
      const sum = floorAmount(FUNDS[asset], DECIMALS[asset]) + sumOf(hedges, asset);
      figures[`${asset} of ${ACCOUNT}`] = formatAmount(says, DECIMALS[asset]);
      figures[`${asset} at the venue`] = formatAmount(holds, DECIMALS[asset]);
      if (holds !== says)
        this.#violations.push(`the venue holds ${holds - says} atoms of ${asset} more than it should`);
      if (sum !== says)
        this.#violations.push(`the hedges sum up to ${sum - says} atoms of ${asset} more than the balance`);
    }
    this.#compareOrders(hedges, await readOrders(own));
    for (const who of ['house', 'venue'] as const) {
      const clerk = { origin: this.#up(who).url, violations: this.#violations };
      await checkReconciliation({ clerk });
    }
    const [{ n: stored } = { n: 0 }] = await probe.query<{ n: number }>('SELECT count(*) AS n FROM orders');
    const { filled, refused } = this.#decided;
    if (stored !== filled) this.#violations.push(`${stored} orders are stored, and ${filled} were acknowledged`);
    const ended = (status: HedgeRow['status']) => hedges.filter((hedge) => hedge.status === status).length;
    const { seen } = this.#network;
    const unseen = Object.entries({ ...seen, dealt: ended('DEALT') }).filter(([, times]) => times === 0);
    // A run in which nothing went wrong would prove nothing.
    if (orders >= 100 && unseen.length > 0) this.#violations.push(`there was none of ${unseen.join()}`);
    const { orders: sent, ...faults } = seen;
    const killed = Object.fromEntries(
      Object.entries(this.#kills).map(([who, times]) => [`kills of the ${who}`, times]),
    );
    const counts = { orders: filled + refused, filled, ...killed, hedges: hedges.length, dealt: ended('DEALT'), sent };
    return { ...counts, never: ended('NEVER'), ...faults, ...figures };
  }

  /** Every order of the venue is of one hedge, with its amounts, and every hedge that was dealt has one. */
  #compareOrders(hedges: readonly HedgeRow[], orders: readonly Order[]): void {
    const byId = Map.groupBy(orders, ({ clientOrderId }) => clientOrderId ?? 'no id');
    for (const { id, side, status, coin, usdt } of hedges) {
      const [order, another] = byId.get(id) ?? [];
      byId.delete(id);
      const isRight = order
        ? status === 'DEALT' &&
          order.side === side &&
          floorAmount(order.coinAmount, DECIMALS.BTC) === BigInt(coin) &&
          floorAmount(order.usdtAmount, DECIMALS.USDT) === BigInt(usdt)
        : status !== 'DEALT';
      if (!isRight || another) this.#violations.push(`hedge ${id} is ${status}: ${JSON.stringify([order, another])}`);
    }
    for (const [id, strangers] of byId) {
      this.#violations.push(`no hedge is order ${id} of the venue: ${JSON.stringify(strangers)}`);
    }
  }
}

/** The same client wherever its exchange is now. */
function moving({ accountId, keyId, token }: Client, origin: () => string): Client {
  return new Client(accountId, keyId, token, (path, init) => fetch(`${origin()}${path}`, init));
}

async function readOrders(client: Client): Promise<Order[]> {
  const orders: Order[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/v1/orders?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: { orders: Order[]; nextCursor: string | null } = await must(client.get(path));
    orders.push(...page.orders);
    cursor = page.nextCursor;
  }
  return orders;
}

/** What all hedges have moved at the venue. Another Bureau takes no fee. */
function sumOf(hedges: readonly HedgeRow[], asset: Hedged): bigint {
  const sign = (side: HedgeRow['side']) => ((side === 'BUY') === (asset === 'BTC') ? 1n : -1n);
  return hedges.reduce((sum, { side, coin, usdt }) => sum + sign(side) * BigInt(asset === 'BTC' ? coin : usdt), 0n);
}
