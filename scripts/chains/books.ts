import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAmount } from '../../src/money/amounts.ts';
import type { ServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { type CustodyKey, askCustodian } from './ask-custodian.ts';
import type { LocalChain } from './local-chains.ts';
import { type Cover, describeCover, readCover } from './read-cover.ts';

interface Withdrawal {
  readonly id: string;
  readonly asset: LocalChain['asset'];
  readonly status: string;
  readonly txHash: string | null;
}

/** The custodian's holdings on one network: docs/custody.md, "Holdings". */
interface HeldOnNetwork {
  readonly network: string;
  readonly blockHash: string | null;
  readonly assets: readonly { readonly asset: string; readonly amount: string }[];
}

/** How much each account deposits on a chain, and what each withdrawal pays to whom. */
export interface ChainPlan {
  readonly deposit: string;
  readonly amount: string;
  readonly recipient: string;
}

export interface Plan {
  readonly accounts: number;
  readonly withdrawals: number;
  readonly chains: Readonly<Record<LocalChain['network'], ChainPlan>>;
}

export interface BooksOptions {
  readonly plan: Plan;
  readonly chains: readonly LocalChain[];
  readonly exchange: ServedExchange;
  readonly custodianUrl: string;
  readonly database: string;
  readonly key: CustodyKey;
  readonly report: (line: string) => void;
}

/** After so many samples, one is printed. */
const PRINTED = 10;

/** Everything is compared in the chain's atoms. */
function atomsOf({ decimals }: LocalChain, amount: string): bigint {
  return parseAmount(amount, decimals) ?? 0n;
}

/** Compares the ledger, the chains and the custodian's holdings with each other. */
export class Books {
  readonly violations: string[] = [];
  samples = 0;
  covered = 0;
  unknown = 0;
  readonly #options: BooksOptions;

  constructor(options: BooksOptions) {
    this.#options = options;
  }

  /** Takes samples while `work` goes on. */
  async sampleUntil(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const working = work().finally(() => done.abort());
    working.catch(() => undefined);
    while (!done.signal.aborted) {
      await this.#sample();
      await sleep(200);
    }
    await working;
  }

  /** Compares custody with the ledger as Bureau does. What is not known counts apart. */
  async #sample(): Promise<void> {
    const covers = await this.#readCovers();
    for (const cover of covers) {
      if (cover.standing === 'covered') this.covered += 1;
      if (cover.standing === 'unknown') this.unknown += 1;
      if (cover.standing === 'shortfall') this.violations.push(describeCover(cover));
    }
    if (this.samples % PRINTED === 0) this.#options.report(covers.map(describeCover).join('; '));
    this.samples += 1;
  }

  #readCovers(): Promise<Cover[]> {
    const { exchange, custodianUrl, key, chains } = this.#options;
    const coins = chains.map(({ asset }) => asset);
    return readCover(exchange, custodianUrl, key, coins);
  }

  /** Checks, when nothing is open, that all three agree to the atom. */
  async compareAtRest(): Promise<void> {
    const { plan, chains } = this.#options;
    for (const chain of chains) await this.#untilFollowed(chain);
    const rows = await this.#readWithdrawals();
    if (rows.length !== plan.withdrawals)
      this.violations.push(`${rows.length} withdrawals are in the ledger, not ${plan.withdrawals}`);
    for (const row of rows) {
      const said = (await this.#ask(`/v1/payouts/${row.id}`)) as { status: string; txHash?: string };
      if (row.status !== 'COMPLETED' || said.status !== 'sent' || said.txHash !== row.txHash) {
        this.violations.push(`${JSON.stringify(row)}: the custodian says ${JSON.stringify(said)}`);
      }
    }
    for (const chain of chains) {
      const { network } = chain;
      const { deposit, amount, recipient } = plan.chains[network];
      const paid = BigInt(rows.filter(({ asset }) => asset === chain.asset).length) * atomsOf(chain, amount);
      const deposited = BigInt(plan.accounts) * atomsOf(chain, deposit);
      const fees = await this.#sumFees(chain);
      const expected = {
        received: paid,
        owed: deposited - paid,
        held: deposited - paid,
        onChain: atomsOf(chain, chain.hotFloat) + deposited - paid - fees,
      };
      const received = atomsOf(chain, await chain.balance(recipient));
      const cover = await this.#readLastCover(chain);
      const found = {
        received,
        owed: atomsOf(chain, cover?.due ?? '0'),
        held: atomsOf(chain, cover?.held ?? '0'),
        onChain: await this.#readHolding(chain),
      };
      for (const name of ['received', 'owed', 'held', 'onChain'] as const) {
        if (found[name] !== expected[name]) {
          this.violations.push(`${network}: ${name} is ${found[name]}, not ${expected[name]}`);
        }
      }
    }
  }

  /** The sum of the fees of all transactions that the custodian stored, as the nodes report them. */
  async #sumFees(chain: LocalChain): Promise<bigint> {
    const database = new DatabaseSync(this.#options.database, { readOnly: true });
    const rows = database.prepare('SELECT tx_hash FROM versions WHERE network = ?').all(chain.network);
    database.close();
    let sum = 0n;
    // One after the other, because a litecoind refuses calls beyond its queue.
    for (const row of rows) sum += await chain.feeOf(String(row['tx_hash']));
    return sum;
  }

  /** Custody against the ledger, when the custodian has heard that Bureau has settled the last withdrawal. */
  async #readLastCover(chain: LocalChain): Promise<Cover | undefined> {
    let cover: Cover | undefined;
    for (let tries = 0; tries < 100; tries += 1) {
      cover = (await this.#readCovers()).find(({ asset }) => asset === chain.asset);
      if (cover?.held === cover?.due) break;
      await sleep(100);
    }
    return cover;
  }

  async #readWithdrawals(): Promise<Withdrawal[]> {
    return this.#options.exchange.probe.query('SELECT id, asset, status, tx_hash AS txHash FROM withdrawals');
  }

  /** Waits until the custodian has read the chain's newest block. */
  async #untilFollowed(chain: LocalChain): Promise<void> {
    const tip = await chain.tip();
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await this.#readNetwork(chain.network)).blockHash === tip) return;
      await sleep(100);
    }
    this.violations.push(`${chain.network}: the custodian does not come to the newest block`);
  }

  async #readNetwork(network: LocalChain['network']): Promise<HeldOnNetwork> {
    const { networks } = (await this.#ask('/v1/holdings')) as { networks: HeldOnNetwork[] };
    const found = networks.find((one) => one.network === network);
    if (!found) throw new Error(`the custodian does not serve ${network}`);
    return found;
  }

  async #readHolding(chain: LocalChain): Promise<bigint> {
    const { assets } = await this.#readNetwork(chain.network);
    return atomsOf(chain, assets.find(({ asset }) => asset === chain.asset)?.amount ?? '0');
  }

  #ask(path: string): Promise<unknown> {
    return askCustodian(this.#options.custodianUrl, path, this.#options.key);
  }
}
