import { z } from 'zod';
import { parseAmount } from '../../../src/money/amounts.ts';
import { type CallNode, NodeRefusal } from '../nodes/json-rpc.ts';

/** An error code of Bitcoin Core, which Litecoin Core and Dogecoin Core share. */
const BLOCK_HEIGHT_OUT_OF_RANGE = -8;

const DECIMALS = 8;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** An amount in whole coins, which `parseExactly` leaves as text, as atoms. */
const Value = z.union([z.string(), z.number().int()]).transform((value, context) => {
  const atoms = /^\d+(\.\d+)?$/.test(String(value)) ? parseAmount(String(value), DECIMALS) : undefined;
  if (atoms !== undefined) return atoms;
  context.addIssue({ code: 'custom', message: 'is no amount' });
  return z.NEVER;
});

const BitcoinHeader = z.object({
  hash: Hash,
  height: z.number().int(),
  time: z.number().int(),
  previousblockhash: Hash.optional(),
});

const RawTransaction = z.object({
  txid: Hash,
  vin: z.array(z.object({ txid: Hash.optional(), vout: z.number().int().optional(), coinbase: z.string().optional() })),
  vout: z.array(z.object({ n: z.number().int(), value: Value, scriptPubKey: z.object({ hex: z.string() }) })),
});

export type RawTransaction = z.output<typeof RawTransaction>;

/** The methods of a Bitcoin-like node that the custodian uses. Each rejects when there is no usable answer. */
export class BitcoinNode {
  readonly #call: CallNode;
  readonly #readsBlocksById: boolean;

  constructor(call: CallNode, readsBlocksById: boolean) {
    this.#call = call;
    this.#readsBlocksById = readsBlocksById;
  }

  async height(): Promise<number> {
    return z
      .number()
      .int()
      .parse(await this.#call('getblockcount', []));
  }

  /** The hash at a height of the node's best chain; `undefined` above its end. */
  async hashAt(height: number): Promise<string | undefined> {
    try {
      return Hash.parse(await this.#call('getblockhash', [height]));
    } catch (error) {
      if (error instanceof NodeRefusal && error.code === BLOCK_HEIGHT_OUT_OF_RANGE) return undefined;
      throw error;
    }
  }

  async header(hash: string): Promise<z.output<typeof BitcoinHeader>> {
    return BitcoinHeader.parse(await this.#call('getblockheader', [hash, true]));
  }

  /** A block's transactions, by its hash. From Dogecoin's node, which returns only ids, they are read one by one. */
  async transactions(hash: string): Promise<RawTransaction[]> {
    if (!this.#readsBlocksById) {
      const block = z
        .object({ hash: Hash, tx: z.array(RawTransaction) })
        .parse(await this.#call('getblock', [hash, 2]));
      return block.tx;
    }
    const { tx: ids } = z.object({ tx: z.array(Hash) }).parse(await this.#call('getblock', [hash, true]));
    const transactions: RawTransaction[] = [];
    for (const id of ids) transactions.push(await this.#transactionIn(id, hash));
    return transactions;
  }

  async #transactionIn(id: string, blockHash: string): Promise<RawTransaction> {
    const answer = await this.#call('getrawtransaction', [id, 1]);
    const { blockhash } = z.object({ blockhash: Hash.optional() }).parse(answer);
    if (blockhash !== blockHash) throw new Error(`transaction ${id} is no longer in block ${blockHash}`);
    return RawTransaction.parse(answer);
  }

  /** A transaction's bytes in hex. The node needs its index of transactions for this. */
  async rawTransaction(id: string): Promise<string> {
    return z.string().parse(await this.#call('getrawtransaction', [id, 0]));
  }

  /** The fee rate to be in one of the next blocks, in atoms per 1,000 vbytes; `undefined` when the node has no data. */
  async feeRate(blocks: number): Promise<bigint | undefined> {
    const answer = await this.#call('estimatesmartfee', [blocks]);
    return z.object({ feerate: Value.optional() }).parse(answer).feerate;
  }

  /** The coins in blocks that pay to a script, in hex, the largest first. Dogecoin's node does not have this method. */
  async listUnspent(script: string): Promise<{ txid: string; vout: number; atoms: bigint }[]> {
    const answer = await this.#call('scantxoutset', ['start', [`raw(${script})`]]);
    const { unspents } = z
      .object({ unspents: z.array(z.object({ txid: Hash, vout: z.number().int(), amount: Value })) })
      .parse(answer);
    return unspents
      .map(({ txid, vout, amount }) => ({ txid, vout, atoms: amount }))
      .toSorted((one, other) => (one.atoms < other.atoms ? 1 : -1));
  }

  /** Whether nobody has spent a coin, in a block or in the node's pool. */
  async isUnspent(txid: string, vout: number): Promise<boolean> {
    try {
      return (await this.#call('gettxout', [txid, vout, true])) !== null;
    } catch (error) {
      if (error instanceof NodeRefusal) return false;
      throw error;
    }
  }

  async sendRaw(raw: string): Promise<void> {
    await this.#call('sendrawtransaction', [raw]);
  }
}
