import { readTransfer } from '../../custodian/src/evm/token-transfer.ts';
import type { Anvil } from '../../custodian/test/support/start-anvil.ts';

interface Block {
  readonly transactions: readonly { readonly to: string | null; readonly value: string; readonly input: string }[];
}

/** Counts the payments in the blocks of an EVM chain by recipient and amount, without asking the custodian. */
export class PaidOnChain {
  readonly #anvil: Anvil;
  readonly #counts = new Map<string, number>();
  #next = 1;

  constructor(anvil: Anvil) {
    this.#anvil = anvil;
  }

  async readBlocks(): Promise<void> {
    const newest = Number(await this.#anvil.call('eth_blockNumber'));
    for (; this.#next <= newest; this.#next += 1) {
      const number = `0x${this.#next.toString(16)}`;
      const block = (await this.#anvil.call('eth_getBlockByNumber', [number, true])) as Block;
      const receipts = (await this.#anvil.call('eth_getBlockReceipts', [number])) as { status: string }[];
      for (const [position, { to, value, input }] of block.transactions.entries()) {
        if (to === null || receipts[position]?.status !== '0x1') continue;
        const transfer = readTransfer(input);
        this.#count(transfer ? `${to}:${transfer.recipient}:${transfer.atoms}` : `:${to}:${BigInt(value)}`);
      }
    }
  }

  /** How often this amount was paid to an address. `contract` is the token's, or `null` for the chain's own coin. */
  countOf(contract: string | null, address: string, atoms: bigint): number {
    return this.#counts.get(`${contract ?? ''}:${address}:${atoms}`.toLowerCase()) ?? 0;
  }

  #count(name: string): void {
    const key = name.toLowerCase();
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
