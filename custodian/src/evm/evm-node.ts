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

const BlockTransaction = z.object({
  hash: Hash,
  from: Address,
  to: Address.nullish(),
  value: Whole,
  nonce: Whole,
  /** Absent in the answers of old nodes, which know one type only. */
  type: Small.default(0),
});

export type BlockTransaction = z.output<typeof BlockTransaction>;

/** A payment to a validator's address (EIP-4895), which no transaction makes. */
const Withdrawal = z.object({ address: Address, amount: Whole });

const EvmBlock = EvmHeader.extend({
  transactions: z.array(z.unknown()),
  withdrawals: z.array(Withdrawal).nullish(),
});

/** A block with those of its transactions that can be read. */
export interface EvmBlock extends z.output<typeof EvmHeader> {
  readonly transactions: readonly BlockTransaction[];
  readonly withdrawals: readonly z.output<typeof Withdrawal>[];
}

/** The types of the transactions that an account signs: each uses up the account's nonce. */
const SIGNED_TYPES = [0, 1, 2, 3, 4];

const NOBODY = `0x${'0'.repeat(40)}`;

/**
 * Whether an account signed a transaction. Others are made by the chain itself: deposits from Ethereum on Arbitrum, OP
 * Mainnet and Base, and what Polygon takes over from there. Their nonces are nobody's, and each chain writes them in its
 * own way.
 */
export function isSigned({ type, from }: Pick<BlockTransaction, 'type' | 'from'>): boolean {
  return SIGNED_TYPES.includes(type) && from !== NOBODY;
}

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

/** What identifies a transaction that cannot be read. */
const Unread = z.object({ type: Small.default(0), from: Address.default('') });

/**
 * Reads each part of a list that can be read, and leaves out what the chain itself made. A transaction that an account
 * signed has a form that every node must give: what has another form is no answer.
 */
function readEach<T extends z.ZodType>(list: readonly unknown[], schema: T): z.output<T>[] {
  return list.flatMap((json) => {
    const parsed = schema.safeParse(json);
    if (parsed.success) return [parsed.data];
    const unread = Unread.safeParse(json);
    if (!unread.success || isSigned(unread.data)) throw parsed.error;
    return [];
  });
}

/** A call within a transaction, in the form of geth's `callTracer`. */
export interface TracedCall {
  readonly type: string;
  readonly to?: string | null | undefined;
  readonly value?: bigint | null | undefined;
  readonly error?: string | null | undefined;
  readonly calls?: readonly TracedCall[] | null | undefined;
}

const TracedCall: z.ZodType<TracedCall> = z.object({
  type: z.string(),
  to: Address.nullish(),
  value: Whole.nullish(),
  error: z.string().nullish(),
  get calls() {
    return z.array(TracedCall).nullish();
  },
});

/** A trace without a result is one that the node gave up. */
const Trace = z.object({ txHash: Hash.optional(), result: z.unknown().optional() });

/** The trace of one transaction of a block; `call` is absent when the node gave it up. */
export interface Trace {
  readonly txHash: string | undefined;
  readonly call: TracedCall | undefined;
}

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
    return {
      ...block,
      transactions: readEach(block.transactions, BlockTransaction),
      withdrawals: block.withdrawals ?? [],
    };
  }

  async receipts(hash: string): Promise<Receipt[]> {
    const list = z.array(z.unknown()).parse(await this.#call('eth_getBlockReceipts', [hash]));
    const receipts = readEach(list, Receipt);
    if (receipts.some(({ blockHash }) => blockHash !== hash)) throw new Error('receipts of another block');
    return receipts;
  }

  /** A transaction by its hash; `undefined` when the node does not know it. */
  async transaction(hash: string): Promise<BlockTransaction | undefined> {
    const transaction = await this.#call('eth_getTransactionByHash', [hash]);
    return transaction === null ? undefined : BlockTransaction.parse(transaction);
  }

  /** The receipt of a transaction in a block of the node's chain; `undefined` when it is in none. */
  async receipt(hash: string): Promise<Receipt | undefined> {
    const receipt = await this.#call('eth_getTransactionReceipt', [hash]);
    return receipt === null ? undefined : Receipt.parse(receipt);
  }

  /** The traces of a block's transactions, in their order. Some nodes leave out what the chain itself made. */
  async traces(hash: string): Promise<Trace[]> {
    const answer = await this.#call('debug_traceBlockByHash', [hash, { tracer: 'callTracer' }]);
    return z
      .array(Trace)
      .parse(answer)
      .map(({ txHash, result }) => ({ txHash, call: TracedCall.safeParse(result).data }));
  }

  /** The trace of one transaction. */
  async trace(hash: string): Promise<TracedCall> {
    return TracedCall.parse(await this.#call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]));
  }

  /** How many transactions an address has sent, in blocks or with those in the node's pool. */
  async transactionCount(address: string, at: 'latest' | 'pending' = 'latest'): Promise<bigint> {
    return Whole.parse(await this.#call('eth_getTransactionCount', [address, at]));
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
