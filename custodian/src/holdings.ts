import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '../../src/money/amounts.ts';
import { type Log, describeError } from './log.ts';
import { type ServedNetwork, listAssets, maxTipAge_ms } from './networks.ts';
import type { ChainProgress } from './nodes/follow.ts';
import type { BlockId } from './states/chain.ts';
import { readBlockHash, readHalt, readHead } from './store/chain-state.ts';
import type { Database } from './store/database.ts';

/** How much there is of an asset on a network. */
export interface Holding {
  readonly asset: string;
  readonly decimals: number;
  /** At all our addresses but the cold one. */
  readonly atoms: bigint;
  /** What is held for Bureau: docs/custody.md, "Holdings". */
  readonly held: bigint;
}

/** How long a request waits for new figures, in steps. Then it gets the last ones. Bureau waits 6 s for an answer. */
const PATIENCE_MS = 3_000;
const STEP_MS = 50;

/** What a network's holdings are kept with. */
export interface HoldingsTools {
  readonly database: Database;
  readonly network: ServedNetwork;
  /** Reads the holdings after this block, which is the newest one that is stored. */
  readonly readHoldings: (block: BlockId) => Promise<Holding[]>;
  readonly log: Log;
  readonly now: () => number;
}

/** Our newest block, and when it was certainly the chain's newest. */
interface Moment {
  readonly block: BlockId;
  readonly at_ms: number;
}

interface Snapshot extends Moment {
  readonly holdings: readonly Holding[];
}

/**
 * The holdings on one network, of one moment. They are read when somebody asks. While the node is down or behind, the
 * last ones are given, with their own time.
 */
export class NetworkHoldings {
  readonly #tools: HoldingsTools;
  #moment: Moment | undefined;
  #snapshot: Snapshot | undefined;
  #taking: Promise<void> | undefined;
  /** Bureau may have credited deposits in blocks up to this height. */
  #creditedUpTo = -1;

  constructor(tools: HoldingsTools) {
    this.#tools = tools;
  }

  /** Notes the result of a look at the chain. Call it before deposits are reported. */
  noteFollowed({ height, finalByTag, isCurrent, tipMined_ms }: ChainProgress): void {
    const { database, network, now } = this.#tools;
    const least = Math.min(...listAssets(network).map(({ confirmations }) => confirmations));
    this.#creditedUpTo = Math.min(height - least + 1, finalByTag ?? height);
    const block = readHead(database, network);
    if (!isCurrent || !block) return;
    // A node that is behind knows only what was true at the time of its newest block.
    const isBehind = now() - tipMined_ms > maxTipAge_ms(network);
    this.#moment = { block, at_ms: isBehind ? tipMined_ms : now() };
  }

  /** The network's part of the answer to `GET /v1/holdings`. Never rejects. */
  async read() {
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    await Promise.race([this.#taking, sleep(PATIENCE_MS, undefined, { ref: false })]);
    const { network, database } = this.#tools;
    const { block, at_ms, holdings = [] } = this.#snapshot ?? {};
    return {
      network,
      at: at_ms === undefined || !this.#isWhole() ? null : new Date(at_ms).toISOString(),
      height: block?.height ?? null,
      blockHash: block?.hash ?? null,
      halted: readHalt(database, network),
      assets: holdings.map(({ asset, atoms, held, decimals }) => ({
        asset,
        amount: formatAmount(atoms, decimals),
        held: formatAmount(held, decimals),
      })),
    };
  }

  /**
   * Whether the snapshot has every deposit that Bureau may have credited. One of a block that was reorganised away, or
   * that is older than deposits that have all confirmations, would look like a shortfall.
   */
  #isWhole(): boolean {
    if (!this.#snapshot) return false;
    const { height, hash } = this.#snapshot.block;
    return height >= this.#creditedUpTo && readBlockHash(this.#tools.database, this.#tools.network, height) === hash;
  }

  /** Takes a snapshot when the newest block that is stored is the chain's newest. Waits for that, but not for long. */
  async #take(): Promise<void> {
    const { database, network, readHoldings, log } = this.#tools;
    try {
      for (let waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += STEP_MS) {
        if (readHalt(database, network) !== null) return;
        const moment = this.#moment;
        if (moment && readHead(database, network)?.hash === moment.block.hash) {
          this.#snapshot = { ...moment, holdings: await readHoldings(moment.block) };
          return;
        }
        await sleep(STEP_MS, undefined, { ref: false });
      }
    } catch (error) {
      log('holdings_failed', { network, error: describeError(error) });
    }
  }
}
