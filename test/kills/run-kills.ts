import { setTimeout as sleep } from 'node:timers/promises';
import type { CustodianProgramme } from '../support/node/custody/custodian-state.ts';
import { Draw } from '../support/draw.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../support/node/exchange/served-exchange.ts';
import { custodyVariables, startCustodian } from '../support/node/custody/start-custodian.ts';
import { CustodianRemote } from '../support/node/custody/custodian-remote.ts';
import type { Client } from '../support/client.ts';
import { type Scene, audit, checkTransit } from './audit.ts';
import { Clerk, type Figures } from './clerk.ts';
import { type CompareCustody, type KilledCustodian, PARTIES, funds } from './custody.ts';
import { type Party, RequestMaker } from './draw-request.ts';

export interface KillOptions {
  readonly bundle: string;
  readonly storage: string;
  readonly seed: number;
  readonly kills: number;
  /** Among how many ledgers the accounts are divided. Default: 1. */
  readonly ledgers?: number;
  /** The longest time before a kill, and how many requests must have been acknowledged by then; it waits for those. */
  readonly longestLife_ms: number;
  readonly leastAcknowledged: number;
  /** Whether the run waits at its end for the sweep, which looks up a withdrawal only after half a minute. */
  readonly awaitSweep: boolean;
  readonly report: (line: string) => void;
  /** Further variables of the exchange. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Another custodian with the same control interface, instead of the simulated one. */
  readonly startCustodian?: (signingKey: string) => Promise<KilledCustodian>;
}

export interface KillReport extends Figures {
  readonly kills: number;
  readonly payouts: number;
  /** How many withdrawals were credited to an account of another ledger. */
  readonly crossed: number;
  readonly abandoned: number;
  readonly violations: readonly string[];
}

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';
const SIGNING_KEY = '07'.repeat(32);
const KEYS_PER_PARTY = 2;
const WORKERS_PER_KEY = 3;
/**
 * How long a client repeats a request after the last kill. A refusal is final only when an earlier write of the request
 * can succeed no more, which is after a minute; until then its outcome is unknown.
 */
const RECOVERY_PATIENCE_MS = 90_000;
/** The sweep asks after half a minute, a minute later, and two minutes after that. The custodian may still be failing. */
const SWEEP_PATIENCE_MS = 240_000;
const LIFE_PATIENCE_MS = 60_000;

/** The custodian's faults during a run. */
const troubles: readonly CustodianProgramme[] = [
  { method: 'PUT', act: 'pay', delay_ms: 150 },
  { method: 'PUT', act: 'pay', delay_ms: 600 },
  { method: 'PUT', act: 'pay', answer: 'reset' },
  { method: 'PUT', act: 'pay', answer: 'error' },
  { method: 'PUT', act: 'nothing', answer: 'reset' },
  { method: 'PUT', act: 'accept' },
  { method: 'PUT', act: 'refuse' },
];

/**
 * Puts an exchange under load, kills it with its runtime at random moments, starts it again on the same storage, and
 * compares its records with the answers that its clients got. The custodian is not killed. The seed decides the
 * requests and the times of the kills. How far each request has come by then depends on the machine.
 */
export async function runKills(options: KillOptions): Promise<KillReport> {
  const custodian = await (options.startCustodian ?? startCustodian)(SIGNING_KEY);
  const run = new KillRun(options, custodian);
  try {
    return await run.go();
  } finally {
    await run.end();
    await custodian.stop();
  }
}

class KillRun {
  readonly #options: KillOptions;
  readonly #custodian: KilledCustodian;
  readonly #remote: CustodianRemote;
  readonly #draw: Draw;
  readonly #clerk = new Clerk();
  #exchange: ServedExchange | undefined;
  #maker: RequestMaker | undefined;
  #parties: Party[] = [];
  #compareCustody: CompareCustody | undefined;

  readonly #ledgers: number;

  constructor(options: KillOptions, custodian: KilledCustodian) {
    this.#options = options;
    this.#ledgers = options.ledgers ?? 1;
    this.#custodian = custodian;
    this.#remote = new CustodianRemote(custodian.url);
    this.#draw = new Draw(options.seed);
  }

  async go(): Promise<KillReport> {
    const { kills, seed, report } = this.#options;
    const { violations, figures, entries } = this.#clerk;
    await this.#start();
    for (let index = 0; index < PARTIES; index += 1) this.#parties.push(await this.#openParty(index));
    this.#maker = new RequestMaker(this.#draw, this.#parties, OPERATOR_TOKEN, `kill-${seed}`);
    let payouts = 0;
    let died = 0;
    while (died < kills && violations.length === 0) {
      await this.#liveAndDie();
      died += 1;
      await this.#start();
      // Every fourth time it is killed again while its clients repeat the requests without an answer.
      if (died < kills && died % 4 === 0) {
        await this.#recoverAndDie();
        died += 1;
        await this.#start();
      }
      await this.#recover();
      payouts = await audit(this.#scene());
      await this.#checkCustody(false);
      report(
        `kill ${died}: ${entries.length} requests, ${figures.acknowledged} acknowledged, ${figures.foundDone} found done, ${figures.executedLater} executed later`,
      );
    }
    if (violations.length === 0) {
      await this.#finish();
      payouts = await audit(this.#scene());
      await this.#checkCustody(true);
    }
    const abandoned = entries.filter(({ isAbandoned }) => isAbandoned).length;
    const crossed = await this.#count(
      'SELECT count(*) AS n FROM deposits WHERE substr(withdrawal_id, 16, 3) <> substr(id, 16, 3)',
    );
    return { ...figures, kills: died, payouts, crossed, abandoned, violations };
  }

  async end(): Promise<void> {
    await this.#exchange?.kill().catch(() => undefined);
  }

  #scene(): Scene {
    if (!this.#exchange) throw new Error('the exchange does not stand');
    return {
      exchange: this.#exchange,
      clerk: this.#clerk,
      parties: this.#parties,
      funds,
      custodian: this.#remote,
    };
  }

  async #start(): Promise<void> {
    this.#exchange = await startServedExchange({
      bundle: this.#options.bundle,
      storage: this.#options.storage,
      ledgers: this.#ledgers,
      variables: {
        ...custodyVariables(this.#custodian.url),
        CUSTODY_SIGNING_KEY: SIGNING_KEY,
        CUSTODY_SIGNER_KEY: this.#custodian.signerKey ?? '',
        ...this.#options.variables,
      },
    });
    this.#clerk.origin = this.#exchange.url;
    this.#compareCustody = this.#custodian.follow?.(this.#exchange);
  }

  async #checkCustody(isAtRest: boolean): Promise<void> {
    if (!this.#compareCustody) return;
    const { line, violations } = await this.#compareCustody(isAtRest);
    this.#options.report(line);
    this.#clerk.violations.push(...violations);
  }

  async #openParty(index: number): Promise<Party> {
    const operator = new Operator(this.#clerk.origin);
    if (this.#ledgers > 1) await operator.openIn(index % this.#ledgers);
    const accountId = await operator.openAccount(funds);
    // One account reaches its daily limit, so that stored refusals occur as well.
    const dailyWithdrawalLimit = index === 0 ? '1500' : '1000000';
    await operator.operate('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit });
    const clients: Client[] = [];
    while (clients.length < KEYS_PER_PARTY) clients.push(await operator.createClient(accountId));
    const depositAddress = await clients[0]?.addressOn('TRC20');
    if (!depositAddress) throw new Error('the account has no address on TRC20');
    return { accountId, tokens: clients.map(({ token }) => token), depositAddress };
  }

  /** Sends load with every key until the exchange is killed. */
  async #liveAndDie(): Promise<void> {
    const life_ms = this.#draw.between(50, this.#options.longestLife_ms);
    let isDead = false;
    const workers = this.#parties.flatMap((party) =>
      party.tokens.flatMap((token) =>
        Array.from({ length: WORKERS_PER_KEY }, () => this.#work(party, token, () => isDead)),
      ),
    );
    const troublemaker = this.#makeTrouble(() => isDead);
    await sleep(life_ms);
    const patience_ms = Date.now() + LIFE_PATIENCE_MS;
    while (this.#clerk.figures.acknowledged < this.#options.leastAcknowledged && Date.now() < patience_ms) {
      await sleep(10);
    }
    isDead = true;
    await this.#exchange?.kill();
    await Promise.all([...workers, troublemaker]);
  }

  async #work(party: Party, token: string, isDead: () => boolean): Promise<void> {
    while (!isDead()) {
      const share = this.#draw.next();
      const earlier = share < 0.1 ? this.#clerk.entries.filter(({ first }) => first !== null) : [];
      if (earlier.length > 0) {
        await this.#clerk.send(this.#draw.pick(earlier));
      } else if (share < 0.25) {
        const path = this.#draw.pick(['wallet/balances', 'wallet/transactions?limit=20', 'orders?limit=20']);
        await this.#clerk.read(token, `/api/v1/${path}`);
      } else if (this.#maker) {
        const entry = this.#clerk.enter(this.#maker.make(party, token));
        const isDecided = await this.#clerk.send(entry);
        // Some clients never come back. The exchange must finish their requests by itself.
        entry.isAbandoned = !isDecided && entry.request.kind !== 'credit' && this.#draw.happens(0.2);
      }
    }
  }

  /** Makes the custodian fail now and then, and pay later what it had only accepted. */
  async #makeTrouble(isDead: () => boolean): Promise<void> {
    while (!isDead()) {
      await this.#remote.program(this.#draw.pick(troubles));
      await this.#payAccepted();
      await sleep(60);
    }
  }

  async #payAccepted(): Promise<void> {
    const payouts = await this.#remote.listPayouts();
    const accepted = payouts.find(({ status }) => status === 'accepted');
    if (accepted) await this.#remote.decide(accepted.payout.withdrawalId, 'pay');
  }

  /** Clients repeat the requests without an answer, and the exchange is killed before all are answered. */
  async #recoverAndDie(): Promise<void> {
    const open = this.#clerk.listOpen();
    const asking = open.map((entry) => this.#clerk.send(entry));
    await sleep(this.#draw.between(5, 120));
    await this.#exchange?.kill();
    await Promise.all(asking);
  }

  /** Every client that still waits repeats its request until it is answered. */
  async #recover(): Promise<void> {
    const deadline_ms = Date.now() + RECOVERY_PATIENCE_MS;
    for (let round = 1; Date.now() < deadline_ms; round += 1) {
      const open = this.#clerk.listOpen();
      if (open.length === 0) return;
      await Promise.all(open.map((entry) => this.#clerk.send(entry)));
      if (round > 3) await sleep(250);
    }
    for (const { request, latest } of this.#clerk.listOpen()) {
      this.#clerk.violations.push(
        `${request.kind} ${request.idempotencyKey} ${JSON.stringify(request.body)} is not decided, but ${latest?.body}`,
      );
    }
  }

  /** Sends every decided request once more, and waits until all withdrawals have ended. */
  async #finish(): Promise<void> {
    const decided = this.#clerk.entries.filter(({ first }) => first !== null);
    for (let start = 0; start < decided.length; start += 32) {
      await Promise.all(decided.slice(start, start + 32).map((entry) => this.#clerk.send(entry)));
    }
    if (!this.#options.awaitSweep) return;
    const deadline_ms = Date.now() + SWEEP_PATIENCE_MS;
    let open = await this.#countProcessing();
    while (open > 0 && Date.now() < deadline_ms) {
      await this.#payAccepted();
      await this.#exchange?.probe.schedule();
      await sleep(500);
      open = await this.#countProcessing();
    }
    if (open > 0) this.#clerk.violations.push(`still PROCESSING after the sweep: ${await this.#describeProcessing()}`);
    else await checkTransit(this.#scene());
  }

  #countProcessing(): Promise<number> {
    return this.#count("SELECT count(*) AS n FROM withdrawals WHERE status = 'PROCESSING'");
  }

  async #describeProcessing(): Promise<string> {
    const rows = await this.#exchange?.probe.queryAll("SELECT * FROM withdrawals WHERE status = 'PROCESSING'");
    return JSON.stringify(rows);
  }

  /** The sum of what a statement counts in each ledger. */
  async #count(sql: string): Promise<number> {
    const rows = (await this.#exchange?.probe.queryAll<{ n: number }>(sql)) ?? [];
    return rows.reduce((sum, { n }) => sum + n, 0);
  }
}
