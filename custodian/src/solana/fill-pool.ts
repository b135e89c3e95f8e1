import type { Bureau } from '../contract/bureau.ts';
import type { AskSigner } from '../signer/connect.ts';
import { MAX_POOL_ENTRIES } from '../signer/requests.ts';
import type { WatchedAddresses } from '../store/watched.ts';

export interface PoolParts {
  readonly bureau: Pick<Bureau, 'readPool' | 'fillPool'>;
  readonly askSigner: AskSigner;
  /** The house's own addresses. All that the pool has are watched. */
  readonly watched: Pick<WatchedAddresses, 'watchUpTo' | 'addressOf'>;
  /** How many addresses the pool has beyond those that are assigned. */
  readonly ahead: number;
}

/**
 * Bureau's pool of Solana addresses, from which each new account takes one. Once it is compared with the house's own
 * addresses, and then it is filled ahead of the accounts.
 */
export class AddressPool {
  readonly #parts: PoolParts;
  /** The first index that the pool lacks; `undefined` before the comparison. */
  #next: number | undefined;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /**
   * Compares the pool, at the first call that succeeds. Returns the first index whose address is not the house's own:
   * somebody else's is given to a customer. Rejects when Bureau or the signer do not answer.
   */
  async findDifference(): Promise<number | undefined> {
    if (this.#next !== undefined) return undefined;
    const { bureau, watched } = this.#parts;
    let different: number | undefined;
    let next = 0;
    let page = await bureau.readPool(0);
    for (let last = page.at(-1); last; last = page.at(-1)) {
      await watched.watchUpTo(last.index + 1);
      for (const { index, address } of page) {
        if (address !== watched.addressOf(index)) different ??= index;
        if (index === next) next += 1;
      }
      page = await bureau.readPool(last.index + 1);
    }
    this.#next = next;
    return different;
  }

  /** Adds what the pool lacks below `assigned` and the addresses ahead. Rejects when signer or Bureau do not; it goes on then. */
  async fill(assigned: number): Promise<void> {
    const { askSigner, bureau, watched, ahead } = this.#parts;
    const end = assigned + ahead;
    await watched.watchUpTo(end);
    while (this.#next !== undefined && this.#next < end) {
      const count = Math.min(MAX_POOL_ENTRIES, end - this.#next);
      const answer = await askSigner({ kind: 'pool_entries', network: 'SOL', from: this.#next, count });
      if (answer.kind !== 'pool_entries') throw new Error(`the signer answered ${answer.kind}`);
      await bureau.fillPool(answer.entries);
      this.#next += count;
    }
  }
}
