import { z } from 'zod';
import type { CallNode } from '../nodes/json-rpc.ts';

const Quantity = z.string().regex(/^0x[0-9a-f]+$/i);
const Whole = Quantity.transform((text) => BigInt(text));
const Small = Quantity.transform(Number);
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => text.toLowerCase());
const Bytes = z.string().regex(/^0x[0-9a-f]*$/i);

const EvmHeader = z.object({
  number: Small,
  hash: Hash,
  parentHash: Hash,
  baseFeePerGas: Whole.optional(),
  timestamp: Small,
});

const EvmSent = z.object({ hash: Hash, from: Address, to: Address.nullish(), value: Whole, nonce: Whole });

const EvmBlock = EvmHeader.extend({ transactions: z.array(EvmSent) });

export type EvmBlock = z.output<typeof EvmBlock>;

const Receipt = z.object({
  transactionHash: Hash,
  blockHash: Hash,
  status: Whole,
  gasUsed: Whole,
  /** Some chains leave it out of old receipts. */
  effectiveGasPrice: Whole.optional(),
  /** What the transaction's data cost on Ethereum, on OP Stack networks. */
  l1Fee: Whole.optional(),
  logs: z.array(z.object({ address: Address, topics: z.array(Bytes), data: Bytes })),
});

export type Receipt = z.output<typeof Receipt>;

/** A call within a transaction, in the form of geth's `callTracer`. */
export interface TracedCall {
  readonly type: string;
  readonly to?: string | undefined;
  readonly value?: bigint | undefined;
  readonly error?: string | undefined;
  readonly calls?: readonly TracedCall[] | undefined;
}

const TracedCall: z.ZodType<TracedCall> = z.object({
  type: z.string(),
  to: Address.optional(),
  value: Whole.optional(),
  error: z.string().optional(),
  get calls() {
    return z.array(TracedCall).optional();
  },
});

const Trace = z.object({ txHash: Hash.optional(), result: TracedCall });

/** The methods of an EVM node that the custodian uses. Each rejects when the answer is missing or has another form. */
export class EvmNode {
  readonly #call: CallNode;

  constructor(call: CallNode) {
    this.#call = call;
  }

  async chainId(): Promise<bigint> {
    return Whole.parse(await this.#call('eth_chainId', []));
  }

  /** A block's header by number or tag; `undefined` when there is none. */
  async header(at: number | 'latest' | 'safe' | 'finalized') {
    const name = typeof at === 'number' ? toQuantity(at) : at;
    const block = await this.#call('eth_getBlockByNumber', [name, false]);
    return block === null ? undefined : EvmHeader.parse(block);
  }

  /**
   * A block with its transactions, by its hash. After a reorganisation this rejects and never returns another block.
   */
  async block(hash: string): Promise<EvmBlock> {
    const block = EvmBlock.parse(await this.#call('eth_getBlockByHash', [hash, true]));
    if (block.hash !== hash) throw new Error(`asked for block ${hash}, was given ${block.hash}`);
    return block;
  }

  async receipts(hash: string): Promise<Receipt[]> {
    const receipts = z.array(Receipt).parse(await this.#call('eth_getBlockReceipts', [hash]));
    if (receipts.some(({ blockHash }) => blockHash !== hash)) throw new Error('receipts of another block');
    return receipts;
  }

  /** A transaction by its hash; `undefined` when the node does not know it. */
  async transaction(hash: string): Promise<z.output<typeof EvmSent> | undefined> {
    const transaction = await this.#call('eth_getTransactionByHash', [hash]);
    return transaction === null ? undefined : EvmSent.parse(transaction);
  }

  /** The receipt of a transaction in a block of the node's chain; `undefined` when it is in none. */
  async receipt(hash: string): Promise<Receipt | undefined> {
    const receipt = await this.#call('eth_getTransactionReceipt', [hash]);
    return receipt === null ? undefined : Receipt.parse(receipt);
  }

  /** The trace of each transaction of a block, in their order. */
  async traces(hash: string): Promise<TracedCall[]> {
    const answer = await this.#call('debug_traceBlockByHash', [hash, { tracer: 'callTracer' }]);
    return z
      .array(Trace)
      .parse(answer)
      .map(({ result }) => result);
  }

  /** The trace of one transaction. */
  async trace(hash: string): Promise<TracedCall> {
    return TracedCall.parse(await this.#call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]));
  }

  async transactionCount(address: string): Promise<bigint> {
    return Whole.parse(await this.#call('eth_getTransactionCount', [address, 'latest']));
  }

  /** The balance of the network's coin after the newest block, or after the one with this hash (EIP-1898). */
  async balance(address: string, hash?: string): Promise<bigint> {
    return Whole.parse(await this.#call('eth_getBalance', [address, hash ? { blockHash: hash } : 'latest']));
  }

  async callContract(to: string, data: string, hash?: string): Promise<string> {
    return Bytes.parse(await this.#call('eth_call', [{ to, data }, hash ? { blockHash: hash } : 'latest']));
  }

  async estimateGas(call: { from: string; to: string; value: string; data: string }): Promise<bigint> {
    const { from, to, value, data } = call;
    return Whole.parse(await this.#call('eth_estimateGas', [{ from, to, value: toQuantity(value), data }]));
  }

  async priorityFee(): Promise<bigint> {
    return Whole.parse(await this.#call('eth_maxPriorityFeePerGas', []));
  }

  async sendRaw(raw: string): Promise<void> {
    await this.#call('eth_sendRawTransaction', [raw]);
  }
}

function toQuantity(value: number | string): string {
  return `0x${BigInt(value).toString(16)}`;
}
