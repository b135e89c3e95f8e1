import { z } from 'zod';
import { accountOf } from '../account-address.ts';
import type { ContractLog } from '../evm/transfer-logs.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { Header } from '../states/chain.ts';

/** The deadline for an answer. */
const DEADLINE_MS = 20_000;

/** Calls a method of a node's HTTP API. Rejects when there is no usable answer. */
export type AskTron = (path: string, body: object) => Promise<unknown>;

/**
 * Calls a Tron node: a full node's API, with `/walletsolidity` for what is solidified. A user name in the URL without a
 * password is sent as TronGrid's API key.
 */
export function connectTron(url: string): AskTron {
  const { username, password, origin, pathname } = new URL(url);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = {
    'Content-Type': 'application/json',
    ...(password && { Authorization: `Basic ${credentials.toString('base64')}` }),
    ...(username && !password && { 'TRON-PRO-API-KEY': decodeURIComponent(username) }),
  };
  return async (path, body) => {
    const response = await fetch(`${origin}${pathname.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: 'error',
    });
    const answer: unknown = JSON.parse(await response.text(), keepLarge);
    if (typeof answer !== 'object' || answer === null) throw new Error(`${path}: the node's answer is no object`);
    const { Error: fault } = answer as { Error?: unknown };
    if (fault !== undefined) throw new Error(`${path}: ${JSON.stringify(fault).slice(0, 300)}`);
    return answer;
  };
}

/** An integer that a JavaScript number would round is returned as text. */
function keepLarge(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

const Id = z.string().regex(/^[0-9a-f]{64}$/);
/** Amounts in sun. A field that is 0 is left out. */
const Sun = z.union([z.number().int(), z.string().regex(/^\d+$/)]).transform(BigInt);
/** An account in hex, behind Tron's version byte. */
const Account = z
  .string()
  .regex(/^41[0-9a-fA-F]{40}$/)
  .transform((text) => `0x${text.slice(2).toLowerCase()}`);
const Hex = z
  .string()
  .regex(/^([0-9a-fA-F]{2})*$/)
  .transform((text) => `0x${text.toLowerCase()}`);

const BlockHeader = z.object({
  blockID: Id,
  block_header: z.object({
    raw_data: z.object({ number: z.number().default(0), timestamp: z.number().default(0), parentHash: Id }),
  }),
});

const Transaction = z.object({
  txID: Id,
  raw_data: z.object({
    contract: z
      .array(z.object({ type: z.string(), parameter: z.object({ value: z.object({ owner_address: Account }) }) }))
      .length(1),
    expiration: z.number().default(0),
  }),
  ret: z.array(z.object({ contractRet: z.string().default('SUCCESS') })).default([]),
});

/** A transaction of a block. */
export interface TronTransactionInBlock {
  readonly txHash: string;
  /** The account that signed it. */
  readonly from: string;
  readonly type: string;
  readonly expiration_ms: number;
  /** What the block says that became of it, such as `SUCCESS`. */
  readonly result: string;
}

const Info = z.object({
  id: Id,
  fee: Sun.default(0n),
  blockNumber: z.number(),
  receipt: z.object({ result: z.string().default('SUCCESS') }),
  /** `FAILED`, or absent. */
  result: z.string().optional(),
  log: z.array(z.object({ address: Hex, topics: z.array(Hex).default([]), data: Hex.default('0x') })).default([]),
});

/** What became of a transaction. */
export interface TronInfo {
  readonly txHash: string;
  readonly height: number;
  readonly fee: bigint;
  /** `SUCCESS`, `REVERT`, `OUT_OF_ENERGY` and so on. */
  readonly result: string;
  readonly logs: readonly ContractLog[];
}

function readInfo(json: unknown): TronInfo {
  const { id, fee, blockNumber, receipt, result, log } = Info.parse(json);
  const failed = result === 'FAILED' && receipt.result === 'SUCCESS';
  return { txHash: id, height: blockNumber, fee, result: failed ? 'FAILED' : receipt.result, logs: log };
}

/** A block's header. Its `clock` is the block's time in ms. */
export type TronHeader = Header & { readonly clock: number };

function readHeader(json: unknown): TronHeader | undefined {
  // A node that does not have the block answers with an empty object.
  if (typeof json === 'object' && json !== null && Object.keys(json).length === 0) return undefined;
  const { blockID: hash, block_header: header } = BlockHeader.parse(json);
  const { number: height, parentHash: parent, timestamp: clock } = header.raw_data;
  if (Number.parseInt(hash.slice(0, 16), 16) !== height)
    throw new Error(`block ${hash} does not have number ${height}`);
  return { height, hash, parent, clock };
}

const Constant = z.object({
  /** A message says that the call was reverted, though `result` is true. */
  result: z.object({ result: z.boolean().optional(), message: z.string().optional() }),
  energy_used: z.number().default(0),
  constant_result: z.array(Hex).default([]),
});

const Parameters = z.object({
  chainParameter: z.array(z.object({ key: z.string(), value: z.number().optional() })),
});

const Broadcast = z.object({
  result: z.boolean().default(false),
  code: z.string().default('SUCCESS'),
  message: z.string().default(''),
});

/** The methods of a Tron node that the custodian uses. Each rejects when the answer is missing or has another form. */
export class TronNode {
  readonly #ask: AskTron;

  constructor(ask: AskTron) {
    this.#ask = ask;
  }

  /** The header at a height, or the newest; its `clock` is the block's time in ms. `undefined` when there is none. */
  async header(height?: number, part: 'wallet' | 'walletsolidity' = 'wallet'): Promise<TronHeader | undefined> {
    const at = height === undefined ? {} : { id_or_num: String(height) };
    return readHeader(await this.#ask(`/${part}/getblock`, { ...at, detail: false }));
  }

  /** The transactions of the block with this id. */
  async transactions(id: string): Promise<TronTransactionInBlock[]> {
    const block = await this.#ask('/wallet/getblock', { id_or_num: id, detail: true });
    if (readHeader(block)?.hash !== id) throw new Error(`asked for block ${id}, was given another`);
    const { transactions = [] } = z.object({ transactions: z.array(Transaction).optional() }).parse(block);
    return transactions.map(({ txID, raw_data: { contract, expiration }, ret }) => ({
      txHash: txID,
      from: contract[0]?.parameter.value.owner_address ?? '',
      type: contract[0]?.type ?? '',
      expiration_ms: expiration,
      result: ret[0]?.contractRet ?? 'SUCCESS',
    }));
  }

  /** What became of the transactions of the block at a height. It does not say of which block it is. */
  async infos(height: number): Promise<TronInfo[]> {
    const list = z.array(z.unknown()).parse(await this.#ask('/wallet/gettransactioninfobyblocknum', { num: height }));
    const infos = list.map(readInfo);
    if (infos.some((info) => info.height !== height))
      throw new Error(`what is said about block ${height} is of another`);
    return infos;
  }

  /** What became of a transaction; `undefined` when the node has it in no block. */
  async info(txHash: string): Promise<TronInfo | undefined> {
    const answer = await this.#ask('/wallet/gettransactioninfobyid', { value: txHash });
    return Object.keys(answer as object).length === 0 ? undefined : readInfo(answer);
  }

  /** The TRX of an address, in sun. */
  async balance(address: string): Promise<bigint> {
    const account = await this.#ask('/wallet/getaccount', { address, visible: true });
    return z.object({ balance: Sun.default(0n) }).parse(account).balance;
  }

  /** The balance of a token after the newest block. */
  async tokenBalance(contract: string, owner: string): Promise<bigint> {
    const word = accountOf('TRC20', owner).slice(2).padStart(64, '0');
    const { isRight, answer } = await this.#callConstant(owner, contract, 'balanceOf(address)', word);
    if (!isRight || !/^0x[0-9a-f]{64}$/.test(answer)) {
      throw new NodeRefusal(0, `${contract} does not tell a balance`);
    }
    return BigInt(answer);
  }

  /** The energy that a transfer of a token needs now; `undefined` when the node says that it would revert. */
  async transferEnergy(contract: string, from: string, data: string): Promise<bigint | undefined> {
    const words = data.slice(10);
    const { isRight, energy } = await this.#callConstant(from, contract, 'transfer(address,uint256)', words);
    return isRight ? energy : undefined;
  }

  /** What a unit of energy costs, in sun, where none is staked. */
  async energyPrice(): Promise<bigint> {
    const { chainParameter } = Parameters.parse(await this.#ask('/wallet/getchainparameters', {}));
    const price = chainParameter.find(({ key }) => key === 'getEnergyFee')?.value;
    if (price === undefined) throw new Error('the node does not say what energy costs');
    return BigInt(price);
  }

  /** Sends a signed transaction. Rejects with `NodeRefusal` when the node does not take it. */
  async sendRaw(raw: string): Promise<void> {
    const answer = Broadcast.parse(await this.#ask('/wallet/broadcasthex', { transaction: raw }));
    if (!answer.result) throw new NodeRefusal(0, `${answer.code}: ${answer.message.slice(0, 300)}`);
  }

  async #callConstant(from: string, contract: string, selector: string, parameter: string) {
    const json = await this.#ask('/wallet/triggerconstantcontract', {
      owner_address: from,
      contract_address: contract,
      function_selector: selector,
      parameter,
      visible: true,
    });
    const { result, constant_result: answers, energy_used: energy } = Constant.parse(json);
    return {
      isRight: result.result === true && result.message === undefined,
      answer: answers[0] ?? '',
      energy: BigInt(energy),
    };
  }
}
