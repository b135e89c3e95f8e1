import { listOperations } from '../support/document/documented.ts';
import { type ServedExchange, startServedExchange } from '../support/node/exchange/served-exchange.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type Attack, type Stretch, drawAttack } from './draw-attack.ts';
import { Findings } from './findings.ts';
import { type Law, judge } from './judge.ts';
import { type RawOutcome, sendRaw } from './raw-client.ts';
import { type World, openWorld } from './world.ts';
import { publicSecrets } from '../../src/public-secrets.ts';

export interface FuzzOptions {
  readonly bundle: string;
  readonly seed: number;
  readonly requests: number;
  /** The index of the only request to send; by default all are sent. */
  readonly only?: number;
  readonly report: (line: string) => void;
}

export interface FuzzReport {
  readonly requests: number;
  /** How often each status came; `closed` is a connection that ended without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How often each operation answered with a status below 400. */
  readonly taken: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** Longer than any answer takes, also on a busy machine. */
const DEADLINE_MS = 60_000;
const AT_ONCE = 12;
const BATCH = 120;
const MAX_VIOLATIONS = 40;

/** The credentials in each stretch: first those that can move no money, and at last all of them. */
function listStretches(requests: number): Stretch[] {
  const powerless = { nobody: 2, forger: 2, poor: 5, reader: 4, shut: 1, auditor: 2 };
  const everybody = { ...powerless, rich: 8, operator: 3 };
  return [
    { name: 'powerless', requests: Math.round(requests * 0.35), callers: powerless, clientShare: 0.75 },
    { name: 'funded', requests: Math.round(requests * 0.3), callers: { rich: 1 }, clientShare: 0.95 },
    {
      name: 'operator',
      requests: Math.round(requests * 0.25),
      callers: { operator: 8, depositor: 1 },
      clientShare: 0.03,
    },
    { name: 'everybody', requests: Math.round(requests * 0.1), callers: everybody, clientShare: 0.7 },
  ];
}

/**
 * Sends hostile and half-valid requests to every route of the documents that the exchange serves, and compares every
 * answer with the contract. Each request depends only on the seed and its index, so that one can be sent again alone.
 */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const exchange = await startServedExchange({
    bundle: options.bundle,
    rateLimits: { ANONYMOUS_READS: 10_000_000, ANONYMOUS_NETWORKS: 10_000_000 },
    // The router of the site's files would end requests that violate HTTP, so that they never reach the Worker.
    site: false,
  });
  try {
    return await new FuzzRun(options, exchange).go();
  } finally {
    await exchange.kill();
  }
}

class FuzzRun {
  readonly #options: FuzzOptions;
  readonly #exchange: ServedExchange;
  readonly #operator: Operator;
  readonly #violations = new Findings(MAX_VIOLATIONS);
  readonly #statuses: Record<string, number> = {};
  readonly #taken: Record<string, number> = {};
  /** Secrets that answers may contain, such as new tokens. They must not be logged either. */
  readonly #handedOut = new Set<string>();
  readonly #told = { orders: new Set<string>(), withdrawals: new Set<string>() };
  #sent = 0;

  constructor(options: FuzzOptions, exchange: ServedExchange) {
    this.#options = options;
    this.#exchange = exchange;
    this.#operator = new Operator(exchange.url);
  }

  async go(): Promise<FuzzReport> {
    const world = await openWorld(this.#operator);
    for (const token of Object.values(world.tokens)) this.#handedOut.add(token);
    const law: Law = {
      operations: world.documents.flatMap(listOperations),
      secrets: Object.values(publicSecrets).flatMap((secret) => [secret, ...listInnerSecrets(secret)]),
    };
    for (const kind of ['orders', 'withdrawals'] as const)
      for (const id of await this.#listIds(kind)) this.#told[kind].add(id);
    let index = 0;
    for (const stretch of listStretches(this.#options.requests)) {
      const end = index + stretch.requests;
      while (index < end && !this.#violations.isFull()) {
        const size = Math.min(BATCH, end - index);
        await this.#sendBatch(index, size, stretch, world, law);
        index += size;
      }
      await this.#checkRecords(stretch);
      await this.#checkReconciliation(stretch);
      this.#options.report(`${stretch.name}: ${index} requests, ${JSON.stringify(this.#statuses)}`);
    }
    this.#checkLog(law);
    return { requests: this.#sent, statuses: this.#statuses, taken: this.#taken, violations: this.#violations.list() };
  }

  async #sendBatch(first: number, size: number, stretch: Stretch, world: World, law: Law): Promise<void> {
    const before = await this.#countTransfers();
    const waiting = Array.from({ length: size }, (_, offset) => first + offset).filter(
      (index) => this.#options.only === undefined || index === this.#options.only,
    );
    let couldMove = false;
    const work = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const attack = drawAttack(this.#options.seed, index, stretch, world);
        const outcome = await sendRaw(this.#exchange.url, attack.raw, DEADLINE_MS);
        couldMove = this.#take(attack, outcome) || couldMove;
        const fault = await judge(attack, outcome, law);
        if (fault !== undefined) this.#violate(attack, fault);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const after = await this.#countTransfers();
    const isPowerless = stretch.name === 'powerless';
    if (after !== before && (isPowerless || !couldMove)) {
      this.#violations.add(`requests ${first} to ${first + size - 1} moved money: ${before} transfers became ${after}`);
    }
  }

  /** Counts an outcome. Only an accepted request may have moved money. */
  #take(attack: Attack, outcome: RawOutcome): boolean {
    this.#sent += 1;
    const status = outcome.kind === 'answer' ? String(outcome.status) : outcome.kind;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    // A request that violated HTTP may have reached the Worker whole, with its answer cut off.
    if (outcome.kind !== 'answer') return !attack.isWellFormed;
    if (outcome.status >= 400) return false;
    this.#taken[attack.operationId] = (this.#taken[attack.operationId] ?? 0) + 1;
    const text = outcome.body.toString();
    const { token, secret } = (
      text.includes('"token":') || text.includes('"secret":') ? JSON.parse(text) : {}
    ) as Record<string, unknown>;
    for (const own of [token, secret]) if (typeof own === 'string') this.#handedOut.add(own);
    if (outcome.status === 201) {
      const { order, withdrawal } = JSON.parse(text) as Record<string, { id: string } | undefined>;
      if (order) this.#told.orders.add(order.id);
      if (withdrawal) this.#told.withdrawals.add(withdrawal.id);
    }
    return attack.sent.method !== 'GET';
  }

  #violate(attack: Attack, fault: string): void {
    const { method, path, body = '' } = attack.sent;
    const request = `${method} ${path.slice(0, 300)} ${body.slice(0, 300)}`;
    const where = `request ${attack.index} by ${attack.caller} (${attack.operationId})`;
    this.#violations.add(fault.slice(0, 700), `${where} ${request}`);
  }

  async #countTransfers(): Promise<number> {
    const [row] = await this.#exchange.probe.query<{ count: number }>('SELECT count(*) AS count FROM transfers');
    return row?.count ?? 0;
  }

  async #listIds(kind: 'orders' | 'withdrawals'): Promise<string[]> {
    return (await this.#exchange.probe.query<{ id: string }>(`SELECT id FROM ${kind}`)).map(({ id }) => id);
  }

  /** Checks that every existing order and withdrawal was in an answer. */
  async #checkRecords({ name }: Stretch): Promise<void> {
    for (const kind of ['orders', 'withdrawals'] as const) {
      const there = await this.#listIds(kind);
      const untold = there.filter((id) => !this.#told[kind].has(id));
      if (untold.length > 0) this.#violations.add(`${name}: nobody was told of the ${kind} ${untold.join(', ')}`);
    }
  }

  /** Checks that the exchange's reconciliation finds nothing broken, in a pass that began after the stretch. */
  async #checkReconciliation({ name }: Stretch): Promise<void> {
    let begun: number | undefined;
    for (let step = 0; step < 200; step += 1) {
      const { reconciliation } = await this.#operator.operate<{
        reconciliation: { status: string; progress: { pass: number }; lastPass: { pass: number } | null };
      }>('POST', '/reconciliation/run');
      begun ??= reconciliation.progress.pass;
      if (reconciliation.status === 'broken') break;
      if (reconciliation.status === 'ok' && (reconciliation.lastPass?.pass ?? 0) > begun) return;
      if (step === 199) this.#violations.add(`${name}: the reconciliation stands still`);
    }
    this.#violations.add(`${name}: the reconciliation finds the ledger broken`);
  }

  /** Checks that no line of the log contains a secret, a key or a code, and that none reports an exception. */
  #checkLog({ secrets }: Law): void {
    const log = this.#exchange.log();
    for (const secret of [...secrets, ...this.#handedOut]) {
      const line = log.split('\n').find((one) => one.includes(secret));
      if (line !== undefined)
        this.#violations.add(`the log holds a secret: ${line.replaceAll(secret, '…').slice(0, 400)}`);
    }
    for (const line of log.split('\n')) {
      const isFailure = line.includes('"request_failed"') || /^(?!\{).*(Uncaught|Error:)/.test(line);
      if (isFailure) this.#violations.add(`the log says: ${line.slice(0, 600)}`);
    }
  }
}

function listInnerSecrets(value: string): string[] {
  return value.startsWith('{') ? Object.values(JSON.parse(value) as Record<string, string>) : [];
}
