import { base64, hex } from '@scure/base';
import { z } from 'zod';
import { type CallNode, NodeRefusal } from '../nodes/json-rpc.ts';

/** The errors of a node for a slot that has no block, or none that this node has yet. */
const noBlock = [-32004, -32007, -32009];

const Height = z.number().int().min(0);
const Key = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

const BlockHead = z.object({
  blockhash: Key,
  previousBlockhash: Key,
  parentSlot: Height,
  blockHeight: Height.nullable(),
  blockTime: z.number().nullable(),
});

export type BlockHead = z.output<typeof BlockHead>;

/** What a token account had before or after a transaction. */
const TokenAmount = z.object({
  accountIndex: z.number().int().min(0),
  mint: Key,
  owner: Key.optional(),
  programId: Key.optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
});

export type TokenAmount = z.output<typeof TokenAmount>;

/** What the chain recorded of a transaction. `err` is `null` when it succeeded. */
const Meta = z.object({
  err: z.unknown(),
  fee: z.number().int().min(0),
  preBalances: z.array(z.number()),
  postBalances: z.array(z.number()),
  preTokenBalances: z.array(TokenAmount),
  postTokenBalances: z.array(TokenAmount),
});

/** A transaction of a block with the accounts that it names, and no instructions. */
const BlockTransaction = z.object({
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    accountKeys: z.array(z.object({ pubkey: Key, signer: z.boolean() })),
  }),
  meta: Meta,
});

export type BlockTransaction = z.output<typeof BlockTransaction>;

const Block = BlockHead.extend({ transactions: z.array(BlockTransaction) });

const Data = z.tuple([z.base64(), z.literal('base64')]);

const WholeTransaction = z.object({ slot: Height, transaction: Data, meta: Meta });

const Account = z.object({ owner: Key, lamports: z.number(), data: Data }).nullable();

const TokenAccounts = z.object({ value: z.array(z.object({ pubkey: Key, account: z.object({ data: Data }) })) });

const Price = z.object({ prioritizationFee: z.number().int().min(0) });

/** An account of the chain. */
export interface SolanaAccount {
  /** The program that may change it. */
  readonly program: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

/** The most accounts of one request. */
export const MAX_ACCOUNTS = 100;

const finalized = { commitment: 'finalized' } as const;
const anyVersion = { ...finalized, maxSupportedTransactionVersion: 0 } as const;

/** A node of Solana. Everything is asked for as it is in finalized blocks. Methods reject as `CallNode` does. */
export class SolanaNode {
  readonly #call: CallNode;

  constructor(call: CallNode) {
    this.#call = call;
  }

  async genesis(): Promise<string> {
    return Key.parse(await this.#call('getGenesisHash', []));
  }

  /** The newest slot. */
  async slot(): Promise<number> {
    return Height.parse(await this.#call('getSlot', [finalized]));
  }

  /** How many blocks there are: the height by which blockhashes end. */
  async blockHeight(): Promise<number> {
    return Height.parse(await this.#call('getBlockHeight', [finalized]));
  }

  /** The slots from the first to the last one that have a block. */
  async slots(first: number, last: number): Promise<number[]> {
    return z.array(Height).parse(await this.#call('getBlocks', [first, last, finalized]));
  }

  /** The head of the block of a slot; `undefined` when the node has none. */
  async head(slot: number): Promise<BlockHead | undefined> {
    try {
      const options = { ...anyVersion, transactionDetails: 'none', rewards: false };
      return BlockHead.nullable().parse(await this.#call('getBlock', [slot, options])) ?? undefined;
    } catch (error) {
      if (error instanceof NodeRefusal && noBlock.includes(error.code)) return undefined;
      throw error;
    }
  }

  /** The block of a slot with its transactions. Rejects when the node has none. */
  async block(slot: number): Promise<z.output<typeof Block>> {
    const options = { ...anyVersion, transactionDetails: 'accounts', rewards: false };
    return Block.parse(await this.#call('getBlock', [slot, options]));
  }

  /** A transaction by its signature; `undefined` when it is in no block. */
  async transaction(signature: string) {
    const answer = WholeTransaction.nullable().parse(
      await this.#call('getTransaction', [signature, { ...anyVersion, encoding: 'base64' }]),
    );
    if (!answer) return undefined;
    return { slot: answer.slot, bytes: base64.decode(answer.transaction[0]), meta: answer.meta };
  }

  /** Accounts as one moment has them; `null` for those that do not exist. */
  async accounts(keys: readonly string[]): Promise<(SolanaAccount | null)[]> {
    const options = { ...finalized, encoding: 'base64' };
    const { value } = z
      .object({ value: z.array(Account).length(keys.length) })
      .parse(await this.#call('getMultipleAccounts', [keys, options]));
    return value.map(
      (account) =>
        account && {
          program: account.owner,
          lamports: BigInt(account.lamports),
          data: base64.decode(account.data[0]),
        },
    );
  }

  /** The accounts of a token that a wallet owns. */
  async tokenAccounts(owner: string, mint: string): Promise<{ readonly account: string; readonly data: Uint8Array }[]> {
    const options = { ...finalized, encoding: 'base64' };
    const { value } = TokenAccounts.parse(await this.#call('getTokenAccountsByOwner', [owner, { mint }, options]));
    return value.map(({ pubkey, account }) => ({ account: pubkey, data: base64.decode(account.data[0]) }));
  }

  /** A blockhash, and the height of the last block that takes a transaction with it. */
  async latestBlockhash(): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }> {
    const Answer = z.object({ value: z.object({ blockhash: Key, lastValidBlockHeight: Height }) });
    return Answer.parse(await this.#call('getLatestBlockhash', [finalized])).value;
  }

  /** What transactions that wrote to these accounts have offered lately, in millionths of a lamport for each unit. */
  async computePrices(accounts: readonly string[]): Promise<bigint[]> {
    const answer = z.array(Price).parse(await this.#call('getRecentPrioritizationFees', [accounts]));
    return answer.map(({ prioritizationFee }) => BigInt(prioritizationFee));
  }

  /** Sends a transaction, in hex. The node tries it first, and refuses one that would fail now. */
  async send(raw: string): Promise<void> {
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
    z.string().parse(await this.#call('sendTransaction', [base64.encode(hex.decode(raw)), options]));
  }
}
